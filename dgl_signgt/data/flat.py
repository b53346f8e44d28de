"""One or many graphs as flat arrays: what readers give and the cache keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["FlatGraphs", "graph_of_node", "offsets", "simple_edges"]


@dataclass
class FlatGraphs:
    """Graphs, features and labels without one Python object per graph.

    Parameters
    ----------
    task : str
        ``"node"`` (one graph, a label per node) or ``"graph"``.
    label_kind : str
        ``"multiclass"``, ``"multilabel"`` or ``"regression"``.
    feat_kind : str
        ``"dense"``, ``"sparse"`` or ``"categorical"``.
    num_classes : int
        The size of a model's output.
    in_size : int or list of int
        Feature columns, or the number of values of each categorical column.
    node_counts, edge_counts : numpy.ndarray
        Nodes and directed edges of each graph.
    src, dst : numpy.ndarray
        Ends of all edges, graph after graph, counted from 0 in each graph.
    feat : numpy.ndarray or scipy.sparse.csr_matrix
        Features of all nodes.
    label : numpy.ndarray
        Labels of all nodes or of all graphs.
    edge_feat : numpy.ndarray, optional
        Features of all edges.
    splits : numpy.ndarray, optional
        Public splits, one a row: 0 in none, 1 train, 2 validation, 3 test.
    info : dict
        Facts about the raw files worth telling, all JSON values.
    """

    task: str
    label_kind: str
    feat_kind: str
    num_classes: int
    in_size: int | list[int]
    node_counts: np.ndarray
    edge_counts: np.ndarray
    src: np.ndarray
    dst: np.ndarray
    feat: np.ndarray | sp.csr_matrix
    label: np.ndarray
    edge_feat: np.ndarray | None = None
    splits: np.ndarray | None = None
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together."""
        return int(self.node_counts.sum())

    def global_edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of all edges with nodes counted through all graphs.

        Returns
        -------
        tuple of numpy.ndarray
            Sources and destinations, int64.
        """
        shift = np.repeat(offsets(self.node_counts)[:-1], self.edge_counts)
        return self.src + shift, self.dst + shift

    def each(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """One graph after the other.

        Yields
        ------
        tuple of slice and two numpy.ndarray
            Its rows among the nodes, and the ends of its edges, with nodes
            counted from its first.
        """
        node_start = offsets(self.node_counts)
        edge_start = offsets(self.edge_counts)
        for graph in range(len(self.node_counts)):
            edges = slice(edge_start[graph], edge_start[graph + 1])
            nodes = slice(node_start[graph], node_start[graph + 1])
            yield nodes, self.src[edges], self.dst[edges]


def offsets(counts: np.ndarray) -> np.ndarray:
    """Where each of several consecutive runs starts, and the total.

    Examples
    --------
    >>> offsets(np.array([2, 3]))
    array([0, 2, 5])
    """
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def graph_of_node(node_counts: np.ndarray) -> np.ndarray:
    """The number of the graph to which each node belongs."""
    return np.repeat(np.arange(len(node_counts), dtype=np.int64), node_counts)


def simple_edges(
    src: np.ndarray,
    dst: np.ndarray,
    num_nodes: int,
    undirected: bool = True,
    keep_loops: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Each pair once, sorted by source, both ways where undirected.

    Parameters
    ----------
    src, dst : numpy.ndarray
        Ends of the edges as they stand in a file.
    num_nodes : int
        Number of nodes.
    undirected : bool, optional
        Add the reverse of each edge. Default: True.
    keep_loops : bool, optional
        Keep self-loops. Default: False.

    Returns
    -------
    tuple of numpy.ndarray
        Sources and destinations, int32 where they fit.

    Examples
    --------
    >>> simple_edges(np.array([0, 0, 2]), np.array([1, 1, 2]), 3)
    (array([0, 1], dtype=int32), array([1, 0], dtype=int32))
    """
    src = np.asarray(src, dtype=np.int64)
    dst = np.asarray(dst, dtype=np.int64)
    if not keep_loops:
        real = src != dst
        src, dst = src[real], dst[real]
    if undirected:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    keys = np.unique(src * num_nodes + dst)
    kind = np.int32 if num_nodes < 2**31 else np.int64
    return (
        (keys // max(num_nodes, 1)).astype(kind),
        (keys % max(num_nodes, 1)).astype(kind),
    )
