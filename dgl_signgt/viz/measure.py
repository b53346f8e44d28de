"""What is to be seen in a trained model, as plain arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from dgl import DGLGraph
from torch import Tensor

__all__ = [
    "attention_blocks",
    "attention_rows",
    "negative_share",
    "received_attention",
    "trace_attention",
]

# Numbers of one block of attention rows: 8 million float32 are 32 MB.
_BLOCK = 8_000_000


def attention_rows(
    model: torch.nn.Module,
    g: DGLGraph,
    feat: Tensor,
    layer: int,
    nodes: Tensor,
    kind: str | None = None,
) -> np.ndarray:
    """Attention weights of some nodes, as they are or under another rule.

    Parameters
    ----------
    model : torch.nn.Module
        A SignGT classifier.
    g : DGLGraph
        One graph.
    feat : Tensor
        Its node features.
    layer : int
        Number of the layer, from 0.
    nodes : Tensor
        The nodes whose rows are wanted, shape :math:`(R,)`.
    kind : str, optional
        ``"signed"``, ``"softmax"`` or ``"tanh"``: how this layer's scores
        become weights, with everything before it as trained. Default: as
        trained.

    Returns
    -------
    numpy.ndarray
        Shape :math:`(H, R, N)`.

    Examples
    --------
    >>> signed = attention_rows(model, g, feat, 0, torch.tensor([7]))
    >>> original = attention_rows(
    ...     model, g, feat, 0, torch.tensor([7]), kind="softmax"
    ... )
    """
    attention, state, _ = trace_attention(model, g, feat)[layer]
    trained = attention.attention_kind
    attention.attention_kind = kind or trained
    try:
        with torch.no_grad():
            return attention.weights(state, nodes).float().cpu().numpy()
    finally:
        attention.attention_kind = trained


def negative_share(
    model: torch.nn.Module, g: DGLGraph, feat: Tensor
) -> np.ndarray:
    r"""The negative part of the attention, per layer and head.

    Parameters
    ----------
    model : torch.nn.Module
        A SignGT classifier.
    g : DGLGraph
        One graph.
    feat : Tensor
        Its node features.

    Returns
    -------
    numpy.ndarray
        :math:`\sum_{M_{ij} < 0} |M_{ij}| / \sum |M_{ij}|`, shape
        :math:`(L, H)`.
    """
    shares = []
    for attention, state, _ in trace_attention(model, g, feat):
        negative = total = 0.0
        for block in attention_blocks(attention, state):
            total = total + block.abs().sum((1, 2)).double()
            negative = negative + block.clamp(max=0).sum((1, 2)).double()
        shares.append((-negative / total).cpu().numpy())
    return np.stack(shares)


def received_attention(
    model: torch.nn.Module, g: DGLGraph, feat: Tensor, layer: int = -1
) -> np.ndarray:
    r"""The attention that each node receives, with its sign.

    Parameters
    ----------
    model : torch.nn.Module
        A SignGT classifier.
    g : DGLGraph
        One graph.
    feat : Tensor
        Its node features.
    layer : int, optional
        Number of the layer. Default: the last.

    Returns
    -------
    numpy.ndarray
        :math:`\sum_i M_{ij}`, mean over heads, shape :math:`(N,)`. Under
        signed attention the absolute values add up to at most :math:`N`.
    """
    attention, state, _ = trace_attention(model, g, feat)[layer]
    total: Any = 0.0
    for block in attention_blocks(attention, state):
        total = total + block.sum(1).mean(0)
    return total.float().cpu().numpy()


def attention_blocks(
    attention: torch.nn.Module, state: Tensor
) -> Iterator[Tensor]:
    """All rows of an attention matrix, some at a time: (H, R, N) each."""
    count = len(state)
    rows = max(1, _BLOCK // (count * attention.num_heads))
    for nodes in torch.arange(count, device=state.device).split(rows):
        with torch.no_grad():
            yield attention.weights(state, nodes)


def trace_attention(
    model: torch.nn.Module, g: DGLGraph, feat: Tensor
) -> list[tuple[torch.nn.Module, Tensor, Tensor]]:
    """For each layer its attention module, that module's input and output.

    The input is the hidden state (normalised, where the layer normalises
    first); the output is the attention's own, before any residual.
    """
    if g.batch_size != 1:
        raise ValueError("Attention is shown for one graph: unbatch first.")
    layers = model.encoder.layers
    if layers[0].mha is None:
        raise ValueError("The model has no attention to show.")
    seen: list[tuple[torch.nn.Module, Tensor, Tensor]] = []

    def keep(module: torch.nn.Module, inputs: Any, output: Tensor) -> None:
        seen.append((module, inputs[1], output))

    hooks = [layer.mha.register_forward_hook(keep) for layer in layers]
    try:
        with torch.no_grad(), _eval_mode(model):
            model.encoder(g, feat)
    finally:
        for hook in hooks:
            hook.remove()
    return seen


@contextmanager
def _eval_mode(model: torch.nn.Module) -> Iterator[None]:
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training
