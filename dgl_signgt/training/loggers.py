"""Loggers by choice: TensorBoard and Weights & Biases; off by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from ..errors import SignGTError

__all__ = ["Logger", "make_loggers"]


class Logger(Protocol):
    """Something that takes the numbers of each epoch."""

    def log(self, record: dict[str, Any]) -> None:
        """Take one epoch's numbers."""

    def close(self) -> None:
        """Finish."""


class _TensorBoard:
    def __init__(self, folder: Path, recipe: dict[str, Any]) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise _missing("tensorboard") from error
        self.writer = SummaryWriter(str(folder / "tensorboard"))

    def log(self, record: dict[str, Any]) -> None:
        for name, value in record.items():
            if name != "epoch":
                self.writer.add_scalar(name, value, record["epoch"])

    def close(self) -> None:
        self.writer.close()


class _WandB:
    def __init__(self, folder: Path, recipe: dict[str, Any]) -> None:
        try:
            import wandb
        except ImportError as error:
            raise _missing("wandb") from error
        self.run = wandb.init(
            project="dgl-signgt",
            name=f"{recipe['data']['name']}-{folder.parent.name}-{folder.name}",
            dir=str(folder),
            config=recipe,
            reinit=True,
        )

    def log(self, record: dict[str, Any]) -> None:
        self.run.log(record, step=record["epoch"])

    def close(self) -> None:
        self.run.finish()


def _missing(package: str) -> SignGTError:
    return SignGTError(
        f"general_pipeline.loggers: {package} is not installed; "
        f"run: pip install {package}"
    )


_LOGGERS = {"tensorboard": _TensorBoard, "wandb": _WandB}


def make_loggers(
    names: list[str], folder: Path, recipe: dict[str, Any]
) -> list[Logger]:
    """The loggers a recipe asks for, writing into a run's folder."""
    return [_LOGGERS[name](folder, recipe) for name in names]
