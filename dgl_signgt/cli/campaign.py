"""``python -m dgl_signgt campaign``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str]) -> None:
    """Train many recipes, seeds and overrides, each once.

    Finished runs are skipped, so the command can be killed and given again;
    several of them can work on one folder at the same time.
    """
    parser = argparse.ArgumentParser(
        prog="python -m dgl_signgt campaign",
        description=main.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="YAML file with folder and entries")
    parser.add_argument(
        "--retry", action="store_true", help="train failed runs again"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="list the runs, train none"
    )
    args = parser.parse_args(argv)

    from ..training.campaign import campaign, read_campaign, read_results

    folder, jobs = read_campaign(args.file)
    if args.dry_run:
        done = {row["key"] for row in read_results(folder / "results.jsonl")}
        for job in jobs:
            state = "done" if job.key in done else "to do"
            seed = job.recipe.general_pipeline.seed
            print(f"{job.key} {state:5} {job.name} seed={seed} {job.overrides}")
        return
    rows = campaign(args.file, args.retry)
    failed = sum(row["status"] == "failed" for row in rows)
    print(
        f"{len(rows)} of {len(jobs)} runs finished, {failed} failed; "
        f"results in {folder / 'results.jsonl'}"
    )
