"""scikit-learn's handwritten digits as a nearest-neighbour graph."""

from __future__ import annotations

import numpy as np

from ...errors import DataError
from ..flat import FlatGraphs, simple_edges

__all__ = ["build_digits_knn"]


def build_digits_knn(neighbours: int = 8) -> FlatGraphs:
    """Join each of the 1797 images to those most like it.

    Parameters
    ----------
    neighbours : int
        Nearest neighbours of each image; an edge is there if either end
        chose the other.

    Returns
    -------
    FlatGraphs
        Pixels from 0 to 1 as features, ten classes.

    Examples
    --------
    >>> build_digits_knn().num_classes
    10
    """
    from sklearn.datasets import load_digits
    from sklearn.neighbors import NearestNeighbors

    pixels, label = load_digits(return_X_y=True)
    feat = (pixels / 16.0).astype(np.float32)
    if not 1 <= neighbours < len(feat):
        raise DataError(
            f"digits-knn: neighbours is from 1 to {len(feat) - 1}, "
            f"not {neighbours}"
        )
    search = NearestNeighbors(n_neighbors=neighbours).fit(feat)
    # Asked without points, the search leaves each image itself out.
    chosen = search.kneighbors(return_distance=False)
    src = np.repeat(np.arange(len(feat)), neighbours)
    src, dst = simple_edges(src, chosen.ravel(), len(feat))
    return FlatGraphs(
        task="node",
        label_kind="multiclass",
        feat_kind="dense",
        num_classes=10,
        in_size=feat.shape[1],
        node_counts=np.array([len(feat)]),
        edge_counts=np.array([len(src)]),
        src=src,
        dst=dst,
        feat=feat,
        label=label.astype(np.int64),
    )
