"""Attention for batches of small padded graphs: all pairs at once."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dgl_signgt.ops._dropout import draw_mask, draw_seed
from dgl_signgt.ops._weights import backpropagate, weigh

__all__ = ["dense_attention"]


def dense_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout: float,
    scale: float,
    kind: str,
) -> Tensor:
    """Attention over whole score matrices, of which one is kept.

    The weights alone are enough for the backward pass: where the score is
    not zero they have its sign, and where it is zero the gradient is zero.
    """
    return _DenseAttention.apply(q, k, v, mask, dropout, scale, kind)


class _DenseAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, mask, dropout, scale, kind):
        ctx.options = mask, dropout, scale, kind
        ctx.seed = draw_seed() if dropout > 0 else 0
        # With zeros in the padding every score there is 0, and so is its
        # weight; only the denominator has to be told which keys are real.
        q, k, v = (_clear_padding(x, mask) for x in (q, k, v))
        scores = (q * scale) @ k.transpose(-1, -2)
        weights, _ = weigh(kind, scores, mask)
        dropped = weights
        if dropout > 0:
            keep = draw_mask(torch.empty_like(weights), dropout, ctx.seed)
            dropped = keep.mul_(weights)
        out = dropped @ v
        ctx.save_for_backward(q, k, v, out, weights)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        q, k, v, out, weights = ctx.saved_tensors
        mask, dropout, scale, kind = ctx.options
        grad_out = _clear_padding(grad_out, mask)
        delta = (grad_out * out).sum(-1, keepdim=True)
        grad = grad_out @ v.transpose(-1, -2)
        dropped = weights
        if dropout > 0:
            keep = draw_mask(torch.empty_like(weights), dropout, ctx.seed)
            grad.mul_(keep)
            dropped = keep.mul_(weights)
        grad_v = dropped.transpose(-1, -2) @ grad_out
        signs = torch.sign(weights) if kind == "signed" else weights
        backpropagate(kind, weights, signs, grad, delta)
        grad_q = (grad @ k).mul_(scale)
        grad_k = (grad.transpose(-1, -2) @ q).mul_(scale)
        return grad_q, grad_k, grad_v, None, None, None, None


def _clear_padding(x: Tensor, mask: Tensor | None) -> Tensor:
    return x if mask is None else x.masked_fill(~mask[:, None, :, None], 0.0)
