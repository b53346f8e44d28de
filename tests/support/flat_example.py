"""Small graphs as flat arrays, and transforms of them."""

import dgl
import numpy as np

from dgl_signgt.data.flat import FlatGraphs
from dgl_signgt.data.transforms import apply_transforms, check_transforms


def flat_of(**changes):
    """A path 0-1-2 with a lone node 3, and a single edge 0-1."""
    fields = {
        "task": "graph",
        "label_kind": "multiclass",
        "feat_kind": "dense",
        "num_classes": 2,
        "in_size": 2,
        "node_counts": np.array([4, 2]),
        "edge_counts": np.array([2, 1]),
        "src": np.array([0, 1, 0], np.int32),
        "dst": np.array([1, 2, 1], np.int32),
        "feat": np.array(
            [[1, 3], [0, 0], [-2, 2], [5, 0], [1, 1], [0, 4]], np.float32
        ),
        "label": np.array([0, 1]),
        "edge_feat": np.array([[1.0], [2.0], [3.0]], np.float32),
    }
    return FlatGraphs(**{**fields, **changes})


def run(flat, *steps):
    return apply_transforms(flat, check_transforms(steps))


def connected(num_nodes, seed=0):
    rng = np.random.default_rng(seed)
    path = np.arange(num_nodes - 1)
    extra = rng.integers(num_nodes, size=(2, num_nodes))
    graph = dgl.graph((np.r_[path, extra[0]], np.r_[path + 1, extra[1]]))
    graph = dgl.to_simple(dgl.to_bidirected(dgl.remove_self_loop(graph)))
    src, dst = (e.numpy().astype(np.int32) for e in graph.edges())
    flat = flat_of(
        node_counts=np.array([num_nodes]),
        edge_counts=np.array([len(src)]),
        src=src,
        dst=dst,
        feat=np.ones((num_nodes, 2), np.float32),
        edge_feat=None,
    )
    return graph, flat
