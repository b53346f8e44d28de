"""TUDataset text files."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ...errors import DataError
from ..flat import FlatGraphs, offsets
from ..registry import DatasetSpec
from ..source import RawSource
from ..text import first_line, read_table

__all__ = ["read_tu", "read_tu_any", "tu_spec"]


def tu_spec(spec: DatasetSpec, dataset: str) -> DatasetSpec:
    """The registry's entry ``tu`` with the names of one set filled in.

    Parameters
    ----------
    spec : DatasetSpec
        The entry.
    dataset : str
        Official name of the set.

    Returns
    -------
    DatasetSpec
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", dataset):
        raise DataError(f"tu: {dataset!r} is not the name of a TUDataset")
    raw = replace(
        spec.raw,
        url=spec.raw.url.format(dataset),
        archive=spec.raw.archive.format(dataset),
        members=tuple(m.format(dataset) for m in spec.raw.members),
        optional=tuple(o.format(dataset) for o in spec.raw.optional),
    )
    return replace(spec, name=dataset, raw=raw)


def read_tu_any(
    source: RawSource, dataset: str, node_feat: str = "auto"
) -> FlatGraphs:
    """Read any TUDataset: :func:`read_tu` under a recipe's option name."""
    return read_tu(source, dataset, node_feat)


def read_tu(
    source: RawSource,
    prefix: str,
    node_feat: str = "auto",
    num_classes: int | None = None,
) -> FlatGraphs:
    """Read ``<prefix>_A.txt`` and its companions.

    Parameters
    ----------
    source : RawSource
        Where they lie.
    prefix : str
        Official name of the data set.
    node_feat : str, optional
        ``"onehot"`` or ``"categorical"`` node labels, ``"attributes"``,
        ``"degree"`` (categorical), ``"constant"`` (a single 1, to which
        transforms add), or ``"auto"``: attributes, else one-hot labels, else
        degrees. Default: ``"auto"``.
    num_classes : int, optional
        Number of classes, where it is known.

    Returns
    -------
    FlatGraphs
        Each edge once a direction, without self-loops; edge labels one-hot,
        or edge attributes, as edge features.
    """
    node_counts = _node_counts(source, f"{prefix}_graph_indicator.txt")
    graph_file = source.need(f"{prefix}_graph_labels.txt")
    labels = read_table(source, graph_file, 1)
    if len(labels) != len(node_counts):
        raise DataError(
            f"{source.where(graph_file)} has {len(labels)} labels for "
            f"{len(node_counts)} graphs"
        )
    classes, label, counts = np.unique(
        labels, return_inverse=True, return_counts=True
    )
    if num_classes is not None and len(classes) > num_classes:
        # Any whole numbers may be labels; the rarest is the odd one out.
        odd = classes[counts.argmin()]
        line = first_line(labels == odd)
        raise DataError(
            f"{source.where(graph_file)}, line {line}: label {odd} is out of "
            f"range; {prefix} has {num_classes} classes"
        )
    src, dst, order, lines, loops = _edges(
        source, f"{prefix}_A.txt", node_counts
    )
    start = offsets(node_counts)
    graph = np.searchsorted(start, src, side="right") - 1
    edge_counts = np.bincount(graph, minlength=len(node_counts))
    shift = start[graph].astype(np.int32)
    feat, feat_kind, in_size = _node_features(
        source, prefix, node_feat, int(start[-1]), dst
    )
    edge_feat = _edge_features(source, prefix, order, lines)
    return FlatGraphs(
        task="graph",
        label_kind="multiclass",
        feat_kind=feat_kind,
        num_classes=len(classes),
        in_size=in_size,
        node_counts=node_counts,
        edge_counts=edge_counts,
        src=(src - shift).astype(np.int32),
        dst=(dst - shift).astype(np.int32),
        feat=feat,
        label=label.astype(np.int64),
        edge_feat=edge_feat,
        info={
            "raw_edge_lines": lines,
            "self_loops": loops,
            "raw_labels": classes.tolist(),
            "files": {
                "graphs": f"{prefix}_graph_labels.txt",
                "classes": f"{prefix}_graph_labels.txt",
                "nodes": f"{prefix}_graph_indicator.txt",
                "edges": f"{prefix}_A.txt",
            },
        },
    )


def _node_counts(source: RawSource, file: str) -> np.ndarray:
    name = source.need(file)
    graph = read_table(source, name, 1)
    step = np.diff(graph, prepend=0)
    wrong = (step < 0) | (step > 1)
    wrong[0] |= graph[0] != 1
    if wrong.any():
        line = first_line(wrong)
        raise DataError(
            f"{source.where(name)}, line {line}: graph {graph[line - 1]} "
            f"is out of order; graphs are numbered 1, 2, ... without gaps"
        )
    return np.bincount(graph)[1:].astype(np.int64)


def _edges(
    source: RawSource, file: str, node_counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int]:
    """Ends of the distinct edges, their lines, all lines, and self-loops."""
    name = source.need(file)
    num_nodes = int(node_counts.sum())
    table = read_table(source, name, 2)
    src, dst = table[:, 0] - 1, table[:, 1] - 1
    wrong = (src < 0) | (dst < 0) | (src >= num_nodes) | (dst >= num_nodes)
    if wrong.any():
        line = first_line(wrong)
        raise DataError(
            f"{source.where(name)}, line {line}: edge "
            f"{table[line - 1, 0]},{table[line - 1, 1]} has an end that does "
            f"not exist; nodes are numbered 1 to {num_nodes}"
        )
    lines = len(table)
    # Half the memory for the tens of millions of edges that COLLAB has.
    src, dst = src.astype(np.int32), dst.astype(np.int32)
    del table, wrong
    graph = np.repeat(np.arange(len(node_counts), dtype=np.int32), node_counts)
    wrong = graph[src] != graph[dst]
    if wrong.any():
        line = first_line(wrong)
        raise DataError(
            f"{source.where(name)}, line {line}: edge "
            f"{src[line - 1] + 1},{dst[line - 1] + 1} joins two graphs"
        )
    keys = src.astype(np.int64) * num_nodes + dst
    order = np.arange(lines)
    if not (np.diff(keys) > 0).all():
        _, order = np.unique(keys, return_index=True)
    loops = src[order] == dst[order]
    order = order[~loops]
    return src[order], dst[order], order, lines, int(loops.sum())


def _node_features(
    source: RawSource,
    prefix: str,
    wanted: str,
    num_nodes: int,
    dst: np.ndarray,
) -> tuple[np.ndarray, str, int | list[int]]:
    labels = source.find(f"{prefix}_node_labels.txt")
    attributes = source.find(f"{prefix}_node_attributes.txt")
    if wanted == "auto":
        wanted = (
            "attributes" if attributes else "onehot" if labels else "degree"
        )
    if wanted == "attributes":
        name = attributes or source.need(f"{prefix}_node_attributes.txt")
        feat = read_table(source, name, None, dtype=np.float32)
        feat = _check_length(source, name, feat, num_nodes, "nodes")
        return feat, "dense", feat.shape[1]
    if wanted == "degree":
        # Exact in-degrees; an embedding row of each stands for its one-hot
        # column without storing nodes times degrees.
        degree = np.bincount(dst, minlength=num_nodes)
        return degree.astype(np.int32), "categorical", [int(degree.max()) + 1]
    if wanted == "constant":
        return np.ones((num_nodes, 1), np.float32), "dense", 1
    name = labels or source.need(f"{prefix}_node_labels.txt")
    raw = read_table(source, name, None)
    raw = _check_length(source, name, raw, num_nodes, "nodes")
    columns = [np.unique(c, return_inverse=True) for c in raw.T]
    sizes = [len(values) for values, _ in columns]
    if wanted == "categorical":
        feat = np.stack([code for _, code in columns], axis=1)
        feat = feat[:, 0] if len(sizes) == 1 else feat
        return feat.astype(np.int32), "categorical", sizes
    return _onehot(columns, num_nodes), "dense", sum(sizes)


def _edge_features(
    source: RawSource, prefix: str, order: np.ndarray, lines: int
) -> np.ndarray | None:
    labels = source.find(f"{prefix}_edge_labels.txt")
    attributes = source.find(f"{prefix}_edge_attributes.txt")
    if labels:
        raw = read_table(source, labels, None)
        raw = _check_length(source, labels, raw, lines, "edges")
        columns = [np.unique(c, return_inverse=True) for c in raw.T]
        feat = _onehot(columns, lines)
    elif attributes:
        feat = read_table(source, attributes, None, dtype=np.float32)
        feat = _check_length(source, attributes, feat, lines, "edges")
    else:
        return None
    return feat[order]


def _check_length(
    source: RawSource, name: str, table: np.ndarray, wanted: int, what: str
) -> np.ndarray:
    if len(table) != wanted:
        raise DataError(
            f"{source.where(name)} has {len(table)} lines for {wanted} {what}"
        )
    return table.reshape(wanted, -1)


def _onehot(
    columns: list[tuple[np.ndarray, np.ndarray]], rows: int
) -> np.ndarray:
    feat = np.zeros((rows, sum(len(v) for v, _ in columns)), np.float32)
    start = 0
    for values, code in columns:
        feat[np.arange(rows), start + code.reshape(-1)] = 1
        start += len(values)
    return feat
