"""Attention for batches of small padded graphs: blocks of similar size."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dgl_signgt.ops._buckets import buckets
from dgl_signgt.ops._weights import backpropagate, score, weigh
from dgl_signgt.ops.dropout import draw_mask, draw_seed

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
        ctx.options = dropout, scale, kind
        ctx.seed = draw_seed() if dropout > 0 else 0
        ctx.blocks = buckets(mask, q.shape)
        out = torch.zeros_like(v)
        kept = []
        for number, block in enumerate(ctx.blocks):
            queries, keys, values = map(block.take, (q, k, v))
            num_graphs, num_heads, size, _ = queries.shape
            scores = queries.new_empty(num_graphs, num_heads, size, size)
            score(
                queries.flatten(0, 1),
                keys.flatten(0, 1),
                scale,
                out=scores.flatten(0, 1),
            )
            weights, _ = weigh(kind, scores, block.hidden)
            dropped = weights
            if dropout > 0:
                keep = torch.empty_like(weights)
                draw_mask(keep, dropout, ctx.seed + number)
                dropped = keep.mul_(weights)
            block.put(out, dropped @ values)
            kept.append(weights)
        ctx.save_for_backward(q, k, v, out, *kept)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        q, k, v, out, *kept = ctx.saved_tensors
        dropout, scale, kind = ctx.options
        grads = [torch.zeros_like(x) for x in (q, k, v)]
        for number, block in enumerate(ctx.blocks):
            weights = kept[number]
            queries, keys, values, result, upper = map(
                block.take, (q, k, v, out, grad_out)
            )
            delta = (upper * result).sum(-1, keepdim=True)
            grad = upper @ values.transpose(-1, -2)
            dropped = weights
            if dropout > 0:
                keep = torch.empty_like(weights)
                draw_mask(keep, dropout, ctx.seed + number)
                grad.mul_(keep)
                dropped = keep.mul_(weights)
            grad_v = dropped.transpose(-1, -2) @ upper
            signs = torch.sign(weights) if kind == "signed" else weights
            backpropagate(kind, weights, signs, grad, delta)
            grad_q = (grad @ keys).mul_(scale)
            grad_k = (grad.transpose(-1, -2) @ queries).mul_(scale)
            for whole, part in zip(
                grads, (grad_q, grad_k, grad_v), strict=True
            ):
                block.put(whole, part)
        return *grads, None, None, None, None
