"""Curves over epochs and over the range of the neighbourhood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .style import MARKERS, OKABE_ITO, Axes, colours_of, new_axes, tidy

__all__ = ["plot_k_sweep", "plot_learning_curves"]

_WORDS = {
    "train_loss": "training loss",
    "val_loss": "validation loss",
    "val_score": "validation score",
    "lr": "learning rate",
}


def plot_learning_curves(
    history: Sequence[Sequence[Mapping[str, Any]]],
    values: Sequence[str] = ("train_loss", "val_loss"),
    best_epochs: Sequence[int] = (),
    y: str = "Loss",
    title: str = "Learning curves",
    ax: Axes | None = None,
) -> Axes:
    """Draw values over epochs: the mean of all seeds, each seed thinly.

    Parameters
    ----------
    history : sequence of sequence of mapping
        For each seed a row an epoch, as in ``TrainResult.history``.
    values : sequence of str, optional
        Keys of the rows. Default: both losses.
    best_epochs : sequence of int, optional
        The best epoch of each seed, marked with vertical lines.
    y : str, optional
        Label of the y axis. Default: "Loss".
    title : str, optional
        The title.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> result = train("signgt_digits")
    >>> plot_learning_curves(result.history, ["val_score"], y="Accuracy")
    """
    ax = new_axes(ax, 4.8, 3.2)
    for number, epoch in enumerate(best_epochs):
        ax.axvline(
            epoch,
            color="0.6",
            linewidth=0.8,
            linestyle=":",
            label="best epoch" if number == 0 else None,
        )
    for position, key in enumerate(values):
        colour = OKABE_ITO[position % len(OKABE_ITO)]
        curves = [
            {row["epoch"]: row[key] for row in rows if key in row}
            for rows in history
        ]
        if len(curves) > 1:
            for curve in curves:
                ax.plot(
                    [*curve], [*curve.values()], color=colour, lw=0.6, alpha=0.4
                )
        # The mean ends where the first seed stops: beyond it, it would
        # jump as seeds drop out.
        common = sorted(set.intersection(*(set(c) for c in curves)))
        mean = [np.mean([curve[e] for curve in curves]) for e in common]
        ax.plot(
            common,
            mean,
            color=colour,
            lw=1.8,
            linestyle=("-", "--", "-.")[position % 3],
            label=_WORDS.get(key, key),
        )
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(fontsize=8, frameon=False)
    seeds = f", {len(history)} seeds" if len(history) > 1 else ""
    return tidy(ax, f"{title}{seeds}", "Epoch", y)


def plot_k_sweep(
    scores: Mapping[str, Mapping[int, Sequence[float]]],
    metric: str = "Test accuracy (%)",
    scale: float = 100.0,
    title: str = "Range of the neighbourhood",
    ax: Axes | None = None,
) -> Axes:
    """Draw scores over k with bands of one standard deviation.

    Parameters
    ----------
    scores : mapping
        For each curve (a data set, or a kind of attention) the scores of
        all seeds by k: ``{"cora": {0: [0.71, 0.72], 1: [0.86, 0.87]}}``.
    metric : str, optional
        Label of the y axis, with its unit.
    scale : float, optional
        Factor of the scores. Default: 100, for per cent.
    title : str, optional
        The title.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plot_k_sweep({"cora": {0: [0.71, 0.72], 1: [0.86, 0.87]}})
    """
    ax = new_axes(ax, 4.8, 3.2)
    seeds, every_k = set(), set()
    colours = colours_of(scores)
    for position, (name, by_k) in enumerate(scores.items()):
        ks = sorted(by_k)
        every_k.update(ks)
        seeds.update(len(by_k[k]) for k in ks)
        mean = scale * np.array([np.mean(by_k[k]) for k in ks])
        std = scale * np.array(
            [np.std(by_k[k], ddof=1) if len(by_k[k]) > 1 else 0 for k in ks]
        )
        colour = colours[name]
        ax.plot(
            ks,
            mean,
            color=colour,
            marker=MARKERS[position % len(MARKERS)],
            markersize=5,
            lw=1.5,
            label=name,
        )
        ax.fill_between(
            ks, mean - std, mean + std, color=colour, alpha=0.18, lw=0
        )
    ax.set_xticks(sorted(every_k))
    ax.legend(fontsize=8, frameon=False)
    if seeds != {1}:
        count = "–".join(str(n) for n in sorted({min(seeds), max(seeds)}))
        title = f"{title}: mean ± std of {count} seeds"
    return tidy(ax, title, "k (hops)", metric)
