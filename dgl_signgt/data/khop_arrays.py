"""The weights of a whole data set's Â^k as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from .flat import FlatGraphs, graph_of_node, offsets

__all__ = ["KHopArrays", "compute_khop"]


@dataclass
class KHopArrays:
    """Non-zeros of W for all graphs, where Â^k is W applied ``times`` times.

    Parameters
    ----------
    k, times : int
        The power, and how often W is applied to reach it.
    edge_counts : numpy.ndarray
        Non-zeros of each graph.
    src, dst : numpy.ndarray
        Column and row of each, counted from 0 in each graph.
    weight : numpy.ndarray
        Their values, float32.
    """

    k: int
    times: int
    edge_counts: np.ndarray
    src: np.ndarray
    dst: np.ndarray
    weight: np.ndarray


def compute_khop(flat: FlatGraphs, k: int, route: str = "auto") -> KHopArrays:
    """Compute Â^k of all graphs at once.

    Parameters
    ----------
    flat : FlatGraphs
        The graphs.
    k : int
        The power.
    route : str, optional
        ``"weights"``, ``"products"`` or ``"auto"``, one choice for the whole
        data set, so that its graphs can be batched. Default: ``"auto"``.

    Returns
    -------
    KHopArrays
    """
    # Imported here: reading data must not wait for the k-hop algebra.
    from ..ops.propagation import khop_weights

    src, dst = flat.global_edges()
    row, col, weight, times = khop_weights(
        torch.from_numpy(src), torch.from_numpy(dst), flat.num_nodes, k, route
    )
    graph = graph_of_node(flat.node_counts)[row.numpy()]
    start = offsets(flat.node_counts)[graph]
    return KHopArrays(
        k=k,
        times=int(times),
        edge_counts=np.bincount(graph, minlength=len(flat.node_counts)),
        src=(col.numpy() - start).astype(np.int32),
        dst=(row.numpy() - start).astype(np.int32),
        weight=weight.numpy().astype(np.float32),
    )
