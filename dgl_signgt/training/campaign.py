"""Campaigns: many recipes, seeds and overrides, each trained once.

Every finished run is one line of a JSON-lines file. A line is appended in one
write, so a killed process leaves whole lines (or one torn last line, which
readers skip). A run is claimed with a lock that the system drops when its
holder dies, so several workers can share a folder and none is left behind.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from pydantic import Field, ValidationError

from ..errors import RecipeError
from .experiment import as_recipe, train
from .fields import Strict, Text, whole
from .loop import TrainingError
from .recipe import read_yaml
from .schema import Recipe
from .stop import Busy, lock_folder

__all__ = ["Job", "campaign", "read_campaign", "read_results", "run_origin"]

# Those that change numbers; the run's environment.json has all of them.
_VERSIONS = ("python", "torch", "dgl", "dgl_signgt")


class _Entry(Strict):
    recipes: list[Text]
    seeds: Union[whole(1, 10_000), list[whole(0)]] = Field(
        1, description="How many seeds from 0 on, or a list of seeds"
    )
    overrides: list[dict[str, Any]] = Field(
        [{}], description="Variants, each a mapping of dotted keys"
    )
    grid: dict[str, list[Any]] = Field(
        {}, description="Dotted keys with choices; every combination"
    )
    tag: Optional[Text] = Field(None, description="Kept in each result line")


class _Campaign(Strict):
    folder: Text = Field(..., description="Where results and runs are kept")
    entries: list[_Entry]


@dataclass(frozen=True)
class Job:
    """One run of a campaign: a checked recipe with a single seed."""

    recipe: Recipe
    name: str
    overrides: dict[str, Any]
    tag: str | None

    @property
    def key(self) -> str:
        """A name of all that the recipe decides.

        Defaults are left out, so that results keep their names when
        recipes get new options.
        """
        content = self.recipe.dict(exclude_defaults=True)
        content.get("general_pipeline", {}).pop("save_path", None)
        for name in ("search", "version"):
            content.pop(name, None)
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_campaign(path: str | os.PathLike) -> tuple[Path, list[Job]]:
    """Read a campaign file and check every recipe in it.

    Parameters
    ----------
    path : path-like
        YAML with ``folder`` and ``entries``; an entry has ``recipes``,
        ``seeds``, ``overrides``, ``grid`` and ``tag``.

    Returns
    -------
    tuple of Path and list of Job
        The campaign's folder and all its runs, duplicates left out.
    """
    try:
        content = _Campaign.parse_obj(read_yaml(path))
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, item['loc']))}: {item['msg']}"
            for item in error.errors()
        )
        raise RecipeError(f"{path}: {problems}") from error
    jobs: dict[str, Job] = {}
    for entry in content.entries:
        for job in _jobs(entry, Path(path).parent):
            jobs.setdefault(job.key, job)
    return Path(content.folder), [*jobs.values()]


def _jobs(entry: _Entry, base: Path) -> Iterator[Job]:
    seeds = entry.seeds if isinstance(entry.seeds, list) else range(entry.seeds)
    combinations = [
        dict(zip(entry.grid, values))
        for values in itertools.product(*entry.grid.values())
    ]
    for name in entry.recipes:
        near = base / name
        for variant, choice_ in itertools.product(
            entry.overrides, combinations
        ):
            overrides = {**variant, **choice_}
            for seed in seeds:
                recipe = as_recipe(
                    near if near.exists() else name,
                    {
                        **overrides,
                        "general_pipeline.seed": seed,
                        "general_pipeline.num_runs": 1,
                    },
                )
                yield Job(recipe, Path(name).stem, overrides, entry.tag)


def read_results(path: str | os.PathLike) -> list[dict[str, Any]]:
    """Read a results file; a torn line, left by a kill, is skipped."""
    rows = []
    if Path(path).exists():
        for line in Path(path).read_text().splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(row, dict) and "key" in row:
                rows.append(row)
    return rows


def campaign(
    path: str | os.PathLike,
    retry: bool = False,
    say: Callable[[str], None] = print,
) -> list[dict[str, Any]]:
    """Train all runs of a campaign that are not finished yet.

    Parameters
    ----------
    path : path-like
        The campaign file; see :func:`read_campaign`.
    retry : bool, optional
        Train runs again that ended with an error. Default: False.
    say : callable, optional
        Takes a line for the user. Default: print.

    Returns
    -------
    list of dict
        The lines of this campaign's results that are there at the end.
    """
    folder, jobs = read_campaign(path)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    results = folder / "results.jsonl"
    keys = {job.key for job in jobs}
    for number, job in enumerate(jobs, 1):
        title = f"{number}/{len(jobs)} {job.name} {_words(job)}"
        home = folder / "runs" / job.key
        home.mkdir(exist_ok=True)
        try:
            with lock_folder(home):
                # Only the holder of the lock may trust what it reads here.
                if job.key in _done(results, retry):
                    continue
                row = _train(job, home / "train")
                _append(results, row)
        except Busy:
            say(f"{title}: another worker has it")
            continue
        score = row.get("test")
        say(f"{title}: " + (row["error"] if score is None else f"{score:.4f}"))
    return [row for row in read_results(results) if row["key"] in keys]


def _done(results: Path, retry: bool) -> set[str]:
    return {
        row["key"]
        for row in read_results(results)
        if not (retry and row["status"] == "failed")
    }


def _train(job: Job, folder: Path) -> dict[str, Any]:
    """Train one job, or go on with what a killed worker left of it."""
    row = {
        "key": job.key,
        "recipe": job.name,
        "tag": job.tag,
        "overrides": job.overrides,
        "seed": job.recipe.general_pipeline.seed,
        "dataset": job.recipe.data.name,
    }
    try:
        result = train(job.recipe, folder=folder, quiet=True)
    except TrainingError as error:
        row |= {"status": "failed", "error": str(error)}
    else:
        row |= {"status": "done", **result.runs[0], "folder": str(folder)}
        row.pop("run")
    row |= run_origin(folder)
    row["finished"] = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return row


def run_origin(folder: Path) -> dict[str, Any]:
    """What a result depends on besides its recipe, as the run noted it."""
    noted = json.loads((folder / "environment.json").read_text())
    return {
        "versions": {
            name: noted["versions"][name]
            for name in _VERSIONS
            if name in noted["versions"]
        },
        "threads": noted["machine"]["threads"],
        "processor": noted["machine"]["processor"],
        # Folders of before do not have them.
        "instructions": noted["machine"].get("instructions"),
        "commit": noted["commit"],
    }


def _append(path: Path, row: Mapping[str, Any]) -> None:
    """Append one line in one write, after any torn line."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        line = ("\n" if torn else "") + json.dumps(row) + "\n"
        os.write(handle, line.encode())
        os.fsync(handle)
    finally:
        os.close(handle)


def _words(job: Job) -> str:
    parts = [f"{key}={value}" for key, value in job.overrides.items()]
    return " ".join([*parts, f"seed={job.recipe.general_pipeline.seed}"])
