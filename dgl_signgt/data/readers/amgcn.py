"""AM-GCN's text files: edges, dense 0/1 features, labels."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from ...errors import DataError
from ..flat import FlatGraphs, simple_edges
from ..source import RawSource
from ..text import check_classes, first_line, read_table

__all__ = ["read_amgcn"]

_BLOCK = 1 << 24


def read_amgcn(
    source: RawSource,
    stem: str,
    edge_files: tuple[str, ...],
    num_classes: int | None = None,
) -> FlatGraphs:
    """Read ``<stem>.feature``, ``<stem>.label`` and the edges.

    Parameters
    ----------
    source : RawSource
        Where they lie.
    stem : str
        What the names start with.
    edge_files : tuple of str
        Names that the file of edges may have.
    num_classes : int, optional
        Number of classes, where it is known.

    Returns
    -------
    FlatGraphs
        Undirected; features sparse.
    """
    label_file = source.need(f"{stem}.label")
    label = read_table(source, label_file, 1)
    check_classes(source, label_file, label, num_classes)
    num_nodes = len(label)
    edge_file = source.need("|".join(edge_files))
    edges = read_table(source, edge_file, 2, sep=" ")
    wrong = ((edges < 0) | (edges >= num_nodes)).any(axis=1)
    if wrong.any():
        line = first_line(wrong)
        raise DataError(
            f"{source.where(edge_file)}, line {line}: edge "
            f"{edges[line - 1, 0]} {edges[line - 1, 1]} has an end that does "
            f"not exist; nodes are numbered 0 to {num_nodes - 1}"
        )
    feature_file = source.need(f"{stem}.feature")
    feat = _digits(source, feature_file)
    if feat is None:
        feat = _floats(source, feature_file)
    if feat.shape[0] != num_nodes:
        raise DataError(
            f"{source.where(feature_file)} has {feat.shape[0]} lines for "
            f"{num_nodes} nodes"
        )
    src, dst = simple_edges(edges[:, 0], edges[:, 1], num_nodes)
    loops = edges[edges[:, 0] == edges[:, 1], 0]
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
        info={
            "raw_edge_lines": len(edges),
            "self_loops": len(np.unique(loops)),
            "files": {
                "nodes": label_file,
                "edges": edge_file,
                "features": feature_file,
                "classes": label_file,
            },
        },
    )


def _digits(source: RawSource, name: str) -> sp.csr_matrix | None:
    """Features of one digit each; None if a line is of another form.

    All four files are of this form. A block of lines is then a matrix of
    bytes, and 180 MB take a second instead of minutes.
    """
    with source.open(name) as handle:
        first = handle.readline()
        width = len(first)
        if not width or width % 2:
            return None
        take = max(1, _BLOCK // width) * width
        pieces = []
        block = first + handle.read(take - width)
        while block:
            if len(block) % width:
                return None
            # A read may end early; a whole number of lines is all we need.
            table = np.frombuffer(block, np.uint8).reshape(-1, width)
            value = table[:, ::2] - ord("0")
            blank = table[:, 1:-1:2]
            if (
                (value > 9).any()
                or ((blank != 32) & (blank != 9)).any()
                or (table[:, -1] != 10).any()
            ):
                return None
            pieces.append(sp.csr_matrix(value.astype(np.float32)))
            block = handle.read(take)
    return sp.vstack(pieces, format="csr")


def _floats(source: RawSource, name: str) -> sp.csr_matrix:
    """Features of any numbers, and the line of whatever is not one."""
    pieces = []
    width = None
    with source.open(name) as handle, warnings.catch_warnings():
        warnings.simplefilter("error")
        for line_number, line in enumerate(handle, start=1):
            where = f"{source.where(name)}, line {line_number}"
            if not line.strip():
                raise DataError(f"{where} is empty")
            try:
                row = np.fromstring(line.decode("ascii"), sep=" ")
            except (DeprecationWarning, UnicodeDecodeError):
                row = np.array([np.nan])
            if not np.isfinite(row).all():
                raise DataError(f"{where}: features must be numbers")
            width = len(row) if width is None else width
            if len(row) != width:
                raise DataError(
                    f"{where}: {len(row)} features, but {width} in line 1"
                )
            pieces.append(sp.csr_matrix(row.astype(np.float32)))
    if not pieces:
        raise DataError(f"{source.where(name)} is empty")
    return sp.vstack(pieces, format="csr")
