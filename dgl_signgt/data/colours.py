"""Colours of nodes: what the Weisfeiler-Lehman test sees around each."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .flat import FlatGraphs
from .positional import simple_adjacency

__all__ = ["wl_encoding"]

# Odd constants of splitmix64, a mixer of 64 bits.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


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
    rows = rows.copy()
    rows.sum_duplicates()
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
