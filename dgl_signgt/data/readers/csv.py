"""One's own CSV files, read by ``dgl.data.CSVDataset``."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import dgl
import numpy as np
import torch
from dgl.data import CSVDataset

from ...errors import DataError
from ..flat import FlatGraphs
from ..source import open_source

__all__ = ["csv_files", "read_csv"]

_MASKS = ("train_mask", "val_mask", "test_mask")


class _UncachedCSV(CSVDataset):
    """DGL's own cache would outlive changes of the files; ours does not."""

    def has_cache(self) -> bool:
        return False

    def save(self) -> None:
        pass


def csv_files(data_path: str) -> str:
    """The fingerprint of a folder of CSV files.

    Parameters
    ----------
    data_path : str
        The folder.

    Returns
    -------
    str
    """
    folder = Path(data_path).expanduser()
    if not (folder / "meta.yaml").is_file():
        raise DataError(
            f"csv: {folder / 'meta.yaml'} is missing; dgl.data.CSVDataset "
            f"describes it"
        )
    source = open_source(folder)
    names = {n for end in ("csv", "yaml") for n in source.match(f"*.{end}")}
    return source.fingerprint(names)


def read_csv(data_path: str) -> FlatGraphs:
    """Read the folder.

    Parameters
    ----------
    data_path : str
        A folder with ``meta.yaml``. One graph is a node task with ``label``
        in its node data; several are a graph task with ``label`` in the
        graph data. Node features are ``feat``.

    Returns
    -------
    FlatGraphs
        Masks of train, validation and test become a public split.
    """
    folder = Path(data_path).expanduser()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            dataset = _UncachedCSV(str(folder))
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"csv: {folder} cannot be read: {reason}") from error
    graphs = [*dataset.graphs]
    if not graphs or not all(g.is_homogeneous for g in graphs):
        raise DataError(f"csv: {folder} must hold homogeneous graphs")
    graph = dgl.batch(graphs)
    node_task = len(graphs) == 1 and "label" in graph.ndata
    data = graph.ndata if node_task else dataset.data
    if "label" not in data or "feat" not in graph.ndata:
        raise DataError(
            f"csv: {folder} needs 'feat' of nodes and 'label' of "
            f"{'nodes or ' if len(graphs) == 1 else ''}graphs"
        )
    label, kind, classes = _labels(folder, torch.as_tensor(data["label"]))
    splits = None
    if all(mask in data for mask in _MASKS):
        splits = np.zeros((1, len(label)), dtype=np.int8)
        for part, mask in enumerate(_MASKS, start=1):
            splits[0, torch.as_tensor(data[mask]).bool().numpy()] = part
    feat = graph.ndata["feat"].float().numpy()
    feat = feat.reshape(len(feat), -1)
    node_counts = graph.batch_num_nodes().numpy()
    edge_counts = graph.batch_num_edges().numpy()
    start = np.repeat(np.cumsum(node_counts) - node_counts, edge_counts)
    src, dst = (ends.numpy() for ends in graph.edges())
    edge_feat = graph.edata.get("feat")
    return FlatGraphs(
        task="node" if node_task else "graph",
        label_kind=kind,
        feat_kind="dense",
        num_classes=classes,
        in_size=feat.shape[1],
        node_counts=node_counts,
        edge_counts=edge_counts,
        src=(src - start).astype(np.int32),
        dst=(dst - start).astype(np.int32),
        feat=feat,
        label=label,
        edge_feat=None if edge_feat is None else edge_feat.float().numpy(),
        splits=splits,
        info={"raw_edge_lines": len(src)},
    )


def _labels(folder: Path, label: torch.Tensor) -> tuple[np.ndarray, str, int]:
    """Whole numbers are classes, tables tasks, and other numbers targets."""
    if label.ndim > 1 and label.shape[1] > 1:
        return label.float().numpy(), "multilabel", label.shape[1]
    label = label.reshape(-1)
    if label.is_floating_point() and (label != label.round()).any():
        return label.float().numpy(), "regression", 1
    label = label.long()
    if not len(label) or label.max() < 0:
        raise DataError(f"csv: {folder} has no label from 0 up")
    return label.numpy(), "multiclass", int(label.max()) + 1
