"""What lies around a node: its degree, its neighbours, its edges, its role.

The weights of Â are averages, in which a count is lost: three carbon atoms
beside a node look like one. A model that should tell them apart can be given
the counts as features.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .flat import FlatGraphs
from .positional import simple_adjacency

__all__ = ["degree_encoding", "edge_sums", "neighbor_sums", "wl_encoding"]

# Odd constants of splitmix64, a mixer of 64 bits.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def degree_encoding(flat: FlatGraphs, size: int) -> np.ndarray:
    """Each node's number of neighbours as one of ``size`` + 1 columns.

    Parameters
    ----------
    flat : FlatGraphs
        The graphs.
    size : int
        The column for this degree and all above it.

    Returns
    -------
    numpy.ndarray
        Of shape (nodes, size + 1), a single one in each row.
    """
    adjacency = simple_adjacency(*flat.global_edges(), flat.num_nodes)
    degree = np.diff(adjacency.indptr).clip(max=size)
    return np.eye(size + 1)[degree]


def neighbor_sums(flat: FlatGraphs, hops: int) -> np.ndarray | sp.csr_matrix:
    r"""Sums of the features at the ends of all walks of 1 to ``hops`` steps,
    on a logarithmic scale, since the number of walks grows with every step.

    Parameters
    ----------
    flat : FlatGraphs
        The graphs.
    hops : int
        Longest walk.

    Returns
    -------
    numpy.ndarray or scipy.sparse.csr_matrix
        :math:`[l(A X), l(A^2 X), …]` with
        :math:`l(x) = \mathrm{sgn}(x) \log(1 + |x|)`, sparse if the features
        are.
    """
    adjacency = simple_adjacency(*flat.global_edges(), flat.num_nodes)
    sums = [flat.feat]
    for _ in range(hops):
        sums.append(adjacency @ sums[-1])
    if sp.issparse(flat.feat):
        return _log(sp.hstack(sums[1:], format="csr"))
    return _log(np.concatenate(sums[1:], axis=1))


def _log(sums: np.ndarray | sp.csr_matrix) -> np.ndarray | sp.csr_matrix:
    if sp.issparse(sums):
        sums.data = _log(sums.data)
        return sums
    return np.sign(sums) * np.log1p(np.abs(sums))


def edge_sums(flat: FlatGraphs) -> np.ndarray:
    """Sums of the features of the edges that enter each node.

    Parameters
    ----------
    flat : FlatGraphs
        Graphs whose edges have features.

    Returns
    -------
    numpy.ndarray
        Of shape (nodes, features of an edge).
    """
    _, dst = flat.global_edges()
    enters = sp.csr_matrix(
        (np.ones(len(dst)), (dst, np.arange(len(dst)))),
        shape=(flat.num_nodes, len(dst)),
    )
    return enters @ flat.edge_feat


def wl_encoding(flat: FlatGraphs, size: int, hops: int) -> sp.csr_matrix:
    """Each node's colours in the Weisfeiler-Lehman test.

    Two nodes have the same colour after ``h`` rounds if nothing within ``h``
    hops tells them apart, as far as that test sees. Colours are hashed, so
    that they are the same in every data set: a colour is one of ``size``
    columns, which it may share with others.

    Parameters
    ----------
    flat : FlatGraphs
        The graphs; nodes with equal features start with equal colours.
    size : int
        Columns for each round.
    hops : int
        Rounds.

    Returns
    -------
    scipy.sparse.csr_matrix
        Of shape (nodes, size times hops), a single one in each block.
    """
    count = flat.num_nodes
    adjacency = simple_adjacency(*flat.global_edges(), count)
    colour = _hash_rows(sp.csr_matrix(flat.feat, dtype=np.float32))
    columns = []
    for hop in range(hops):
        around = _sum_rows(_mix(colour)[adjacency.indices], adjacency.indptr)
        colour = _mix(_mix(colour) * _STEP + around)
        column = (colour >> np.uint64(32)) % np.uint64(size)
        columns.append(column.astype(np.int64) + hop * size)
    return sp.csr_matrix(
        (
            np.ones(count * hops, np.float32),
            np.stack(columns, axis=1).ravel(),
            np.arange(count + 1) * hops,
        ),
        shape=(count, size * hops),
    )


def _hash_rows(rows: sp.csr_matrix) -> np.ndarray:
    rows.eliminate_zeros()
    column = _mix(rows.indices.astype(np.uint64))
    value = _mix(rows.data.view(np.uint32).astype(np.uint64))
    return _sum_rows(_mix(column ^ (value * _STEP)), rows.indptr)


def _sum_rows(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Sums modulo 2**64, in which the order of a row is lost."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values)])
    return total[start[1:]] - total[start[:-1]]


def _mix(value: np.ndarray) -> np.ndarray:
    value = value + _STEP
    value = (value ^ (value >> np.uint64(30))) * _FIRST
    value = (value ^ (value >> np.uint64(27))) * _SECOND
    return value ^ (value >> np.uint64(31))
