"""Checkpoints: written whole or not at all, read without running code."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import torch

from ..errors import SignGTError

__all__ = ["FORMAT", "read_checkpoint", "write_atomically", "write_checkpoint"]

FORMAT = "dgl_signgt checkpoint 1"


def write_atomically(path: Path, content: bytes | str) -> None:
    """Replace a file in one step, so that no reader sees half of it.

    Parameters
    ----------
    path : pathlib.Path
        The file to write or to replace.
    content : bytes or str
        All of its content.
    """
    data = content.encode() if isinstance(content, str) else content
    _replace(path, lambda file: file.write(data))


def write_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint in one step; see :func:`read_checkpoint`."""
    content = {"format": FORMAT, **content}
    _replace(path, lambda file: torch.save(content, file))


def read_checkpoint(path: str | os.PathLike) -> dict[str, Any]:
    """Read a checkpoint's tensors and plain values; nothing in it is run.

    Parameters
    ----------
    path : path-like
        A ``best.pt`` or ``last.pt`` of a training.

    Returns
    -------
    dict
        Its content, on the CPU.
    """
    path = Path(path)
    if not path.is_file():
        raise SignGTError(f"{path}: no such checkpoint")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        # A damaged file may raise anything from torch's unpickler.
        raise SignGTError(
            f"{path}: not a readable checkpoint ({type(error).__name__})"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SignGTError(
            f"{path}: not a checkpoint of dgl_signgt (expected {FORMAT!r})"
        )
    return content


def _replace(path: Path, write: Any) -> None:
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name}.", suffix=".tmp"
    )
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
