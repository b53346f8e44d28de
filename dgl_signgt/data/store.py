"""Arrays on disk: plain ``.npy`` files that appear all at once.

An entry is a folder. It is written under a temporary name and renamed when
every byte is on disk, so an entry that exists is whole unless someone
damaged it; sizes are checked all the same. Reading maps the files into
memory and needs no pickle.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from .fetch import temporary

__all__ = ["CACHE_FOLDER", "read_entry", "write_entry"]

# Folder of all entries below the data directory.
CACHE_FOLDER = "signgt-processed"

_MANIFEST = "manifest.json"


def write_entry(
    path: Path, arrays: dict[str, np.ndarray], meta: dict[str, Any]
) -> None:
    """Write an entry; if another process was faster, theirs is kept.

    Parameters
    ----------
    path : Path
        Folder of the entry.
    arrays : dict
        Name to array.
    meta : dict
        JSON values.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    stage = temporary(path)
    try:
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir()
        sizes = {}
        for name, array in arrays.items():
            with (stage / f"{name}.npy").open("wb") as handle:
                np.save(handle, np.ascontiguousarray(array), allow_pickle=False)
                _sync(handle)
                sizes[name] = handle.tell()
        with (stage / _MANIFEST).open("w") as handle:
            json.dump({"arrays": sizes, "meta": meta}, handle, indent=1)
            _sync(handle)
        if path.exists() and read_entry(path) is None:
            # A damaged entry makes way; renaming first keeps this atomic.
            broken = stage.with_name(stage.name + "broken")
            path.rename(broken)
            shutil.rmtree(broken, ignore_errors=True)
        try:
            stage.rename(path)
        except OSError:
            if read_entry(path) is None:
                raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def read_entry(
    path: Path,
) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
    """Read an entry, or None where there is no whole one.

    Parameters
    ----------
    path : Path
        Folder of the entry.

    Returns
    -------
    tuple of dict, or None
        Arrays, mapped copy-on-write, and the meta values.
    """
    try:
        manifest = json.loads((path / _MANIFEST).read_text())
        arrays = {}
        for name, size in manifest["arrays"].items():
            file = path / f"{name}.npy"
            if file.stat().st_size != size:
                return None
            arrays[name] = _map(file)
        return arrays, manifest["meta"]
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        return None


def _map(file: Path) -> np.ndarray:
    array = np.load(file, mmap_mode="c", allow_pickle=False)
    # A plain view: torch and scipy need no memmap subclass.
    return np.asarray(array).view(np.ndarray)


def _sync(handle: Any) -> None:
    handle.flush()
    os.fsync(handle.fileno())
