"""Figures of the spectral response."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .spectrum import Spectrum
from .style import MARKERS, Axes, colours_of, new_axes, tidy

__all__ = ["plot_spectral_energy", "plot_spectral_response"]

_FREQUENCY = "Graph frequency λ (eigenvalue of the Laplacian)"
# The largest gain shown over the smallest.
_DECADES = 10_000


def plot_spectral_response(
    spectra: Mapping[str, Spectrum],
    layer: int = 0,
    bins: int = 16,
    relative: bool = False,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the gain of attention over graph frequencies.

    Small points are single waves, large ones the mean of a band. A filter
    that smooths has its largest gain on the left; one that sharpens, on the
    right.

    Parameters
    ----------
    spectra : mapping
        Names (of the kinds of attention) and what :func:`measure_spectrum`
        gave for each.
    layer : int, optional
        Number of the layer. Default: 0.
    bins : int, optional
        Bands between 0 and 2. Default: 16.
    relative : bool, optional
        Divide by the largest gain of each curve, so that curves of other
        scale can be compared in shape. Default: False.
    title : str, optional
        The title. Default: one that names the layer.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = new_axes(ax, 5.2, 3.6)
    edges = np.linspace(0, 2, bins + 1)
    colours = colours_of(spectra)
    for position, (name, spectrum) in enumerate(spectra.items()):
        gain = spectrum.gain[layer]
        if relative:
            gain = gain / gain.max()
        colour = colours[name]
        ax.scatter(
            spectrum.frequency, gain, s=5, c=colour, alpha=0.25, linewidths=0
        )
        # The last band holds its right end, too.
        band = np.clip(np.digitize(spectrum.frequency, edges) - 1, 0, bins - 1)
        ax.plot(
            *_band_means(spectrum.frequency, gain, band, bins),
            color=colour,
            marker=MARKERS[position % len(MARKERS)],
            markersize=5.5,
            markeredgecolor="white",
            markeredgewidth=0.6,
            lw=1.4,
            label=name,
        )
    ax.set_yscale("log")
    ax.set_xlim(-0.05, 2.05)
    ax.grid(axis="y", which="major", color="0.9", lw=0.6)
    ax.set_axisbelow(True)
    ax.legend(fontsize=8, frameon=False, loc="upper center", ncols=3)
    low, high = ax.get_ylim()
    # Symmetric graphs have waves that no attention passes: their gain is
    # nothing but rounding, and would squeeze all others together.
    low = max(low, high / _DECADES)
    ax.set_ylim(low, high * (high / low) ** 0.15)
    y = "Gain ‖M u‖ / ‖u‖"
    y = f"{y}, largest = 1" if relative else y
    return tidy(ax, title or f"Gain of attention layer {layer}", _FREQUENCY, y)


def plot_spectral_energy(
    spectra: Mapping[str, Spectrum],
    layer: int = 0,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw where the energy lies before and after the attention.

    A curve climbs where the signal has energy: at the left end for what all
    nodes have in common, at the right end for what neighbours differ in.

    Parameters
    ----------
    spectra : mapping
        Names (of the kinds of attention) and what :func:`measure_spectrum`
        gave for each.
    layer : int, optional
        Number of the layer. Default: 0.
    title : str, optional
        The title. Default: one that names the layer.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = new_axes(ax, 5.2, 3.6)
    colours = colours_of(spectra)
    for name, spectrum in spectra.items():
        colour = colours[name]
        order = np.argsort(spectrum.frequency, kind="stable")
        frequency = np.concatenate([[0], spectrum.frequency[order], [2]])
        for values, style, when in (
            (spectrum.before[layer], ":", "before"),
            (spectrum.after[layer], "-", "after"),
        ):
            summed = np.cumsum(values[order])
            share = 100 * np.concatenate([[0], summed, summed[-1:]])
            ax.step(
                frequency,
                share,
                where="post",
                color=colour,
                linestyle=style,
                lw=1.6,
                label=f"{name}, {when}",
            )
    ax.set_xlim(-0.05, 2.05)
    ax.set_ylim(0, 102)
    ax.legend(
        fontsize=8,
        frameon=False,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.18),
        ncols=min(len(spectra), 3),
    )
    return tidy(
        ax,
        title or f"Energy around attention layer {layer}",
        _FREQUENCY,
        "Energy at or below λ (%)",
    )


def _band_means(
    frequency: np.ndarray, gain: np.ndarray, band: np.ndarray, bins: int
) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each band; empty ones are NaN, where the line breaks."""
    count = np.bincount(band, minlength=bins).astype(float)
    count[count == 0] = np.nan
    x = np.bincount(band, frequency, bins) / count
    return x, np.bincount(band, gain, bins) / count
