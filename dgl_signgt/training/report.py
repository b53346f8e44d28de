"""What a person sees while training: a bar on a terminal, lines in a pipe."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

from .loop import Progress
from .metrics import Objective

__all__ = ["Screen"]

_LINE_EVERY = 10.0  # seconds between two lines in a pipe


class Screen:
    """Shows the progress of a training and keeps its log.

    Parameters
    ----------
    log : pathlib.Path
        Text file to append to.
    quiet : bool
        Write only the log.
    """

    def __init__(self, log: Path, quiet: bool = False) -> None:
        self.quiet = quiet
        self._log = log.open("a", encoding="utf-8", buffering=1)
        self._terminal = sys.stderr.isatty()
        self._bar: tqdm | None = None
        self._last = 0.0

    def say(self, text: str) -> None:
        """Show and log some lines."""
        stamp = time.strftime("%H:%M:%S")
        for line in text.splitlines():
            self._log.write(f"{stamp} {line}\n")
        if self.quiet:
            return
        if self._bar is not None:
            self._bar.write(text, file=sys.stdout)
        else:
            print(text, flush=True)

    def begin(
        self, run: int, num_runs: int, num_epochs: int, done: int
    ) -> None:
        """Start to show run ``run`` of ``num_runs``, at epoch ``done``."""
        self._name = f"run {run + 1}/{num_runs}"
        self._epochs = num_epochs
        self._last = time.monotonic()
        if self.quiet or not self._terminal:
            return
        if self._bar is None:
            self._bar = tqdm(total=num_runs * num_epochs, unit="epoch")
        self._bar.set_description(self._name)
        self._bar.n = run * num_epochs + done
        self._bar.refresh()

    def epoch(
        self, record: dict[str, Any], progress: Progress, objective: Objective
    ) -> None:
        """Show one finished epoch."""
        parts = [f"loss {record['train_loss']:.4f}"]
        if "val_score" in record:
            parts.append(f"val {objective.format(record['val_score'])}")
        if progress.best_score is not None:
            parts.append(f"best {objective.format(progress.best_score)}")
        text = ", ".join(parts)
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.update()
        now = time.monotonic()
        if record["epoch"] > 1 and now - self._last < _LINE_EVERY:
            return
        self._last = now
        left = (self._epochs - record["epoch"]) * record["seconds"]
        line = (
            f"{self._name} epoch {record['epoch']}/{self._epochs}: {text}, "
            f"at most {duration(left)} left"
        )
        if self._bar is None:
            self.say(line)
        else:
            self._log.write(f"{time.strftime('%H:%M:%S')} {line}\n")

    def close(self) -> None:
        """Finish the bar and the log."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._log.close()


def duration(seconds: float) -> str:
    """A time span for a person."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 5970:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
