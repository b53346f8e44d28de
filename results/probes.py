"""Single settings, tried by hand before a search: ``python -m results.probes``.

A file has a setting a line, ``signgt_cora model.k=2``. Each is trained with
seeds that no table uses, and leaves one line in ``results/probes``: what was
tried and its validation score. The test score is neither kept nor shown.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from dgl_signgt.errors import SignGTError
from dgl_signgt.training import as_recipe, parse_overrides, plain, train
from results.runs import FOLDER

__all__ = ["PROBES", "probe"]

PROBES = FOLDER / "probes"
_FIRST_SEED = 100


def probe(recipe: str, words: list[str]) -> dict[str, Any]:
    """Train one setting and keep its validation score.

    Parameters
    ----------
    recipe : str
        Name or path of a recipe.
    words : list of str
        Overrides, ``model.k=2``; one seed unless they say otherwise.

    Returns
    -------
    dict
        The line that was appended.
    """
    began = time.time()
    options = {
        "general_pipeline.seed": _FIRST_SEED,
        "general_pipeline.num_runs": 1,
        **parse_overrides(words),
    }
    name = Path(recipe).stem
    row: dict[str, Any] = {"recipe": name, "options": words}
    with tempfile.TemporaryDirectory() as folder:
        try:
            checked = as_recipe(recipe, options)
            # Options alone say nothing once the recipe has changed.
            blocks = ("data", "model", "general_pipeline")
            row |= {block: plain(checked)[block] for block in blocks}
            runs = train(checked, folder=folder, quiet=True).runs
        except SignGTError as error:
            row["error"] = str(error)
        else:
            row |= {
                "val": round(statistics.mean(run["val"] for run in runs), 4),
                "seeds": [run["seed"] for run in runs],
                "best_epoch": [run["best_epoch"] for run in runs],
                "epochs": [run["epochs"] for run in runs],
            }
    row["seconds"] = round(time.time() - began, 1)
    PROBES.mkdir(exist_ok=True)
    with (PROBES / f"{name}.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    return row


if __name__ == "__main__":
    done = 0
    # Lines that are added while it runs are tried, too.
    while done < len(lines := Path(sys.argv[1]).read_text().splitlines()):
        if lines[done].strip():
            setting, *given = lines[done].split()
            print(json.dumps(probe(setting, given)), flush=True)
        done += 1
