"""The graph that the baselines pass messages on."""

from __future__ import annotations

import weakref

import dgl
from dgl import DGLGraph

from dgl_signgt.khop import is_khop_graph

__all__ = ["simple_graph"]

# As for the k-hop weights: computed once for a graph, for as long as it lives.
_GRAPHS: weakref.WeakKeyDictionary[DGLGraph, dict] = weakref.WeakKeyDictionary()


def simple_graph(g: DGLGraph, self_loops: bool) -> DGLGraph:
    r"""The edges of ``g`` as SignGT's :math:`\hat{A}` has them.

    Every edge is taken in both directions, parallel edges count once, and
    every node has one self-loop or none has.

    Parameters
    ----------
    g : DGLGraph
        A raw homogeneous graph, batched or not.
    self_loops : bool
        Whether the nodes have self-loops.

    Returns
    -------
    DGLGraph
        A graph of the same nodes, without data and without the boundaries
        of a batch.

    Examples
    --------
    >>> import dgl
    >>> g = dgl.graph(([0, 0, 1], [1, 1, 1]), num_nodes=3)
    >>> simple_graph(g, self_loops=False).edges()
    (tensor([0, 1]), tensor([1, 0]))
    >>> simple_graph(g, self_loops=True).num_edges()
    5
    """
    if is_khop_graph(g):
        raise ValueError(
            "The graph carries k-hop weights; a baseline takes the raw graph."
        )
    known = _GRAPHS.setdefault(g, {})
    # DGL puts a new index in place when nodes or edges change.
    index, simple = known.get(self_loops, (None, None))
    if index is not g._graph:
        simple = dgl.remove_self_loop(dgl.to_bidirected(g))
        if self_loops:
            simple = dgl.add_self_loop(simple)
        known[self_loops] = (g._graph, simple)
    return simple
