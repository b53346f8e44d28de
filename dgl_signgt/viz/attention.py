"""Figures of attention weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from .style import (
    MARKERS,
    NEGATIVE,
    OKABE_ITO,
    POSITIVE,
    Axes,
    as_array,
    new_axes,
    tidy,
)

__all__ = ["plot_attention", "plot_negative_share"]


def plot_attention(
    weights: Any,
    labels: Any = None,
    node: int | None = None,
    title: str = "Attention of one node",
    ax: Axes | None = None,
) -> Axes:
    """Scatter the attention of one node to all nodes, by sign.

    Parameters
    ----------
    weights : array-like
        Shape :math:`(N,)`, or :math:`(H, N)`, of which the mean over heads
        is taken.
    labels : array-like, optional
        Classes, shape :math:`(N,)`: the nodes are then sorted by class.
        Default: sorted by id.
    node : int, optional
        The node whose attention it is; marked, and named in the title.
    title : str, optional
        The title.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> rows = attention_rows(model, g, feat, 0, torch.tensor([7]))
    >>> plot_attention(rows[:, 0], labels=g.ndata["label"], node=7)
    """
    values = as_array(weights).astype(float)
    values = values.mean(0) if values.ndim == 2 else values
    count = len(values)
    order = np.arange(count)
    if labels is not None:
        order = np.argsort(as_array(labels), kind="stable")
    ax = new_axes(ax, 5.6, 3.2)
    shown = values[order]
    size = np.clip(6000 / count, 3, 24)
    for chosen, colour, marker, name in (
        (shown >= 0, POSITIVE, MARKERS[0], "positive"),
        (shown < 0, NEGATIVE, MARKERS[2], "negative"),
    ):
        # Zero belongs to neither, but is drawn: it is a weight, too.
        ax.scatter(
            np.flatnonzero(chosen),
            shown[chosen],
            s=size,
            c=colour,
            marker=marker,
            alpha=0.6,
            linewidths=0,
            label=f"{name} ({chosen.sum()})",
        )
    ax.axhline(0, color="0.3", linewidth=0.8)
    # Room for the legend above the points.
    low, high = min(shown.min(), 0), max(shown.max(), 0)
    span = (high - low) or 1.0
    ax.set_ylim(low - 0.06 * span, high + 0.3 * span)
    if node is not None:
        title = f"{title} (node {node})"
        (position,) = np.flatnonzero(order == node)
        ax.axvline(position, color="0.5", linewidth=0.8, linestyle=":")
    label = "Node id"
    if labels is not None:
        label = "Nodes, sorted by class"
        _mark_classes(ax, as_array(labels)[order])
    ax.set_xlim(-0.02 * count, 1.02 * count)
    legend = ax.legend(loc="upper right", ncols=2, fontsize=8, frameon=False)
    for handle in legend.legend_handles:
        # Points of large graphs are too small to be told apart alone.
        handle.set(sizes=[24], alpha=1)
    return tidy(ax, title, label, "Attention weight")


def _mark_classes(ax: Axes, classes: np.ndarray) -> None:
    """A band for every other class and its name below the axis."""
    names, starts = np.unique(classes, return_index=True)
    ends = np.append(starts[1:], len(classes))
    for position, (start, end) in enumerate(zip(starts, ends)):
        if position % 2:
            ax.axvspan(start - 0.5, end - 0.5, color="0.93", zorder=0)
    ax.set_xticks((starts + ends) / 2, [str(name) for name in names])
    ax.tick_params(axis="x", length=0)


def plot_negative_share(
    shares: Any,
    title: str = "Negative share of the attention",
    ax: Axes | None = None,
) -> Axes:
    """Bars of the negative share, per layer and head.

    Parameters
    ----------
    shares : array-like
        From :func:`negative_share`, shape :math:`(L, H)`, 0 to 1.
    title : str, optional
        The title.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes
    """
    values = 100 * as_array(shares).astype(float)
    layers, heads = values.shape
    ax = new_axes(ax, 4.6, 3.0)
    width = 0.8 / heads
    for head in range(heads):
        offset = (head - (heads - 1) / 2) * width
        bars = ax.bar(
            np.arange(layers) + offset,
            values[:, head],
            width * 0.92,
            color=OKABE_ITO[head % len(OKABE_ITO)],
            label=f"head {head}",
        )
        if layers * heads <= 12:
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
            ax.bar_label(bars, fmt="%.0f", fontsize=8, padding=2, bbox=box)
    ax.axhline(50, color="0.4", linewidth=0.8, linestyle="--")
    ax.set_ylim(0, 100)
    ax.set_xlim(-0.6, layers - 0.4)
    ax.set_xticks(range(layers), [f"layer {i}" for i in range(layers)])
    if heads <= 8:
        ax.legend(fontsize=8, frameon=False, ncols=4, loc="upper center")
    return tidy(ax, title, None, "Share of |attention| (%)")
