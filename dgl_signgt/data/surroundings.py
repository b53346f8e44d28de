"""What lies around a node: its degree, its neighbours, its edges.

The weights of Â are averages, in which a count is lost: three carbon atoms
beside a node look like one. A model that should tell them apart can be given
the counts as features.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .flat import FlatGraphs
from .positional import simple_adjacency

__all__ = ["degree_encoding", "edge_sums", "neighbor_sums"]


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
