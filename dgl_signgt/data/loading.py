"""From a name to a data set: cache, raw files, archive or download."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import warnings
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import DataError
from .fetch import data_dir, find_raw, obtain_raw, raw_members
from .flat import FlatGraphs
from .graph_dataset import GraphDataset
from .khop_arrays import KHopArrays, compute_khop
from .node_dataset import NodeDataset
from .registry import DatasetSpec, check_options, dataset_spec
from .store import CACHE_FOLDER, read_entry, write_entry
from .transforms import apply_transforms, check_transforms

__all__ = ["CODE_VERSION", "load"]

# Raise it when a reader or transform changes what it returns: older
# processed caches are then left alone and built anew.
CODE_VERSION = 2

_FIELDS = ("node_counts", "edge_counts", "src", "dst", "label")
_SCALARS = (
    "task",
    "label_kind",
    "feat_kind",
    "num_classes",
    "in_size",
    "info",
)


def load(
    name: str,
    *,
    k: int | None = None,
    khop_route: str = "auto",
    transforms: Sequence[str | dict[str, Any]] = (),
    root: str | os.PathLike | None = None,
    **options: Any,
) -> NodeDataset | GraphDataset:
    """Load a data set by name.

    Processed arrays come from the cache where it has them; otherwise from
    raw files in the data directory, extracted or in their archive;
    otherwise from the official download.

    Parameters
    ----------
    name : str
        One of :func:`~dgl_signgt.data.dataset_names`.
    k : int, optional
        Give graphs whose edges carry the weights of Â^k. Default: raw
        graphs.
    khop_route : str, optional
        ``"weights"``, ``"products"`` or ``"auto"``: how Â^k is kept.
        Default: ``"auto"``.
    transforms : sequence, optional
        Transforms in their order: a name, or a mapping of one name to its
        settings. Default: none.
    root : path, optional
        Data directory. Default: ``DGL_DOWNLOAD_DIR``, else ``~/.dgl``.
    **options
        Settings of the data set: see ``dataset_spec(name).options``.

    Returns
    -------
    NodeDataset or GraphDataset

    Examples
    --------
    >>> from dgl_signgt.data import load
    >>> dataset = load("csbm", homophily=0.9, k=2, transforms=["standardize"])
    >>> dataset.num_classes
    2
    """
    spec = dataset_spec(name)
    values = check_options(spec, options)
    steps = check_transforms(transforms)
    folder = data_dir(root)
    flat, fingerprint, cache = _base(spec, values, folder)
    if steps:
        fingerprint = _digest(fingerprint, steps)
        plain = flat
        flat = _kept(
            cache and cache / fingerprint,
            lambda: apply_transforms(plain, steps),
        )
    khop = None
    if k is not None:
        key = f"{fingerprint}-k{k}-{khop_route}"
        khop = _khop(cache and cache / key, flat, k, khop_route)
    kind = NodeDataset if flat.task == "node" else GraphDataset
    return kind(name, flat, fingerprint, khop, str(folder))


def _base(
    spec: DatasetSpec, values: dict[str, Any], root: Path
) -> tuple[FlatGraphs, str, Path | None]:
    """The untransformed arrays, their fingerprint, and the cache's folder."""
    module, function = spec.reader.split(":")
    package = __name__.rpartition(".")[0]

    def read(*given: Any) -> FlatGraphs:
        reader = getattr(
            importlib.import_module(f"{package}.{module}"), function
        )
        return reader(*given, **spec.fixed, **values)

    cache = root / CACHE_FOLDER / spec.name
    settings = {"options": values, "code": CODE_VERSION}
    if spec.origin == "embedded":
        # Made from options and installed packages, so named by them.
        settings["packages"] = [_version(name) for name in spec.packages]
        fingerprint = _digest(spec.name, settings)
        return _kept(cache / fingerprint, read), fingerprint, cache
    if spec.origin == "raw":
        return _from_raw(spec, values, settings, root, cache, read)
    if spec.origin == "ogb":
        from .readers.ogb import ogb_files

        folder, raw = ogb_files(spec, root)
        fingerprint = f"{raw}-{_digest('', settings)}"
        entry = cache / fingerprint
        return _kept(entry, lambda: read(folder)), fingerprint, cache
    from .readers.csv import csv_files

    fingerprint = f"{csv_files(values['data_path'])}-{_digest('', settings)}"
    return _kept(cache / fingerprint, read), fingerprint, cache


def _from_raw(
    spec: DatasetSpec,
    values: dict[str, Any],
    settings: dict[str, Any],
    root: Path,
    cache: Path,
    read: Callable[..., FlatGraphs],
) -> tuple[FlatGraphs, str, Path]:
    if "dataset" in values:
        from .readers.tu import tu_spec

        spec = tu_spec(spec, values["dataset"])
    source = find_raw(spec, root)
    if source is None:
        # The raw files may be gone while the cache is there: the newest
        # entry of these settings is as good as they were.
        ending = _digest("", settings)
        entries = cache.glob(f"*-{ending}") if cache.is_dir() else ()
        for entry in sorted(
            entries, key=lambda e: e.stat().st_mtime, reverse=True
        ):
            flat = _read_flat(entry)
            if flat is not None:
                return flat, entry.name, cache
        source = obtain_raw(spec, root)
    raw = source.fingerprint(raw_members(spec, source))
    fingerprint = f"{raw}-{_digest('', settings)}"

    def build() -> FlatGraphs:
        flat = read(source)
        _check_counts(spec, flat, str(source.path))
        return flat

    return _kept(cache / fingerprint, build), fingerprint, cache


def _check_counts(spec: DatasetSpec, flat: FlatGraphs, where: str) -> None:
    """Whole raw files have known counts; others are cut short."""
    found = {
        "graphs": len(flat.node_counts),
        "nodes": flat.num_nodes,
        "edges": len(flat.src),
        "features": flat.in_size,
        "classes": flat.num_classes,
    }
    files = flat.info.get("files", {})
    for key, wanted in spec.expected.items():
        if found[key] != wanted:
            raise DataError(
                f"{where} ({files.get(key, 'raw files')}): {found[key]} "
                f"{key} where {spec.name} has {wanted}; the file is cut "
                f"short, changed or of another version"
            )


def _version(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return package


def _digest(start: str, value: Any) -> str:
    text = start + json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _kept(entry: Path | None, build: Callable[[], FlatGraphs]) -> FlatGraphs:
    """Read arrays from the cache, or build and cache them."""
    flat = None if entry is None else _read_flat(entry)
    if flat is not None:
        return flat
    flat = build()
    if entry is None:
        return flat
    arrays = {name: getattr(flat, name) for name in _FIELDS}
    for name in ("edge_feat", "splits"):
        if getattr(flat, name) is not None:
            arrays[name] = getattr(flat, name)
    meta = {name: getattr(flat, name) for name in _SCALARS}
    if sp.issparse(flat.feat):
        arrays["feat_data"] = flat.feat.data
        arrays["feat_indices"] = flat.feat.indices
        arrays["feat_indptr"] = flat.feat.indptr
        meta["feat_shape"] = list(flat.feat.shape)
    else:
        arrays["feat"] = flat.feat
    _write(entry, arrays, meta)
    return flat


def _read_flat(entry: Path) -> FlatGraphs | None:
    found = read_entry(entry)
    if found is None:
        return None
    arrays, meta = found
    shape = meta.pop("feat_shape", None)
    if shape is not None:
        parts = [arrays.pop(f"feat_{p}") for p in ("data", "indices", "indptr")]
        feat = sp.csr_matrix(tuple(parts), shape=tuple(shape), copy=False)
    else:
        feat = arrays.pop("feat")
    return FlatGraphs(**meta, **arrays, feat=feat)


def _khop(
    entry: Path | None, flat: FlatGraphs, k: int, route: str
) -> KHopArrays:
    found = None if entry is None else read_entry(entry)
    if found is not None:
        return KHopArrays(**found[1], **found[0])
    khop = compute_khop(flat, k, route)
    if entry is not None:
        names = ("edge_counts", "src", "dst", "weight")
        arrays = {name: getattr(khop, name) for name in names}
        _write(entry, arrays, {"k": khop.k, "times": khop.times})
    return khop


def _write(entry: Path, arrays: dict[str, np.ndarray], meta: dict) -> None:
    try:
        write_entry(entry, arrays, meta)
    except OSError as error:
        # Data in hand are not thrown away because a disk is full or
        # read-only; the next use reads the raw files again.
        warnings.warn(
            f"the processed cache {entry} cannot be written: {error}",
            stacklevel=2,
        )
