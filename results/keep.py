"""Keep the finished runs of campaigns: ``python -m results.keep [ROOT]``.

For each ``results/<name>.yaml``, the lines of its campaign that belong to the
recipes as they are now become ``results/<name>.jsonl``. Runs that ``dgl train``
left in a recipe's ``save_path`` count as well. Lines that are kept already
stay, so that parts of a campaign may come from several machines. Runs of more
than one thread do not count, since the page compares times.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dgl_signgt.errors import RecipeError
from dgl_signgt.training import as_recipe
from dgl_signgt.training.campaign import (
    Job,
    read_campaign,
    read_results,
    run_origin,
)
from dgl_signgt.training.checkpoint import write_atomically
from results.runs import FOLDER

__all__ = ["keep", "training_lines"]


def keep(
    plan: Path, root: Path, known: Sequence[dict[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Keep the runs of one campaign.

    Parameters
    ----------
    plan : pathlib.Path
        The campaign file; the kept lines lie beside it.
    root : pathlib.Path
        The folder in which the campaign, or ``dgl train``, was run.
    known : sequence of dict, optional
        Lines of other campaigns. A key names all that a recipe decides, so
        a run may come from any of them, as when the recipe of before
        becomes an ablation of today's.

    Returns
    -------
    list of dict
        The lines that are kept, in the order of the campaign.
    """
    folder, jobs = read_campaign(plan)
    target = plan.with_suffix(".jsonl")
    lines = [
        *known,
        *read_results(target),
        *read_results(root / folder / "results.jsonl"),
    ]
    trainings = {
        (job.name, root / job.recipe.general_pipeline.save_path): None
        for job in jobs
        if not job.overrides
    }
    for name, place in trainings:
        for training in sorted(place.glob("[0-9]*")):
            lines += training_lines(training, name)
    found = {
        row["key"]: {name: x for name, x in row.items() if name != "folder"}
        for row in lines
    }
    rows = [
        {
            **found[job.key],
            "recipe": job.name,
            "tag": job.tag,
            "overrides": job.overrides,
        }
        for job in jobs
        if job.key in found
    ]
    write_atomically(target, "".join(json.dumps(row) + "\n" for row in rows))
    target.chmod(0o644)
    print(f"{target}: {len(rows)} of {len(jobs)} runs")
    return rows


def training_lines(folder: Path, name: str) -> list[dict[str, Any]]:
    """The finished seeds of one training, as a campaign would note them.

    Parameters
    ----------
    folder : pathlib.Path
        What ``dgl train`` left.
    name : str
        Name of the recipe that was trained.

    Returns
    -------
    list of dict
        One a seed.
    """
    lines = []
    origin = run_origin(folder)
    if origin["threads"] != 1:
        return []
    for path in sorted(folder.glob("seed_*/result.json")):
        result = json.loads(path.read_text())
        one = {
            "general_pipeline.seed": result["seed"],
            "general_pipeline.num_runs": 1,
        }
        try:
            recipe = as_recipe(folder / "recipe.yaml", one)
        except RecipeError:
            # Of a version that knew other options.
            continue
        line = {
            "key": Job(recipe, name, {}, None).key,
            "recipe": name,
            "tag": None,
            "overrides": {},
            "dataset": recipe.data.name,
            "status": "done",
            **result,
            **origin,
        }
        line.pop("run")
        lines.append(line)
    return lines


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    # All are read before the first is written: what one plan has no use for
    # any more may be another's.
    files = [
        *FOLDER.glob("*.jsonl"),
        *where.glob("campaigns/*/results.jsonl"),
    ]
    rows = [row for file in files for row in read_results(file)]
    for path in sorted(FOLDER.glob("*.yaml")):
        keep(path, where, rows)
