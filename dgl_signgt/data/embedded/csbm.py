"""A contextual stochastic block model with a chosen homophily."""

from __future__ import annotations

import numpy as np

from ...errors import DataError
from ..flat import FlatGraphs, simple_edges

__all__ = ["build_csbm"]


def build_csbm(
    num_nodes: int = 1000,
    num_classes: int = 2,
    homophily: float = 0.2,
    avg_degree: float = 10.0,
    feat_size: int = 32,
    signal: float = 1.0,
    seed: int = 0,
) -> FlatGraphs:
    """Generate the model.

    Classes are of equal size. Of the ``num_nodes * avg_degree / 2`` distinct
    undirected edges, exactly the share ``homophily`` (rounded to an edge)
    joins nodes of one class; partners are drawn uniformly. Features are
    Gaussian noise of variance 1 around one centre per class.

    Parameters
    ----------
    num_nodes, num_classes : int
        Size of the graph, and how many classes share it.
    homophily : float
        Share of edges within a class, from 0 to 1.
    avg_degree : float
        Average number of neighbours.
    feat_size : int
        Feature columns.
    signal : float
        Distance of the class centres from the origin; 0 makes features
        useless.
    seed : int
        Seed of everything.

    Returns
    -------
    FlatGraphs

    Examples
    --------
    >>> build_csbm(num_nodes=100, homophily=0.0).info["homophily"]
    0.0
    """
    _check(num_nodes, num_classes, homophily, avg_degree, feat_size)
    rng = np.random.default_rng(seed)
    label = rng.permutation(np.arange(num_nodes) % num_classes)
    members = [np.flatnonzero(label == c) for c in range(num_classes)]
    wanted = round(num_nodes * avg_degree / 2)
    same = round(homophily * wanted)
    within = sum(len(m) * (len(m) - 1) // 2 for m in members)
    across = num_nodes * (num_nodes - 1) // 2 - within
    if same > within or wanted - same > across:
        raise DataError(
            f"csbm: avg_degree {avg_degree} with homophily {homophily} asks "
            f"for more edges than {num_nodes} nodes have pairs; lower it"
        )
    keys = np.concatenate(
        [
            _draw(rng, label, members, same, within=True),
            _draw(rng, label, members, wanted - same, within=False),
        ]
    )
    src, dst = simple_edges(keys // num_nodes, keys % num_nodes, num_nodes)
    centres = rng.standard_normal((num_classes, feat_size))
    centres *= signal / np.linalg.norm(centres, axis=1, keepdims=True)
    feat = centres[label] + rng.standard_normal((num_nodes, feat_size))
    return FlatGraphs(
        task="node",
        label_kind="multiclass",
        feat_kind="dense",
        num_classes=num_classes,
        in_size=feat_size,
        node_counts=np.array([num_nodes]),
        edge_counts=np.array([len(src)]),
        src=src,
        dst=dst,
        feat=feat.astype(np.float32),
        label=label,
        info={"homophily": float(np.mean(label[src] == label[dst]))},
    )


def _check(
    num_nodes: int,
    num_classes: int,
    homophily: float,
    avg_degree: float,
    feat_size: int,
) -> None:
    if not 0 <= homophily <= 1:
        raise DataError(f"csbm: homophily is from 0 to 1, not {homophily}")
    if num_classes < 2 or num_nodes < 2 * num_classes:
        raise DataError(
            f"csbm: at least 2 classes of at least 2 nodes are needed, not "
            f"{num_classes} classes and {num_nodes} nodes"
        )
    if avg_degree <= 0 or feat_size < 1:
        raise DataError(
            f"csbm: avg_degree and feat_size must be positive, not "
            f"{avg_degree} and {feat_size}"
        )


def _draw(
    rng: np.random.Generator,
    label: np.ndarray,
    members: list[np.ndarray],
    count: int,
    within: bool,
) -> np.ndarray:
    """Draw distinct pairs, as ``low * num_nodes + high``."""
    num_nodes = len(label)
    pool = np.concatenate(members)
    start = np.cumsum([0] + [len(m) for m in members])
    size = np.diff(start)
    found = np.empty(0, dtype=np.int64)
    while len(found) < count:
        # Twice the missing ones: even a nearly full block ends in a few
        # rounds.
        one = rng.integers(num_nodes, size=2 * (count - len(found)) + 16)
        own = label[one]
        if within:
            other = pool[start[own] + rng.integers(size[own])]
        else:
            step = rng.integers(num_nodes - size[own])
            other = pool[(start[own + 1] + step) % num_nodes]
        real = one != other
        low = np.minimum(one, other)[real]
        high = np.maximum(one, other)[real]
        keys = np.concatenate([found, low * num_nodes + high])
        _, first = np.unique(keys, return_index=True)
        found = keys[np.sort(first)][:count]
    return found
