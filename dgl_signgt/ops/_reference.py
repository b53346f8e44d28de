"""The paper's formulas, written plainly: what every fast path is tested by."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["reference_attention", "reference_weights"]


def reference_weights(
    q: Tensor, k: Tensor, mask: Tensor | None, scale: float, kind: str
) -> Tensor:
    """Attention weights of every pair, shape :math:`(B, H, N, N)`."""
    scores = scale * (q @ k.transpose(-1, -2))
    if kind == "tanh":
        weights = torch.tanh(scores)
    else:
        logits = scores.abs() if kind == "signed" else scores
        if mask is not None:
            lowest = torch.finfo(logits.dtype).min
            logits = logits.masked_fill(~mask[:, None, None, :], lowest)
        weights = torch.softmax(logits, dim=-1)
        if kind == "signed":
            weights = torch.sgn(scores) * weights
    if mask is not None:
        pairs = mask[:, None, :, None] & mask[:, None, None, :]
        weights = weights.masked_fill(~pairs, 0.0)
    return weights


def reference_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout: float,
    scale: float,
    kind: str,
) -> Tensor:
    """Weighted sums of the values, differentiated by autograd."""
    weights = reference_weights(q, k, mask, scale, kind)
    return functional.dropout(weights, dropout, training=dropout > 0) @ v
