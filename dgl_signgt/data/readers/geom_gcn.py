"""geom-gcn's text files, with their ten public splits."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from ...errors import DataError
from ..flat import FlatGraphs, simple_edges
from ..source import RawSource
from ..text import check_classes, first_line, read_npz, read_table

__all__ = ["read_geom_gcn"]


def read_geom_gcn(
    source: RawSource,
    split: str,
    index_features: bool = False,
    num_classes: int | None = None,
) -> FlatGraphs:
    """Read ``out1_graph_edges.txt`` and ``out1_node_feature_label.txt``.

    Parameters
    ----------
    source : RawSource
        Where they lie.
    split : str
        What the names of the split files start with.
    index_features : bool, optional
        Whether a node's features are the list of its non-zero columns (as
        for actor) instead of all columns. Default: False.
    num_classes : int, optional
        Number of classes, where it is known.

    Returns
    -------
    FlatGraphs
        Undirected; rows are placed by their node number.
    """
    node_file = source.need("out1_node_feature_label.txt")
    feat, label = _nodes(source, node_file, index_features, num_classes)
    num_nodes = len(label)
    edge_file = source.need("out1_graph_edges.txt")
    edges = read_table(source, edge_file, 2, sep=" ", header=1)
    wrong = ((edges < 0) | (edges >= num_nodes)).any(axis=1)
    if wrong.any():
        line = first_line(wrong, header=1)
        raise DataError(
            f"{source.where(edge_file)}, line {line}: edge "
            f"{edges[line - 2, 0]}-{edges[line - 2, 1]} has an end that does "
            f"not exist; nodes are numbered 0 to {num_nodes - 1}"
        )
    src, dst = simple_edges(edges[:, 0], edges[:, 1], num_nodes)
    loops = edges[edges[:, 0] == edges[:, 1], 0]
    alike = label[edges[:, 0]] == label[edges[:, 1]]
    return FlatGraphs(
        task="node",
        label_kind="multiclass",
        feat_kind="sparse",
        num_classes=int(label.max()) + 1,
        in_size=feat.shape[1],
        node_counts=np.array([num_nodes]),
        edge_counts=np.array([len(src)]),
        src=src,
        dst=dst,
        feat=feat,
        label=label,
        splits=_splits(source, split, num_nodes),
        info={
            "raw_edge_lines": len(edges),
            "self_loops": len(np.unique(loops)),
            "raw_homophily": float(alike.mean()),
            "files": {
                "nodes": node_file,
                "edges": edge_file,
                "features": node_file,
                "classes": node_file,
            },
        },
    )


def _nodes(
    source: RawSource,
    name: str,
    index_features: bool,
    num_classes: int | None,
) -> tuple[sp.csr_matrix, np.ndarray]:
    lines = source.read(name).splitlines()[1:]
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise DataError(f"{source.where(name)} has no nodes")
    count = len(lines)
    label = np.full(count, -1, dtype=np.int64)
    rows: list[np.ndarray] = [np.empty(0)] * count
    values: list[np.ndarray] = [np.empty(0)] * count
    width = None
    for number, line in enumerate(lines, start=2):
        where = f"{source.where(name)}, line {number}"
        try:
            node, numbers, klass = line.split(b"\t")
            node, klass = int(node), int(klass)
            row = _numbers(numbers)
        except ValueError:
            raise DataError(
                f"{where}: expected a node, its features and its label, "
                f"separated by tabs"
            ) from None
        if not 0 <= node < count or label[node] >= 0:
            raise DataError(
                f"{where}: node {node} is there twice or not from 0 to "
                f"{count - 1}"
            )
        check_classes(
            source, name, np.array([klass]), num_classes, np.array([number])
        )
        label[node] = klass
        if index_features:
            if row.min() < 0 or (row != row.round()).any():
                raise DataError(
                    f"{where}: features must be column numbers from 0 up"
                )
            rows[node] = np.unique(row.astype(np.int64))
            values[node] = np.ones(len(rows[node]), dtype=np.float32)
            continue
        width = len(row) if width is None else width
        if len(row) != width:
            raise DataError(
                f"{where}: {len(row)} features, but {width} in line 2"
            )
        rows[node] = np.flatnonzero(row)
        values[node] = row[rows[node]].astype(np.float32)
    if width is None:
        width = int(max(row.max() for row in rows)) + 1
    indptr = np.cumsum([0] + [len(row) for row in rows])
    feat = sp.csr_matrix(
        (np.concatenate(values), np.concatenate(rows), indptr),
        shape=(count, width),
    )
    return feat, label


def _numbers(text: bytes) -> np.ndarray:
    with warnings.catch_warnings():
        # numpy warns, instead of failing, where a number ends early.
        warnings.simplefilter("error")
        try:
            row = np.fromstring(text.decode("ascii"), sep=",")
        except DeprecationWarning as error:
            raise ValueError(str(error)) from None
    if not len(row) or not np.isfinite(row).all():
        raise ValueError("no numbers")
    return row


def _splits(source: RawSource, start: str, num_nodes: int) -> np.ndarray | None:
    names = source.match(f"{start}_split_0.6_0.2_*.npz")
    table = np.zeros((len(names), num_nodes), dtype=np.int8)
    masks = ("train_mask", "val_mask", "test_mask")
    for row, name in zip(table, names):
        arrays = read_npz(source, name, masks)
        for part, key in enumerate(masks, start=1):
            mask = arrays[key].astype(bool)
            if mask.shape != (num_nodes,) or row[mask].any():
                raise DataError(
                    f"{source.where(name)}: {key} overlaps another or is not "
                    f"of {num_nodes} nodes"
                )
            row[mask] = part
    return table if names else None
