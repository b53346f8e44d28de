"""Tune a variant or a baseline with the search command.

    python -m results.tune signgt_cora 8 model.name=gcn

runs ``search`` for eight trials on the recipe's own ``search:`` block, with a
seed that no table uses. ``search.model.hidden_size=[64,128]`` puts other
choices into the space. What was searched and every trial are kept in
``results/search``, and the best options become ``results/tuned.yaml``, the
campaign of all that was tuned.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml

from dgl_signgt.errors import SignGTError
from dgl_signgt.training import find_recipe, merge, parse_overrides, read_yaml
from dgl_signgt.training.checkpoint import write_atomically
from dgl_signgt.training.search import search
from results.runs import FOLDER

__all__ = ["best_options", "tune", "write_plan"]

SEARCHES = FOLDER / "search"
PLAN = FOLDER / "tuned.yaml"
_SEED = 100
_HEAD = """\
# python -m dgl_signgt campaign results/tuned.yaml
# Written by results/tune.py: the best trials of the searches of baselines and
# variants. The lines of campaigns/tuned/results.jsonl are kept in tuned.jsonl.
"""
# What is compared, by the key that names it: the tag of its runs.
_TAGS = {"model.name": "baseline", "model.attention": "tuned variant"}


def tune(recipe: str, trials: int, changes: dict[str, Any]) -> Path:
    """Search the options of a changed recipe and keep all trials.

    Parameters
    ----------
    recipe : str
        Name or path of a recipe with a ``search:`` block.
    trials : int
        Number of trials.
    changes : dict
        Dotted keys with values: what makes it a baseline or a variant.
        Those that start with ``search.`` are the space's.

    Returns
    -------
    pathlib.Path
        The kept trials.
    """
    if not _TAGS.keys() & changes:
        raise SignGTError(
            f"tune: say what to compare: {' or '.join(_TAGS)}, for example "
            f"model.name=gcn"
        )
    data = Path(recipe).stem.removeprefix("signgt_")
    compared = [str(changes[key]) for key in _TAGS if key in changes]
    name = "-".join([data, *compared])
    space = {
        key.removeprefix("search."): changes[key]
        for key in changes
        if key.startswith("search.")
    }
    changes = {
        key: value
        for key, value in changes.items()
        if not key.startswith("search.")
    }
    fixed = {
        "general_pipeline.seed": _SEED,
        "general_pipeline.num_runs": 1,
        "general_pipeline.save_path": f"campaigns/search/{name}",
    }
    content = merge(read_yaml(find_recipe(recipe)), {**changes, **fixed})
    content["search"] = {**(content.get("search") or {}), **space}
    plan = SEARCHES / f"{name}.yaml"
    write_atomically(plan, yaml.safe_dump(content, sort_keys=False))
    plan.chmod(0o644)
    folder = Path("campaigns/search") / name
    search(plan, trials, folder)
    kept = plan.with_suffix(".jsonl")
    shutil.copyfile(folder / "trials.jsonl", kept)
    about = {"recipe": recipe, "changes": changes}
    write_atomically(SEARCHES / f"{name}.json", json.dumps(about) + "\n")
    (SEARCHES / f"{name}.json").chmod(0o644)
    return kept


def best_options(trials: Path) -> dict[str, Any]:
    """The options of the trial that is best on validation."""
    lines = [json.loads(line) for line in trials.read_text().splitlines()]
    done = [line for line in lines if line["state"] == "complete"]
    return max(done, key=lambda line: line["val"])["options"]


def write_plan() -> None:
    """Write the campaign of everything that was tuned."""
    entries = []
    for path in sorted(SEARCHES.glob("*.json")):
        about = json.loads(path.read_text())
        tag = next(_TAGS[key] for key in about["changes"] if key in _TAGS)
        options = best_options(path.with_suffix(".jsonl"))
        entries.append(
            {
                "recipes": [about["recipe"]],
                "overrides": [{**about["changes"], **options}],
                "seeds": 10 if tag == "baseline" else 3,
                "tag": tag,
            }
        )
    plan = {"folder": "campaigns/tuned", "entries": entries}
    text = _HEAD + yaml.safe_dump(plan, sort_keys=False)
    write_atomically(PLAN, text)
    PLAN.chmod(0o644)


if __name__ == "__main__":
    tune(sys.argv[1], int(sys.argv[2]), parse_overrides(sys.argv[3:]))
    write_plan()
