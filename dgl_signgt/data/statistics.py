"""Counts of a data set, beside those that the paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .base_dataset import FlatDataset
from .flat import FlatGraphs
from .registry import DatasetSpec

__all__ = [
    "Comparison",
    "compare_with_paper",
    "dataset_statistics",
    "edge_homophily",
]


@dataclass(frozen=True)
class Comparison:
    """One figure of ours beside the paper's.

    Parameters
    ----------
    name : str
        What is counted.
    ours, paper : int or float or None
        The figures; the paper's is None where it prints none.
    differs : bool
        Whether ours, rounded as the paper's is, is another number.
    note : str
        How it is counted, or why it differs.
    """

    name: str
    ours: int | float
    paper: int | float | None
    differs: bool
    note: str = ""


def edge_homophily(flat: FlatGraphs) -> float | None:
    """The share of edges whose ends have the same label.

    The paper's measure, over distinct undirected edges without self-loops.

    Parameters
    ----------
    flat : FlatGraphs
        A node data set.

    Returns
    -------
    float or None
        None where nodes have no classes, or there is no edge.
    """
    if flat.task != "node" or flat.label_kind != "multiclass":
        return None
    src, dst = np.asarray(flat.src), np.asarray(flat.dst)
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    keys = np.unique(
        (low.astype(np.int64) * flat.num_nodes + high)[low != high]
    )
    one = flat.label[keys // flat.num_nodes]
    other = flat.label[keys % flat.num_nodes]
    known = (one >= 0) & (other >= 0)
    return float(np.mean(one[known] == other[known])) if known.any() else None


def dataset_statistics(dataset: FlatDataset) -> dict[str, Any]:
    """Count what there is to count.

    Parameters
    ----------
    dataset : NodeDataset or GraphDataset
        Any data set.

    Returns
    -------
    dict
        JSON values: ``nodes``, ``edges`` (distinct, undirected, without
        self-loops), ``self_loops``, ``directed_edges``, ``features``,
        ``classes``, ``degree`` (lowest, mean, highest), ``label_counts``,
        ``homophily``, and for graph tasks ``graphs``, ``avg_nodes``,
        ``avg_edges`` and ``size`` (smallest, median, largest).

    Examples
    --------
    >>> dataset_statistics(load("csbm"))["homophily"]
    0.2
    """
    flat = dataset.flat
    src, dst = flat.global_edges()
    real = src != dst
    num_nodes = flat.num_nodes
    low, high = np.minimum(src, dst)[real], np.maximum(src, dst)[real]
    keys = low * num_nodes + high
    undirected = len(np.unique(keys))
    degree = np.bincount(dst, minlength=num_nodes)
    columns = flat.in_size
    stats: dict[str, Any] = {
        "name": dataset.name,
        "task": flat.task,
        "nodes": num_nodes,
        "edges": undirected,
        "directed_edges": len(src),
        # Readers drop self-loops and tell how many there were.
        "self_loops": flat.info.get("self_loops", int((~real).sum())),
        "edge_lines": flat.info.get("raw_edge_lines"),
        "features": columns if isinstance(columns, int) else sum(columns),
        "feat_kind": flat.feat_kind,
        "classes": flat.num_classes,
        "label_kind": flat.label_kind,
        "degree": [
            int(degree.min()),
            round(float(degree.mean()), 2),
            int(degree.max()),
        ],
        "label_counts": _label_counts(flat),
        "homophily": edge_homophily(flat),
        "public_splits": 0 if flat.splits is None else len(flat.splits),
    }
    if flat.task == "graph":
        sizes = np.asarray(flat.node_counts)
        stats["graphs"] = len(sizes)
        stats["avg_nodes"] = num_nodes / len(sizes)
        stats["avg_edges"] = undirected / len(sizes)
        stats["size"] = [
            int(sizes.min()),
            float(np.median(sizes)),
            int(sizes.max()),
        ]
    return stats


def _label_counts(flat: FlatGraphs) -> dict[str, int] | None:
    if flat.label_kind != "multiclass":
        return None
    values, counts = np.unique(flat.label, return_counts=True)
    return {str(v): int(c) for v, c in zip(values, counts)}


def compare_with_paper(
    spec: DatasetSpec, stats: dict[str, Any]
) -> list[Comparison]:
    """Put each figure beside the paper's, counted as the paper counts.

    Parameters
    ----------
    spec : DatasetSpec
        The data set's entry.
    stats : dict
        From :func:`dataset_statistics`.

    Returns
    -------
    list of Comparison
    """
    if stats["task"] == "graph":
        names = ("graphs", "avg_nodes", "avg_edges", "features", "classes")
    else:
        names = ("nodes", "edges", "features", "classes", "homophily")
    paper, rows = spec.paper, []
    for name in names:
        ours = stats[name]
        if ours is None:
            continue
        theirs = None if paper is None else getattr(paper, name)
        notes = {} if paper is None else paper.notes
        note = notes.get(name, "")
        if theirs is not None and name in ("edges", "avg_edges"):
            ours, how = _as_counted(stats, paper.counting)
            note = note or how
            if name == "avg_edges":
                ours /= stats["graphs"]
        digits = 2 if isinstance(theirs, float) else 0
        differs = theirs is not None and round(ours, digits) != theirs
        rows.append(Comparison(name, ours, theirs, differs, note))
    return rows


def _as_counted(stats: dict[str, Any], counting: str) -> tuple[float, str]:
    if counting == "directed+loops":
        both = 2 * stats["edges"] + stats["self_loops"]
        return both, "both directions, self-loops once"
    if counting == "undirected+loops":
        return stats["edges"] + stats["self_loops"], "with self-loops"
    if counting == "lines/2":
        return stats["edge_lines"] / 2, "half the lines of the raw file"
    return stats["edges"], ""
