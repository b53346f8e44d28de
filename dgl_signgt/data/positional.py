"""Positional encodings, for any size of graph.

``dgl.lap_pe`` and ``dgl.random_walk_pe`` define two of them. They build dense
matrices of all pairs of nodes, may return complex numbers, and flip signs at
random; here sparse graphs stay sparse and the result is a function of the
graph. As for SignGT's Â, an edge counts in both directions and once; self-loops
are those of the data.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from .flat import FlatGraphs

__all__ = [
    "adjacency_encoding",
    "laplacian_encoding",
    "random_walk_encoding",
    "simple_adjacency",
]

# Up to this many nodes a dense solver is the faster one.
_DENSE = 1000
# Rows of a power of the walk that are held at once.
_ROWS = 1024


def adjacency_encoding(flat: FlatGraphs, scale: int) -> sp.csr_matrix:
    """Each node's row of the adjacency matrix.

    Parameters
    ----------
    flat : FlatGraphs
        One graph.
    scale : int
        Length of a row: how much it counts beside the features.

    Returns
    -------
    scipy.sparse.csr_matrix
        Of shape (nodes, nodes); nodes with the same neighbours have the
        same row, and a node without any has zeros.
    """
    adjacency = simple_adjacency(*flat.global_edges(), flat.num_nodes)
    degree = np.diff(adjacency.indptr).clip(1)
    return (sp.diags(scale * degree**-0.5) @ adjacency).tocsr()


def laplacian_encoding(flat: FlatGraphs, size: int) -> np.ndarray:
    """Eigenvectors of the normalised Laplacian with the lowest non-trivial
    eigenvalues.

    Parameters
    ----------
    flat : FlatGraphs
        The graphs.
    size : int
        Eigenvectors; graphs with too few nodes are filled with zeros.

    Returns
    -------
    numpy.ndarray
        Of shape (nodes, size). The entry of largest size of each vector is
        positive.
    """
    out = np.zeros((flat.num_nodes, size))
    for nodes, src, dst in flat.each():
        count = nodes.stop - nodes.start
        adjacency = simple_adjacency(src, dst, count)
        degree = np.diff(adjacency.indptr).clip(1)
        scale = sp.diags(degree**-0.5)
        normalised = scale @ adjacency @ scale
        take = min(size, int(count) - 1)
        if take > 0:
            out[nodes, :take] = _lowest(normalised, take)
    return out


def simple_adjacency(
    src: np.ndarray, dst: np.ndarray, count: int
) -> sp.csr_matrix:
    """Zeros and ones: every edge in both directions, parallel ones once.

    Parameters
    ----------
    src, dst : numpy.ndarray
        Ends of the edges.
    count : int
        Nodes.

    Returns
    -------
    scipy.sparse.csr_matrix
        Of shape (count, count).
    """
    directed = sp.csr_matrix(
        (np.ones(len(src)), (src, dst)), shape=(count, count)
    )
    adjacency = directed.maximum(directed.T).tocsr()
    adjacency.data[:] = 1
    return adjacency


def _lowest(normalised: sp.spmatrix, take: int) -> np.ndarray:
    """Lowest of I - A are highest of A, without the very first."""
    count = normalised.shape[0]
    if count <= max(_DENSE, 3 * take):
        _, vectors = np.linalg.eigh(normalised.toarray())
    else:
        start = np.random.default_rng(0).standard_normal(count)
        values, vectors = eigsh(normalised, k=take + 1, which="LA", v0=start)
        vectors = vectors[:, np.argsort(values)]
    vectors = vectors[:, ::-1][:, 1 : take + 1]
    peak = np.abs(vectors).argmax(axis=0)
    return vectors * np.sign(vectors[peak, np.arange(take)])


def random_walk_encoding(flat: FlatGraphs, size: int) -> np.ndarray:
    """Chance to be back at a node after 1 to ``size`` steps of a walk.

    Parameters
    ----------
    flat : FlatGraphs
        The graphs.
    size : int
        Longest walk.

    Returns
    -------
    numpy.ndarray
        Of shape (nodes, size).
    """
    src, dst = flat.global_edges()
    count = flat.num_nodes
    adjacency = simple_adjacency(src, dst, count)
    degree = np.diff(adjacency.indptr).clip(1)
    walk = (sp.diags(1.0 / degree) @ adjacency).tocsr()
    out = np.zeros((count, size))
    for start in range(0, count, _ROWS):
        rows = np.arange(start, min(start + _ROWS, count))
        power = walk[rows]
        for step in range(size):
            if step:
                power = power @ walk
            out[rows, step] = np.asarray(
                power[np.arange(len(rows)), rows]
            ).ravel()
    return out
