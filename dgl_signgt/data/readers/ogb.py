"""Open Graph Benchmark sets, read by the ``ogb`` package."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dgl
import numpy as np
import torch

from ...errors import DataError
from ..fetch import find_raw, obtain_raw, temporary
from ..flat import FlatGraphs
from ..registry import DatasetSpec, dataset_spec
from ..source import RawSource, open_source

__all__ = ["ogb_files", "ogb_torch_load", "read_ogb"]

# Tells that OGB's own cache was written to its end; OGB writes it in place.
_WHOLE = "signgt-whole"


@contextlib.contextmanager
def ogb_torch_load() -> Iterator[None]:
    """Let ``torch.load`` read the arrays that OGB saves.

    From torch 2.6 on, ``torch.load`` accepts tensors only, and OGB's cached
    files hold numpy arrays, so its second load fails. Inside this context
    numpy's arrays are accepted, too, and still no other code is run.

    Examples
    --------
    >>> with ogb_torch_load():
    ...     split = dataset.get_idx_split()
    """
    safe = getattr(torch.serialization, "safe_globals", None)
    if safe is None:
        # Older versions neither refuse these files nor know the context.
        yield
        return
    rebuild = np.zeros(0).__reduce__()[0]
    scalar = np.int64(0).__reduce__()[0]
    kinds = [type(np.dtype(code)) for code in "?bhilqBHILQefd"]
    with safe([rebuild, scalar, np.ndarray, np.dtype, *kinds]):
        yield


def ogb_files(spec: DatasetSpec, root: Path) -> tuple[Path, str]:
    """OGB's folder of a set, extracted or downloaded if need be.

    Parameters
    ----------
    spec : DatasetSpec
        The set.
    root : Path
        The data directory.

    Returns
    -------
    tuple of Path and str
        The folder, and the fingerprint of its raw files and splits.
    """
    folder = root / spec.name.replace("-", "_")
    source = find_raw(spec, root)
    if source is None or not source.path.is_dir():
        source = source or obtain_raw(spec, root)
        _extract(source, folder)
    else:
        folder = source.path
    source = open_source(folder)
    kept = [
        name
        for name in source.match("*")
        if name.split("/")[0] in ("raw", "split", "mapping")
    ]
    return folder, source.fingerprint(kept)


def read_ogb(folder: Path, name: str) -> FlatGraphs:
    """Read a set from its folder.

    Parameters
    ----------
    folder : Path
        What :func:`ogb_files` returned.
    name : str
        OGB's name of the set.

    Returns
    -------
    FlatGraphs
        With OGB's own split; atom and bond codes stay categorical.
    """
    spec = dataset_spec(name)
    dataset, split = _through_ogb(spec, folder)
    if spec.task == "node":
        graph, label = dataset[0]
        label = label.reshape(-1).numpy()
        kind, classes = "multiclass", int(dataset.num_classes)
    else:
        graph = dgl.batch(dataset.graphs)
        label = dataset.labels.numpy().astype(np.float32)
        kind, classes = "multilabel", int(dataset.num_tasks)
    node_counts = graph.batch_num_nodes().numpy()
    edge_counts = graph.batch_num_edges().numpy()
    start = np.repeat(np.cumsum(node_counts) - node_counts, edge_counts)
    src, dst = (ends.numpy() for ends in graph.edges())
    feat = graph.ndata["feat"].numpy()
    feat_kind: str = "dense"
    in_size: Any = feat.shape[1]
    if not np.issubdtype(feat.dtype, np.floating):
        from ogb.utils.features import get_atom_feature_dims

        feat_kind, in_size = "categorical", get_atom_feature_dims()
        if feat.shape[1] != len(in_size) or (feat >= in_size).any():
            raise DataError(
                f"{folder}: atom features are not those of the installed ogb"
            )
        feat = feat.astype(np.int32)
    edge_feat = None
    if "feat" in graph.edata:
        edge_feat = graph.edata["feat"].numpy()
    table = np.zeros((1, len(label)), dtype=np.int8)
    for part, key in enumerate(("train", "valid", "test"), start=1):
        table[0, np.asarray(split[key])] = part
    return FlatGraphs(
        task=spec.task,
        label_kind=kind,
        feat_kind=feat_kind,
        num_classes=classes,
        in_size=in_size,
        node_counts=node_counts,
        edge_counts=edge_counts,
        src=(src - start).astype(np.int32),
        dst=(dst - start).astype(np.int32),
        feat=feat,
        label=label,
        edge_feat=edge_feat,
        splits=table,
        info={"raw_edge_lines": len(src)},
    )


def _through_ogb(spec: DatasetSpec, folder: Path) -> tuple[Any, dict]:
    if spec.task == "node":
        from ogb.nodeproppred import DglNodePropPredDataset as Loader
    else:
        from ogb.graphproppred import DglGraphPropPredDataset as Loader
    cache = folder / "processed" / "dgl_data_processed"
    mark = folder / "processed" / _WHOLE
    if cache.exists() and not mark.exists():
        cache.unlink()
    if not (folder / f"RELEASE_v{_version(spec)}.txt").exists():
        # OGB would ask on the terminal whether to download anew.
        raise DataError(
            f"{folder} is not the version {_version(spec)} of {spec.name} "
            f"that the installed ogb reads; remove it to fetch that one"
        )
    quiet = io.StringIO()
    try:
        with ogb_torch_load(), contextlib.redirect_stdout(quiet):
            dataset = Loader(name=spec.name, root=str(folder.parent))
            split = dataset.get_idx_split()
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{folder} cannot be read by ogb: {reason}") from error
    mark.touch()
    return dataset, split


def _version(spec: DatasetSpec) -> str:
    import pandas as pd

    package = "nodeproppred" if spec.task == "node" else "graphproppred"
    module = __import__(f"ogb.{package}", fromlist=["__file__"])
    master = Path(module.__file__).with_name("master.csv")
    table = pd.read_csv(master, index_col=0, keep_default_na=False)
    return str(table[spec.name]["version"])


def _extract(source: RawSource, folder: Path) -> None:
    """Extract an archive beside its place, then rename it as a whole."""
    stage = temporary(folder)
    try:
        shutil.rmtree(stage, ignore_errors=True)
        # Opening the source has refused members that leave the folder.
        try:
            shutil.unpack_archive(source.path, stage)
        except (OSError, EOFError, zipfile.BadZipFile) as error:
            raise DataError(
                f"{source.path} is damaged or cut short: {error}"
            ) from error
        inner = [p for p in stage.rglob("raw") if p.is_dir()]
        if not inner:
            raise DataError(f"{source.path} has no folder 'raw'")
        if folder.exists():
            raise DataError(
                f"{folder} lacks raw files; remove it to extract "
                f"{source.path} anew"
            )
        os.rename(inner[0].parent, folder)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
