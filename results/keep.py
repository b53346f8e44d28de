"""Keep the finished runs of campaigns: ``python -m results.keep [ROOT]``.

For each ``results/<name>.yaml``, the lines of its campaign that belong to the
recipes as they are now become ``results/<name>.jsonl``. Lines that are kept
already stay, so that parts of a campaign may come from several machines.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dgl_signgt.training.campaign import read_campaign, read_results
from dgl_signgt.training.checkpoint import write_atomically
from results.runs import FOLDER

__all__ = ["keep"]


def keep(plan: Path, root: Path) -> list[dict[str, Any]]:
    """Keep the runs of one campaign.

    Parameters
    ----------
    plan : pathlib.Path
        The campaign file; the kept lines lie beside it.
    root : pathlib.Path
        The folder in which the campaign was run.

    Returns
    -------
    list of dict
        The lines that are kept, in the order of the campaign.
    """
    folder, jobs = read_campaign(plan)
    target = plan.with_suffix(".jsonl")
    found = {
        row["key"]: {name: x for name, x in row.items() if name != "folder"}
        for path in (target, root / folder / "results.jsonl")
        for row in read_results(path)
    }
    rows = [found[job.key] for job in jobs if job.key in found]
    write_atomically(target, "".join(json.dumps(row) + "\n" for row in rows))
    target.chmod(0o644)
    print(f"{target}: {len(rows)} of {len(jobs)} runs")
    return rows


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for path in sorted(FOLDER.glob("*.yaml")):
        keep(path, where)
