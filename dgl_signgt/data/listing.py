"""What the ``data`` command shows."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from ..errors import DataError
from .catalog.checksums import GOOD_COPIES
from .fetch import data_dir, find_raw
from .registry import DatasetSpec, dataset_names, dataset_spec
from .store import CACHE_FOLDER

__all__ = ["dataset_state", "describe_dataset", "list_datasets"]


def dataset_state(spec: DatasetSpec, root: Path) -> str:
    """Where a data set is, without loading it.

    Parameters
    ----------
    spec : DatasetSpec
        Its entry.
    root : Path
        The data directory.

    Returns
    -------
    str
        ``"built in"``, ``"yours"`` (one's own files), ``"cached"``,
        ``"here"`` (raw files), ``"damaged"`` (raw files that are not whole)
        or ``"to download"``.
    """
    if spec.origin == "embedded":
        return "built in"
    if spec.origin == "csv" or spec.name == "tu":
        return "yours"
    try:
        raw = find_raw(spec, root)
    except DataError:
        return "damaged"
    cache = root / CACHE_FOLDER / spec.name
    entries = cache.glob("*/manifest.json") if cache.is_dir() else ()
    if any(entry.parent.name[:1] != "." for entry in entries):
        return "cached"
    return "here" if raw is not None else "to download"


def list_datasets(root: str | None = None) -> list[dict[str, Any]]:
    """All data sets, with their size and whether they are here.

    Parameters
    ----------
    root : path, optional
        Data directory. Default: DGL's.

    Returns
    -------
    list of dict
        ``name``, ``task``, ``size``, ``megabytes``, ``state`` and
        ``description`` of each.

    Examples
    --------
    >>> list_datasets()[0]["name"]
    'nci5k'
    """
    folder = data_dir(root)
    rows = []
    for name in dataset_names():
        spec = dataset_spec(name)
        rows.append(
            {
                "name": name,
                "task": spec.task,
                "size": spec.size,
                "megabytes": spec.raw.megabytes if spec.raw else None,
                "state": dataset_state(spec, folder),
                "description": spec.description,
            }
        )
    return rows


def describe_dataset(name: str, root: str | None = None, **options: Any) -> str:
    """The figures of a data set beside the paper's, as text.

    Parameters
    ----------
    name : str
        One of :func:`dataset_names`.
    root : path, optional
        Data directory. Default: DGL's.
    **options
        Settings of the data set.

    Returns
    -------
    str
        A table in which every difference is marked with ``!=``.
    """
    # Both need torch, which listing does not.
    from .loading import load
    from .statistics import compare_with_paper, dataset_statistics

    dataset = load(name, root=root, **options)
    spec = dataset_spec(name)
    stats = dataset_statistics(dataset)
    lines = [f"{name}: {spec.description}", ""]
    has_paper = spec.paper is not None
    head = f"{'':12} {'here':>12}"
    lines.append(f"{head} {'paper':>12}" if has_paper else head)
    for row in compare_with_paper(spec, stats):
        text = f"{row.name.replace('_', ' '):12} {_number(row.ours):>12}"
        if has_paper:
            paper = "-" if row.paper is None else _number(row.paper)
            mark = "!=" if row.differs else ""
            text += f" {paper:>12} {mark:2} {row.note}"
        lines.append(text.rstrip())
    low, mean, high = stats["degree"]
    lines.append(f"{'degree':12} {low} to {high}, mean {mean}")
    if "size" in stats:
        low, middle, high = stats["size"]
        lines.append(
            f"{'graph size':12} {low} to {high} nodes, median {middle:g}"
        )
    lines.append(f"{'self-loops':12} {stats['self_loops']:,} in the raw files")
    lines.append(f"{'feature kind':12} {stats['feat_kind']}")
    if stats["label_counts"]:
        counts = [f"{k}: {v:,}" for k, v in stats["label_counts"].items()]
        lines.append(f"{'labels':12} {', '.join(counts)}")
    if stats["public_splits"]:
        lines.append(f"{'splits':12} {stats['public_splits']} public")
    if "unreadable" in dataset.info:
        lines.append(
            f"{'unreadable':12} {dataset.info['unreadable']} molecules"
        )
    if spec.origin == "raw" and spec.name != "tu":
        lines.append(f"{'raw files':12} {_raw_files(spec, data_dir(root))}")
    lines.append(f"{'fingerprint':12} {dataset.fingerprint}")
    return "\n".join(lines)


def _raw_files(spec: DatasetSpec, root: Path) -> str:
    """Where they are, and whether they are a copy that was checked."""
    source = find_raw(spec, root)
    if source is None:
        return "gone; the cache has what was in them"
    if source.path.is_dir():
        return f"{source.path}{os.sep}"
    digest = hashlib.sha256(source.path.read_bytes()).hexdigest()
    known = GOOD_COPIES.get(spec.name) == digest
    return f"{source.path}{' (a known good copy)' if known else ''}"


def _number(value: float) -> str:
    return (
        f"{value:,.4g}"
        if 0 < value < 1
        else (f"{value:,.2f}" if value != int(value) else f"{int(value):,}")
    )
