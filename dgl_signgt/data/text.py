"""Fast reading of number tables, with the line named when one is wrong."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from .source import RawSource

__all__ = ["check_classes", "first_line", "read_npz", "read_table"]


def read_table(
    source: RawSource,
    name: str,
    columns: int | None,
    sep: str = ",",
    dtype: type = np.int64,
    header: int = 0,
) -> np.ndarray:
    """Read a text file of numbers.

    Parameters
    ----------
    source : RawSource
        Where the file lies.
    name : str
        Its name there.
    columns : int, optional
        Numbers a line; None takes as many as the first line has.
    sep : str, optional
        ``","`` (blanks around it are ignored) or ``" "`` for any blanks.
        Default: ``","``.
    dtype : type, optional
        Type of the numbers. Default: int64.
    header : int, optional
        Lines to skip at the top. Default: 0.

    Returns
    -------
    numpy.ndarray
        Of shape (lines, columns), or (lines,) for one column.
    """
    if columns is None:
        with source.open(name) as handle:
            columns = len(_fields(handle.readline(), sep))
    try:
        with source.open(name) as handle, warnings.catch_warnings():
            # pandas only warns when it drops surplus numbers of a line.
            warnings.simplefilter("error")
            frame = pd.read_csv(
                handle,
                sep="," if sep == "," else r"\s+",
                header=None,
                names=range(columns),
                index_col=False,
                dtype=dtype,
                engine="c",
                na_filter=False,
                skipinitialspace=True,
                skiprows=header,
                quoting=3,
                memory_map=False,
            )
    except pd.errors.EmptyDataError:
        raise DataError(f"{source.where(name)} is empty") from None
    except (ValueError, OverflowError, Warning) as error:
        _blame(source, name, columns, sep, dtype, header)
        raise DataError(f"{source.where(name)}: {_one_line(error)}") from None
    if not len(frame):
        raise DataError(f"{source.where(name)} is empty")
    table = frame.to_numpy()
    if np.issubdtype(dtype, np.floating) and not np.isfinite(table).all():
        line = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise DataError(
            f"{source.where(name)}, line {line + 1 + header}: a number is "
            f"not finite"
        )
    return table[:, 0] if columns == 1 else table


def _fields(line: bytes, sep: str) -> list[bytes]:
    return line.split(b",") if sep == "," else line.split()


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _blame(
    source: RawSource,
    name: str,
    columns: int,
    sep: str,
    dtype: type,
    header: int,
) -> None:
    """Raise for the first line that is not what it should be."""
    whole = np.issubdtype(dtype, np.integer)
    number: Callable = int if whole else float
    kind = "whole number" if whole else "number"
    limit = np.iinfo(dtype).max if whole else np.inf
    with source.open(name) as handle:
        for position, line in enumerate(handle, start=1):
            if position <= header or not line.strip():
                continue
            fields = _fields(line, sep)
            try:
                good = len(fields) == columns and all(
                    abs(number(field)) <= limit for field in fields
                )
            except ValueError:
                good = False
            if not good:
                shown = line.decode("utf-8", "replace").strip()
                shown = shown if len(shown) <= 40 else shown[:37] + "..."
                plural = "s" if columns > 1 else ""
                raise DataError(
                    f"{source.where(name)}, line {position}: expected "
                    f"{columns} {kind}{plural}, found {shown!r}"
                )


def check_classes(
    source: RawSource,
    name: str,
    label: np.ndarray,
    num_classes: int | None,
    lines: np.ndarray | None = None,
) -> None:
    """Refuse a label that is below 0 or above the classes there are.

    Parameters
    ----------
    source : RawSource
        Where the file lies.
    name : str
        Its name there.
    label : numpy.ndarray
        All labels.
    num_classes : int, optional
        Number of classes, where it is known.
    lines : numpy.ndarray, optional
        The line of each label. Default: 1, 2, ...
    """
    top = np.inf if num_classes is None else num_classes
    wrong = (label < 0) | (label >= top)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        line = at + 1 if lines is None else int(lines[at])
        known = "from 0 up" if num_classes is None else f"0 to {top - 1}"
        raise DataError(
            f"{source.where(name)}, line {line}: label {label[at]} is out of "
            f"range; labels are {known}"
        )


def first_line(wrong: np.ndarray, header: int = 0) -> int:
    """The line, from 1, of the first row that is marked wrong."""
    return int(np.flatnonzero(wrong)[0]) + 1 + header


def read_npz(
    source: RawSource, name: str, keys: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Read arrays of an npz file, without running pickles in it.

    Parameters
    ----------
    source : RawSource
        Where the file lies.
    name : str
        Its name there.
    keys : tuple of str
        Arrays to read; a name that ends in ``?`` may be missing.

    Returns
    -------
    dict
    """
    data = source.read(name)
    arrays = {}
    # Damage inside the npz, itself a zip, is told as damage of the file.
    if data[:4] != b"PK\x03\x04":
        raise DataError(f"{source.where(name)} is not an npz file")
    with (
        source.open(name),
        np.load(io.BytesIO(data), allow_pickle=False) as archive,
    ):
        for key in keys:
            plain = key.rstrip("?")
            if plain in archive.files:
                arrays[plain] = _array(source, name, archive, plain)
            elif not key.endswith("?"):
                raise DataError(f"{source.where(name)} has no array {plain!r}")
    return arrays


def _array(source: RawSource, name: str, archive: Any, key: str) -> np.ndarray:
    try:
        return archive[key]
    except ValueError as error:
        raise DataError(
            f"{source.where(name)}: array {key!r} cannot be read without "
            f"pickle: {_one_line(error)}"
        ) from None
