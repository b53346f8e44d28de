"""Node representations in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from .style import MARKERS, OKABE_ITO, Axes, as_array, new_axes, tidy

__all__ = ["plot_tsne"]

# Barnes-Hut t-SNE takes about a minute for this many points on one core.
_MOST = 2000


def plot_tsne(
    representations: Any,
    labels: Any,
    title: str = "t-SNE of node representations",
    seed: int = 0,
    limit: int = _MOST,
    ax: Axes | None = None,
) -> Axes:
    """Scatter representations in two dimensions, coloured by class.

    The title carries the silhouette score of the classes in the full space:
    from -1 (nodes lie among other classes) to 1 (classes lie apart).

    Parameters
    ----------
    representations : array-like
        Shape :math:`(N, d)`.
    labels : array-like
        Classes, shape :math:`(N,)`.
    title : str, optional
        The first line of the title.
    seed : int, optional
        Seed of t-SNE and of the sample. Default: 0.
    limit : int, optional
        The most points; a larger set is sampled. Default: 2000.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> hidden = model.encoder(g, feat)
    >>> plot_tsne(hidden, g.ndata["label"])
    """
    from sklearn.manifold import TSNE
    from sklearn.metrics import silhouette_score

    points = as_array(representations).astype(np.float32)
    classes = as_array(labels)
    if len(points) < 4:
        raise ValueError(f"t-SNE takes at least 4 points, got {len(points)}.")
    note = ""
    if len(points) > limit:
        note = f", {limit} of {len(points)} nodes"
        rng = np.random.default_rng(seed)
        chosen = np.sort(rng.choice(len(points), limit, replace=False))
        points, classes = points[chosen], classes[chosen]
    names = np.unique(classes)
    if 1 < len(names) < len(points):
        score = silhouette_score(points, classes)
        note = f"silhouette score {score:.2f}{note}"
    else:
        note = f"one class{note}"
    plane = TSNE(
        perplexity=min(30.0, (len(points) - 1) / 3),
        init="pca",
        random_state=seed,
    ).fit_transform(points)
    ax = new_axes(ax, 4.8, 4.2)
    for position, name in enumerate(names):
        here = classes == name
        # Colour and shape step together, then apart: 49 pairs.
        shape = (position + position // len(OKABE_ITO)) % len(MARKERS)
        ax.scatter(
            *plane[here].T,
            s=float(np.clip(8000 / len(points), 7, 30)),
            c=OKABE_ITO[position % len(OKABE_ITO)],
            marker=MARKERS[shape],
            alpha=0.75,
            linewidths=0,
            label=str(name),
        )
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_aspect("equal", "datalim")
    ax.legend(
        title="class",
        fontsize=8,
        title_fontsize=8,
        frameon=False,
        markerscale=1.4,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        ncols=1 + (len(names) - 1) // 14,
    )
    return tidy(
        ax, f"{title}\n{note}", "t-SNE 1 (no unit)", "t-SNE 2 (no unit)"
    )
