"""What a training left in its folder, as plain values."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ..errors import SignGTError

__all__ = ["RunFolder", "read_run"]


@dataclass
class RunFolder:
    """A training's folder, read.

    Parameters
    ----------
    path : pathlib.Path
        The folder.
    recipe : dict
        The recipe it was trained with.
    runs : list of dict
        The result of each finished seed.
    history : list of list of dict
        For each of them a row an epoch.
    environment : dict
        Versions, machine, commit and command.
    """

    path: Path
    recipe: dict[str, Any]
    runs: list[dict[str, Any]]
    history: list[list[dict[str, Any]]]
    environment: dict[str, Any]

    @property
    def metric(self) -> str:
        """The name of the score."""
        return self.runs[0]["metric"]

    @property
    def name(self) -> str:
        """A short name: the folder and the one it lies in."""
        return "/".join(self.path.resolve().parts[-2:])

    @property
    def percent(self) -> bool:
        """Whether scores are shares, to be shown in per cent."""
        return self.metric != "mae"

    def format(self, score: float) -> str:
        """A score for a person."""
        return f"{score:.2%}" if self.percent else f"{score:.4f}"

    def mean_and_std(self) -> str:
        """The test score over the seeds."""
        scores = [run["test"] for run in self.runs]
        text = self.format(float(np.mean(scores)))
        if len(scores) > 1:
            text += f" ± {self.format(float(np.std(scores, ddof=1)))}"
        return text

    def best(self) -> dict[str, Any]:
        """The seed with the best validation score."""
        sign = -1 if self.metric == "mae" else 1
        return max(self.runs, key=lambda run: sign * run["val"])

    def seed_folder(self, run: dict[str, Any]) -> Path:
        """Where the checkpoint and the split of a seed are."""
        return self.path / f"seed_{run['seed']}"


def read_run(path: str | os.PathLike) -> RunFolder:
    """Read the folder of a training.

    Parameters
    ----------
    path : path-like
        The folder that ``train`` made, such as ``results/cora/001``. Of an
        unfinished training the finished seeds are read.

    Returns
    -------
    RunFolder

    Examples
    --------
    >>> read_run("results/digits-knn/001").mean_and_std()
    '98.06% ± 0.56%'
    """
    folder = Path(path)
    if not folder.is_dir():
        raise SignGTError(f"{folder}: no such folder of a training")
    recipe = _read(folder / "recipe.yaml", yaml.safe_load)
    environment = _read(folder / "environment.json", json.loads)
    if not isinstance(recipe, dict) or not isinstance(environment, dict):
        raise SignGTError(f"{folder}: recipe or environment is not a mapping")
    runs, history = [], []
    for result in sorted(
        folder.glob("seed_*/result.json"), key=lambda p: int(p.parts[-2][5:])
    ):
        runs.append(_read(result, json.loads))
        lines = _read(result.with_name("metrics.jsonl"), str.splitlines)
        history.append([json.loads(line) for line in lines])
    if not runs:
        raise SignGTError(
            f"{folder}: no seed of this training is finished; go on with "
            f"python -m dgl_signgt train --resume {folder}"
        )
    return RunFolder(folder, recipe, runs, history, environment)


def _read(path: Path, parse: Any) -> Any:
    try:
        return parse(path.read_text())
    except FileNotFoundError:
        raise SignGTError(
            f"{path}: no such file; is {path.parent} the folder of a "
            f"training, such as results/cora/001?"
        ) from None
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise SignGTError(
            f"{path}: cannot be read ({type(error).__name__})"
        ) from error
