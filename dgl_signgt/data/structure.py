"""Transforms of structure: which edges and nodes there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from .flat import FlatGraphs, graph_of_node, offsets

__all__ = ["largest_component", "self_loops", "undirected"]


def undirected(flat: FlatGraphs) -> FlatGraphs:
    """Every edge both ways."""
    src, dst = flat.global_edges()
    both = np.concatenate([src, dst]), np.concatenate([dst, src])
    twice = None
    if flat.edge_feat is not None:
        twice = np.concatenate([flat.edge_feat, flat.edge_feat])
    # Of an edge that is there both ways, each way keeps its own features.
    return _with_edges(flat, *both, twice)


def self_loops(flat: FlatGraphs) -> FlatGraphs:
    """An edge from each node to itself."""
    src, dst = flat.global_edges()
    nodes = np.arange(flat.num_nodes)
    feat = flat.edge_feat
    if feat is not None:
        none = np.zeros((len(nodes), *feat.shape[1:]), feat.dtype)
        feat = np.concatenate([feat, none])
    return _with_edges(
        flat, np.concatenate([src, nodes]), np.concatenate([dst, nodes]), feat
    )


def _with_edges(
    flat: FlatGraphs,
    src: np.ndarray,
    dst: np.ndarray,
    edge_feat: np.ndarray | None,
) -> FlatGraphs:
    """Put edges in place of the old ones, the first of each pair."""
    _, first = np.unique(src * flat.num_nodes + dst, return_index=True)
    src, dst = src[first], dst[first]
    graph = graph_of_node(flat.node_counts)[src]
    start = offsets(flat.node_counts)[graph]
    return replace(
        flat,
        src=(src - start).astype(flat.src.dtype),
        dst=(dst - start).astype(flat.dst.dtype),
        edge_counts=np.bincount(graph, minlength=len(flat.node_counts)),
        edge_feat=None if edge_feat is None else edge_feat[first],
    )


def largest_component(flat: FlatGraphs) -> FlatGraphs:
    """Of each graph its largest connected part."""
    src, dst = flat.global_edges()
    num_nodes = flat.num_nodes
    adjacency = sp.csr_matrix(
        (np.ones(len(src), np.int8), (src, dst)), shape=(num_nodes, num_nodes)
    )
    count, component = connected_components(adjacency, directed=False)
    size = np.bincount(component, minlength=count)
    owner = np.zeros(count, dtype=np.int64)
    graph = graph_of_node(flat.node_counts)
    owner[component] = graph
    # The last in this order is the largest of its graph; of equals, the one
    # that comes first.
    order = np.lexsort((-np.arange(count), size, owner))
    last = np.r_[owner[order][1:] != owner[order][:-1], True]
    keep = np.isin(component, order[last])
    number = np.cumsum(keep) - 1
    node_counts = np.bincount(graph[keep], minlength=len(flat.node_counts))
    inside = keep[src]
    src, dst = number[src[inside]], number[dst[inside]]
    edge_graph = graph_of_node(node_counts)[src]
    start = offsets(node_counts)[edge_graph]
    per_node = flat.task == "node"
    edge_feat, splits = flat.edge_feat, flat.splits
    return replace(
        flat,
        node_counts=node_counts,
        edge_counts=np.bincount(edge_graph, minlength=len(node_counts)),
        src=(src - start).astype(flat.src.dtype),
        dst=(dst - start).astype(flat.dst.dtype),
        feat=flat.feat[np.flatnonzero(keep)],
        label=flat.label[keep] if per_node else flat.label,
        edge_feat=None if edge_feat is None else edge_feat[inside],
        splits=splits[:, keep] if per_node and splits is not None else splits,
    )
