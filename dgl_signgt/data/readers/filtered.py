"""Chameleon and Squirrel without duplicate nodes (Platonov et al. 2023)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...errors import DataError
from ..flat import FlatGraphs, simple_edges
from ..source import RawSource
from ..text import check_classes, first_line, read_npz

__all__ = ["read_filtered"]

_MASKS = ("train_masks", "val_masks", "test_masks")


def read_filtered(
    source: RawSource, file: str, num_classes: int | None = None
) -> FlatGraphs:
    """Read an npz file with nodes, edges and ten splits.

    Parameters
    ----------
    source : RawSource
        Where it lies.
    file : str
        Its name.
    num_classes : int, optional
        Number of classes, where it is known.

    Returns
    -------
    FlatGraphs
    """
    name = source.need(file)
    keys = ("node_features", "node_labels", "edges", *_MASKS)
    arrays = read_npz(source, name, keys)
    label, edges = arrays["node_labels"], arrays["edges"]
    num_nodes = len(label)
    feat = sp.csr_matrix(arrays["node_features"].astype(np.float32))
    if feat.shape[0] != num_nodes:
        raise DataError(
            f"{source.where(name)}: {feat.shape[0]} rows of features for "
            f"{num_nodes} labels"
        )
    check_classes(source, name, label, num_classes)
    wrong = ((edges < 0) | (edges >= num_nodes)).any(axis=1)
    if wrong.any():
        at = first_line(wrong) - 1
        raise DataError(
            f"{source.where(name)}: edge {at} ({edges[at, 0]}-"
            f"{edges[at, 1]}) has an end that does not exist; nodes are "
            f"numbered 0 to {num_nodes - 1}"
        )
    splits = np.zeros((len(arrays[_MASKS[0]]), num_nodes), dtype=np.int8)
    for part, key in enumerate(_MASKS, start=1):
        mask = arrays[key].astype(bool)
        if mask.shape != splits.shape or splits[mask].any():
            raise DataError(
                f"{source.where(name)}: {key} overlaps another or is of "
                f"another size"
            )
        splits[mask] = part
    src, dst = simple_edges(edges[:, 0], edges[:, 1], num_nodes)
    return FlatGraphs(
        task="node",
        label_kind="multiclass",
        feat_kind="sparse",
        num_classes=int(label.max()) + 1,
        in_size=feat.shape[1],
        node_counts=np.array([num_nodes]),
        edge_counts=np.array([len(src)]),
        src=src,
        dst=dst,
        feat=feat,
        label=label.astype(np.int64),
        splits=splits,
        info={
            "raw_edge_lines": len(edges),
            "self_loops": int(np.count_nonzero(edges[:, 0] == edges[:, 1])),
            "files": dict.fromkeys(
                ("nodes", "edges", "features", "classes"), name
            ),
        },
    )
