"""Ctrl-C that lets a run save itself, and locks that die with a process."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import SignGTError

__all__ = ["Busy", "Interrupted", "StopSign", "lock_folder"]


class Busy(SignGTError):
    """A folder is in use by another process."""


class Interrupted(KeyboardInterrupt):
    """Training was stopped by Ctrl-C and can be resumed."""


class StopSign:
    """Turns the first Ctrl-C into a stop at the next good moment.

    The end of an epoch is such a moment. In an epoch that takes long, so is
    every step: the state of the epoch before is on disk then. A second
    Ctrl-C stops at once.

    Parameters
    ----------
    patience : float, optional
        Seconds that an epoch may take before it is given up. Default: 2.
    """

    def __init__(self, patience: float = 2.0) -> None:
        self.raised = False
        self.patience = patience
        self._epoch_began = time.monotonic()
        self._before: Any = None

    def __enter__(self) -> StopSign:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            if self._before is signal.default_int_handler:
                signal.signal(signal.SIGINT, self._handle)
            else:
                self._before = None
        return self

    def __exit__(self, *error: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: Any) -> None:
        self.raised = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def step(self) -> None:
        """Called after each step: stop if the epoch takes long."""
        if self.raised and (
            time.monotonic() - self._epoch_began > self.patience
        ):
            raise Interrupted

    def epoch(self) -> None:
        """Called after each epoch, once it is saved."""
        self._epoch_began = time.monotonic()
        if self.raised:
            raise Interrupted


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold a folder against other processes; a dead holder holds nothing."""
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise Busy(
            f"{folder}: another process is training in this folder"
        ) from error
    try:
        yield
    finally:
        os.close(handle)
