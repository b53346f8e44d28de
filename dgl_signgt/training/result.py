"""What a training returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .metrics import Objective
from .report import duration

__all__ = ["TrainResult"]


@dataclass
class TrainResult:
    """The outcome of :func:`dgl_signgt.train`.

    Parameters
    ----------
    model : torch.nn.Module
        The model of the run with the best validation score, at its best
        epoch, in eval mode.
    runs : list of dict
        A row a run: ``run``, ``seed``, ``val``, ``test``, ``best_epoch``,
        ``epochs``, ``seconds``, …
    history : list of list of dict
        For each run a row an epoch: ``epoch``, ``lr``, ``train_loss``,
        ``val_loss``, ``val_score``, ``seconds``.
    metric : str
        The name of the score.
    folder : pathlib.Path
        Where everything was saved.
    """

    model: torch.nn.Module
    runs: list[dict[str, Any]]
    history: list[list[dict[str, Any]]] = field(repr=False)
    metric: str
    folder: Path

    @property
    def scores(self) -> list[float]:
        """The test score of each run at its best validation epoch."""
        return [run["test"] for run in self.runs]

    @property
    def mean(self) -> float:
        """Mean of the test scores."""
        return float(np.mean(self.scores))

    @property
    def std(self) -> float | None:
        """Standard deviation (ddof = 1); None for a single run."""
        if len(self.runs) < 2:
            return None
        return float(np.std(self.scores, ddof=1))

    def summary(self) -> dict[str, Any]:
        """All numbers, as they are saved in ``summary.json``."""
        return {
            "metric": self.metric,
            "test_mean": self.mean,
            "test_std": self.std,
            "val_mean": float(np.mean([run["val"] for run in self.runs])),
            "num_runs": len(self.runs),
            "seconds": sum(run["seconds"] for run in self.runs),
            "peak_memory_mb": max(r["peak_memory_mb"] for r in self.runs),
            "num_parameters": self.runs[0]["num_parameters"],
            "runs": self.runs,
        }

    def table(self, objective: Objective) -> str:
        """A small table for a person."""
        lines = ["  run  seed       val      test  best epoch      time"]
        for run in self.runs:
            lines.append(
                f"{run['run'] + 1:5d}{run['seed']:6d}"
                f"{objective.format(run['val']):>10}"
                f"{objective.format(run['test']):>10}"
                f"{run['best_epoch']:7d}/{run['epochs']:<5d}"
                f"{duration(run['seconds']):>9}"
            )
        spread = (
            f" ± {objective.format(self.std)}" if self.std is not None else ""
        )
        lines.append(
            f"test {self.metric} {objective.format(self.mean)}{spread}"
            f" ({len(self.runs)} run{'s' * (len(self.runs) > 1)})"
        )
        lines.append(f"saved in {self.folder}")
        return "\n".join(lines)
