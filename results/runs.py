"""The kept runs, and their summary over seeds."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgl_signgt.training.campaign import read_results

__all__ = [
    "FOLDER",
    "Cell",
    "paper_bar",
    "paper_score",
    "read_runs",
    "summarise",
]

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Cell:
    """What several seeds of one setting gave; scores are percentages."""

    mean: float
    std: float | None
    seeds: int
    parameters: int
    seconds_an_epoch: float
    epochs: float
    memory_mb: float

    def __str__(self) -> str:
        spread = "" if self.std is None else f" ± {self.std:.2f}"
        return f"{self.mean:.2f}{spread}"


def read_runs() -> list[dict[str, Any]]:
    """All finished runs in ``results/*.jsonl``, with the file's name."""
    return [
        {**row, "file": path.name}
        for path in sorted(FOLDER.glob("*.jsonl"))
        for row in read_results(path)
        if row["status"] == "done"
    ]


def summarise(rows: Iterable[dict[str, Any]]) -> Cell | None:
    """Mean and standard deviation over seeds; None where there is no run."""
    rows = list(rows)
    if not rows:
        return None
    scores = [100 * row["test"] for row in rows]
    return Cell(
        mean=statistics.mean(scores),
        std=statistics.stdev(scores) if len(scores) > 1 else None,
        seeds=len({row["seed"] for row in rows}),
        parameters=max(row["num_parameters"] for row in rows),
        seconds_an_epoch=statistics.mean(
            row["seconds"] / row["epochs"] for row in rows
        ),
        epochs=statistics.mean(row["epochs"] for row in rows),
        memory_mb=max(row["peak_memory_mb"] for row in rows),
    )


def paper_score(dataset: str, model: str) -> tuple[float, float | None] | None:
    """Mean and standard deviation in the paper, None where it has none."""
    with (FOLDER / "paper.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["dataset"], row["model"]) == (dataset, model):
                std = float(row["std"]) if row["std"] else None
                return float(row["mean"]), std
    return None


def paper_bar(dataset: str) -> float:
    """SignGT's mean in the paper minus one of its standard deviations."""
    mean, std = paper_score(dataset, "SignGT")
    return mean - std
