"""Which classes are taken for which."""

from __future__ import annotations

from typing import Any

import numpy as np

from .style import Axes, as_array, new_axes, tidy

__all__ = ["plot_confusion"]

# Up to here the numbers in the cells can be read.
_MOST_WITH_NUMBERS = 12


def plot_confusion(
    truth: Any,
    guess: Any,
    num_classes: int | None = None,
    title: str = "Confusion matrix",
    ax: Axes | None = None,
) -> Axes:
    """Draw the confusion matrix; each row adds up to 100 %.

    Parameters
    ----------
    truth, guess : array-like
        True and predicted classes, shape :math:`(N,)`.
    num_classes : int, optional
        Number of classes. Default: one more than the largest seen.
    title : str, optional
        The title; the accuracy is added.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> ax = plot_confusion([0, 0, 1, 1], [0, 1, 1, 1])
    >>> ax.get_title()
    'Confusion matrix, accuracy 75.0 % of 4'
    """
    truth, guess = as_array(truth).ravel(), as_array(guess).ravel()
    if len(truth) == 0 or len(truth) != len(guess):
        raise ValueError(
            f"As many true as predicted classes are needed, got "
            f"{len(truth)} and {len(guess)}."
        )
    size = num_classes or int(max(truth.max(), guess.max())) + 1
    counts = np.zeros((size, size), dtype=int)
    np.add.at(counts, (truth, guess), 1)
    rows = counts.sum(1, keepdims=True)
    shares = 100 * counts / np.maximum(rows, 1)
    ax = new_axes(ax, 4.4, 3.8)
    image = ax.imshow(shares, cmap="cividis", vmin=0, vmax=100)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.9)
    bar.set_label("Share of the true class (%)")
    bar.outline.set_visible(False)
    if size <= _MOST_WITH_NUMBERS:
        for row, column in np.ndindex(size, size):
            ax.text(
                column,
                row,
                counts[row, column],
                ha="center",
                va="center",
                fontsize=8 if size > 6 else 10,
                color="black" if shares[row, column] > 55 else "white",
            )
    every = 1 + (size - 1) // 20
    ax.set_xticks(range(0, size, every))
    ax.set_yticks(range(0, size, every))
    accuracy = 100 * float(np.mean(truth == guess))
    tidy(
        ax,
        f"{title}, accuracy {accuracy:.1f} % of {len(truth)}",
        "Predicted class",
        "True class",
    )
    ax.spines[:].set_visible(False)
    return ax
