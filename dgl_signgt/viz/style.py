"""Colours and axes that all figures share."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import SignGTError

try:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise SignGTError(
        "figures need matplotlib: pip install 'dgl-signgt[viz]'"
    ) from error

__all__ = [
    "MARKERS",
    "NEGATIVE",
    "OKABE_ITO",
    "POSITIVE",
    "as_array",
    "colours_of",
    "figure_png",
    "new_axes",
    "new_figure",
    "tidy",
]

# Okabe and Ito's palette: told apart by people with any colour vision.
# Black comes last and yellow is left out: it is too pale on paper.
OKABE_ITO = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)
POSITIVE, NEGATIVE = OKABE_ITO[0], OKABE_ITO[1]
# A second key beside the colour, for more classes than there are colours and
# for print without colour.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# One colour a kind of attention, the same in every figure.
_KINDS = {"signed": OKABE_ITO[0], "softmax": OKABE_ITO[1], "tanh": OKABE_ITO[2]}


def new_figure(width: float = 5.0, height: float = 3.4) -> Figure:
    """A figure that belongs to no window; sizes in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def new_axes(ax: Axes | None, width: float = 5.0, height: float = 3.4) -> Axes:
    """The given axes, or those of a new figure that notebooks show."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    return ax


def tidy(ax: Axes, title: str | None, x: str | None, y: str | None) -> Axes:
    """Label the axes and take away lines that say nothing."""
    if title:
        ax.set_title(title, fontsize=10)
    if x:
        ax.set_xlabel(x)
    if y:
        ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """A colour for each curve; a kind of attention always has its own."""
    names = [*names]
    taken = {name: _KINDS[name] for name in names if name in _KINDS}
    free = [c for c in OKABE_ITO if c not in taken.values()]
    others = [name for name in names if name not in taken]
    return taken | {n: free[i % len(free)] for i, n in enumerate(others)}


def figure_png(figure: Figure, dpi: int = 160) -> bytes:
    """Render a figure as PNG.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure, as in ``ax.figure``.
    dpi : int, optional
        Dots an inch. Default: 160.

    Returns
    -------
    bytes
        The content of a PNG file.
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, facecolor="white")
    return buffer.getvalue()


def as_array(values: Any) -> np.ndarray:
    """A NumPy array of a tensor, a list or an array."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    return np.asarray(values)
