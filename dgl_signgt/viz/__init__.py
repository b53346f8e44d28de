"""Figures of SignGT: attention, representations, spectra, curves, molecules.

Every figure function takes an optional ``ax`` (a matplotlib axes; a new one
is made otherwise) and returns it. Functions that measure take a model or
plain arrays and return plain arrays, so that figures can be drawn anew from
saved numbers. matplotlib is imported here and nowhere else in the package;
``pip install dgl-signgt[viz]`` brings it.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "attention_rows": "measure",
    "negative_share": "measure",
    "received_attention": "measure",
    "plot_attention": "attention",
    "plot_negative_share": "attention",
    "plot_tsne": "representation",
    "plot_learning_curves": "curves",
    "plot_k_sweep": "curves",
    "plot_confusion": "confusion",
    "Spectrum": "spectrum",
    "laplacian_spectrum": "spectrum",
    "spectral_energy": "spectrum",
    "spectral_gain": "spectrum",
    "measure_spectrum": "spectrum",
    "plot_spectral_response": "spectral_figures",
    "plot_spectral_energy": "spectral_figures",
    "molecule_of_graph": "molecule",
    "plot_molecule": "molecule",
    "OKABE_ITO": "style",
    "figure_png": "style",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
