r"""The spectral response of attention, measured.

The eigenvectors :math:`u_i` of the normalised Laplacian :math:`L = I -
D^{-1/2} A D^{-1/2}` are a graph's waves, their eigenvalues :math:`\lambda_i`
from 0 to 2 its frequencies. An attention matrix :math:`M` passes of the wave
:math:`u_i` the gain :math:`\|M u_i\| / \|u_i\|`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from dgl import DGLGraph
from torch import Tensor

from ..khop import is_khop_graph
from .measure import attention_blocks, trace_attention
from .style import as_array

__all__ = [
    "Spectrum",
    "laplacian_spectrum",
    "measure_spectrum",
    "spectral_energy",
    "spectral_gain",
]


@dataclass
class Spectrum:
    """What the attention of a model does to each graph frequency.

    Parameters
    ----------
    frequency : numpy.ndarray
        Eigenvalues of the normalised Laplacian, of all graphs, shape
        :math:`(W,)`.
    gain : numpy.ndarray
        :math:`\\|M u_i\\|`, mean over heads, shape :math:`(L, W)`.
    before, after : numpy.ndarray
        The share of each wave in the energy of the attention's input and
        of its output (before any residual or normalisation), shape
        :math:`(L, W)`; each layer's shares add up to 1.
    """

    frequency: np.ndarray
    gain: np.ndarray
    before: np.ndarray
    after: np.ndarray

    def band(self, values: np.ndarray, low: float, high: float) -> np.ndarray:
        """The ``values`` of the frequencies from ``low`` to ``high``."""
        inside = (self.frequency >= low) & (self.frequency <= high)
        return values[..., inside]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return {
            name: np.round(getattr(self, name), 6).tolist()
            for name in ("frequency", "gain", "before", "after")
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Spectrum:
        """The inverse of :meth:`to_dict`."""
        return cls(**{name: np.array(v) for name, v in content.items()})


def laplacian_spectrum(g: DGLGraph) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of the normalised Laplacian.

    Edges count once and in both directions, self-loops do not count, and a
    node without edges has the frequency 0.

    Parameters
    ----------
    g : DGLGraph
        A raw graph; its matrix is made dense.

    Returns
    -------
    (numpy.ndarray, numpy.ndarray)
        Frequencies in ascending order, shape :math:`(N,)`, and the waves as
        columns, shape :math:`(N, N)`.

    Examples
    --------
    >>> import dgl
    >>> frequency, _ = laplacian_spectrum(dgl.graph(([0], [1])))
    >>> frequency.round(3).tolist()
    [0.0, 2.0]
    """
    if is_khop_graph(g):
        raise ValueError(
            "The spectrum is that of the raw graph, not of its k-hop weights: "
            "load the data set without k."
        )
    count = g.num_nodes()
    src, dst = (as_array(end) for end in g.edges())
    adjacency = np.zeros((count, count))
    adjacency[src, dst] = adjacency[dst, src] = 1
    np.fill_diagonal(adjacency, 0)
    degree = adjacency.sum(1)
    scale = 1 / np.sqrt(np.maximum(degree, 1))
    laplacian = np.diag((degree > 0).astype(float))
    laplacian -= scale[:, None] * adjacency * scale
    frequency, waves = np.linalg.eigh(laplacian)
    return np.clip(frequency, 0, 2), waves


def spectral_gain(weights: Iterable[Any], waves: np.ndarray) -> np.ndarray:
    r"""How much attention matrices pass of each wave.

    Parameters
    ----------
    weights : iterable of array-like
        The attention in blocks of rows, each of shape :math:`(H, R, N)`; a
        whole matrix of shape :math:`(H, N, N)` is ``[matrix]``.
    waves : numpy.ndarray
        Waves of length 1 as columns, shape :math:`(N, W)`.

    Returns
    -------
    numpy.ndarray
        :math:`\|M_h u_i\|`, shape :math:`(H, W)`.

    Examples
    --------
    >>> spectral_gain([np.eye(3)[None]], np.eye(3)).tolist()
    [[1.0, 1.0, 1.0]]
    """
    waves = torch.as_tensor(waves)
    total: Any = 0.0
    for block in weights:
        block = torch.as_tensor(block).to(waves)
        total = total + (block @ waves).square().sum(1)
    return total.sqrt().numpy()


def spectral_energy(signal: Any, waves: np.ndarray) -> np.ndarray:
    r"""The energy of a signal in each wave.

    Parameters
    ----------
    signal : array-like
        Node features, shape :math:`(N, d)`.
    waves : numpy.ndarray
        Waves of length 1 as columns, shape :math:`(N, W)`.

    Returns
    -------
    numpy.ndarray
        :math:`\|u_i^T H\|^2`, shape :math:`(W,)`. Over all waves it adds up
        to :math:`\|H\|^2`.
    """
    return np.square(waves.T @ as_array(signal).astype(waves.dtype)).sum(1)


def measure_spectrum(
    model: torch.nn.Module, graphs: Sequence[tuple[DGLGraph, Tensor]]
) -> Spectrum:
    """Measure the spectral response of every attention layer.

    Parameters
    ----------
    model : torch.nn.Module
        A SignGT classifier.
    graphs : sequence of (DGLGraph, Tensor)
        Raw graphs with their features. Their waves are put side by side;
        energies are added up before they become shares.

    Returns
    -------
    Spectrum

    Examples
    --------
    >>> dataset = load("csbm", homophily=0.1)
    >>> spectrum = measure_spectrum(model, [(dataset.graph, dataset.feat)])
    >>> plot_spectral_response({"signed": spectrum})
    """
    parts = []
    for g, feat in graphs:
        frequency, waves = laplacian_spectrum(g)
        gain, before, after = [], [], []
        for attention, state, output in trace_attention(model, g, feat):
            rows = (block.cpu() for block in attention_blocks(attention, state))
            gain.append(spectral_gain(rows, waves).mean(0))
            before.append(spectral_energy(state, waves))
            after.append(spectral_energy(output, waves))
        parts.append((frequency, *map(np.stack, (gain, before, after))))
    frequency, gain, before, after = (
        np.concatenate(part, axis=-1) for part in zip(*parts)
    )
    before, after = (
        energy / energy.sum(1, keepdims=True) for energy in (before, after)
    )
    return Spectrum(frequency, gain, before, after)
