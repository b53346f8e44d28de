"""Attention for large graphs: tiles over queries, memory linear in n.

Exponentials are taken to base 2, with log2(e) in the factor of the scores:
torch's ``exp2`` is vector code everywhere, while its ``exp`` goes to a library
that is slow on some processors.

Products with bfloat16 inputs stay in bfloat16, for which processors have
instructions, and their results are taken to float32 at once. Scores are the
exception, since rounded ones are too coarse to be exponentiated: they and the
exponentials are those of float32.
"""

from __future__ import annotations

import math
import platform
from typing import NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dgl_signgt.ops._threads import num_workers, run_workers
from dgl_signgt.ops._tiles import (
    Buffers,
    Tile,
    by_head,
    cut_keys,
    share_tiles,
)
from dgl_signgt.ops._weights import backpropagate, multiply
from dgl_signgt.ops.dropout import draw_mask, draw_seed

__all__ = ["multiplies_bfloat16", "tiled_attention"]

# Exponentials of scores up to this need no shift by the row's largest: even
# the sum of 2**40 such terms, or a gradient divided by it, is far from the
# limits of float32 and of formats with as many bits of exponent.
_CALM = 40.0


def tiled_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout: float,
    scale: float,
    kind: str,
) -> Tensor:
    """Attention one graph, head and tile of queries at a time.

    The backward pass computes the weights of a tile again instead of
    keeping them. Padded nodes are left out, not masked.
    """
    options = _Options(kind, scale, dropout, draw_seed() if dropout else 0)
    return _TiledAttention.apply(q, k, v, mask, options)


def multiplies_bfloat16(x: Tensor) -> bool:
    """Whether ``x`` is bfloat16 where products of that type are fast."""
    if x.dtype != torch.bfloat16:
        return False
    return x.device.type != "cpu" or _processor_multiplies_bfloat16()


def _processor_multiplies_bfloat16() -> bool:
    """Whether the CPU has instructions for it: without, torch's own product
    is far slower than one of float32."""
    known = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
    if known is None or not known():
        return False
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return True
    # There torch says so of every processor with AVX-512. Before 2.5 it could
    # not tell which of them have the instructions: float32 then.
    tests = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(
        getattr(torch.cpu, test)() for test in tests if hasattr(torch.cpu, test)
    )


class _Options(NamedTuple):
    kind: str
    scale: float
    dropout: float
    seed: int  # the backward pass draws the same masks again from it


class _TiledAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, mask, options):
        wide = _wide(v.dtype)
        out = torch.zeros_like(v, dtype=wide)
        # The largest absolute score of a row, zero where no shift is needed,
        # and the sum of exponentials.
        top = q.new_zeros(q.shape[:3], dtype=wide)
        total = torch.ones_like(top)
        shares = share_tiles(q, mask, num_workers(q.device))

        def work(worker: int) -> None:
            buffers = Buffers()
            for place, tiles in by_head(shares[worker]):
                head = _Head(q[place], k[place], v[place], options, buffers)
                shifted = options.kind == "signed" and not head.calm()
                for tile in tiles:
                    result, tops, totals = head.forward(tile, shifted)
                    out[tile.index] = result.div_(totals)
                    top[tile.index] = tops.squeeze(-1)
                    total[tile.index] = totals.squeeze(-1)

        run_workers(len(shares), work)
        ctx.save_for_backward(q, k, v, out, top, total, mask)
        ctx.options = options
        return out.to(v.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        q, k, v, out, top, total, mask = ctx.saved_tensors
        grad_q, grad_k, grad_v = (
            torch.zeros_like(x, dtype=_wide(x.dtype)) for x in (q, k, v)
        )
        shares = share_tiles(q, mask, num_workers(q.device))

        def work(worker: int) -> list[tuple]:
            buffers, parts = Buffers(), []
            for place, tiles in by_head(shares[worker]):
                head = _Head(q[place], k[place], v[place], ctx.options, buffers)
                shifted = bool(top[place].any())
                for tile in tiles:
                    # Weights are not divided by their sum: what they meet is.
                    totals = total[tile.index][:, None]
                    upper = grad_out[tile.index] / totals
                    delta = (upper * out[tile.index]).sum(-1, keepdim=True)
                    tops = top[tile.index][:, None] if shifted else None
                    grad_q[tile.index] = head.backward(
                        tile, tops, totals, upper, delta
                    )
                parts.append((place, head.grad_k, head.grad_v))
            return parts

        # Workers may share a head: what they have is added in their order.
        for part in run_workers(len(shares), work):
            for place, for_k, for_v in part:
                num_nodes = q[place].shape[0]
                grad_k[place] += for_k.flatten(0, 1)[:num_nodes]
                grad_v[place] += for_v.flatten(0, 1)[:num_nodes]
        grad_q.mul_(ctx.options.scale)
        grad_k.mul_(ctx.options.scale)
        grads = (x.to(v.dtype) for x in (grad_q, grad_k, grad_v))
        return *grads, None, None


def _wide(dtype: torch.dtype) -> torch.dtype:
    """The type of everything but products."""
    return torch.promote_types(dtype, torch.float32)


class _Head:
    """One head of one graph, with the tensors of shape (n, d)."""

    def __init__(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        options: _Options,
        buffers: Buffers,
    ) -> None:
        self.queries, self.keys, self.values = q, cut_keys(k), cut_keys(v)
        wide = _wide(k.dtype)
        self.wide_queries, self.wide_keys = q.to(wide), self.keys.to(wide)
        self.num_keys = len(k)
        self.options = options
        self.buffers = buffers
        self.factor = options.scale
        if options.kind == "signed":
            self.factor /= math.log(2)
        self.grad_k: Tensor | None = None
        self.grad_v: Tensor | None = None

    def calm(self) -> bool:
        """Whether no score can be so large that it needs a shift."""
        # No product exceeds that of the lengths.
        longest = [
            x.norm(dim=-1).amax() for x in (self.wide_queries, self.wide_keys)
        ]
        return float(longest[0] * longest[1]) * abs(self.factor) <= _CALM

    def forward(
        self, tile: Tile, shifted: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Weighted values, largest scores and sums of weights, by row."""
        scores = self._score(tile)
        weights = self._buffer("weights", tile)
        tops, totals = scores.new_zeros(()), scores.new_ones(())
        if self.options.kind == "tanh":
            torch.tanh(scores, out=weights)
        else:
            self._absolute(scores, out=weights)
            if shifted:
                tops = weights.amax((0, 2)).unsqueeze(-1)
                weights.sub_(tops)
            totals = weights.exp2_().sum((0, 2)).unsqueeze(-1)
            weights.mul_(torch.sign(scores, out=scores))
        if self.options.dropout > 0:
            weights.mul_(self._draw(tile))
        products = torch.bmm(self._narrow(weights), self.values)
        return products.sum(0, dtype=weights.dtype), tops, totals

    def backward(
        self,
        tile: Tile,
        tops: Tensor | None,
        totals: Tensor,
        upper: Tensor,
        delta: Tensor,
    ) -> Tensor:
        """The queries' gradient; those of keys and values are added up."""
        scores = self._score(tile)
        weights = self._buffer("weights", tile)
        if self.options.kind == "tanh":
            torch.tanh(scores, out=weights)
        else:
            self._absolute(scores, out=weights)
            if tops is not None:
                weights.sub_(tops)
            weights.exp2_().mul_(torch.sign(scores, out=scores))
        upper = self._for_each_block(upper.to(self.values.dtype))
        grad = self._buffer("grad", tile)
        if upper.dtype == grad.dtype:
            torch.bmm(upper, self.values.transpose(1, 2), out=grad)
        else:
            narrow = self.buffers.like("narrow", grad, upper.dtype)
            torch.bmm(upper, self.values.transpose(1, 2), out=narrow)
            grad.copy_(narrow)
        dropped = weights
        if self.options.dropout > 0:
            keep = self._draw(tile)
            grad.mul_(keep)
            dropped = keep.mul_(weights)
        if self.grad_k is None:
            self.grad_k = torch.zeros_like(self.keys, dtype=grad.dtype)
            self.grad_v = torch.zeros_like(self.values, dtype=grad.dtype)
        _add_product(self.grad_v, self._narrow(dropped), upper)
        if self.values.dtype != grad.dtype:
            # Rounded products and an exact sum of them would not cancel.
            terms = torch.mul(weights, grad, out=self._buffer("terms", tile))
            delta = terms.sum((0, 2)).unsqueeze(-1).div_(totals)
        backpropagate(self.options.kind, weights, scores, grad, delta)
        queries = self._for_each_block(self.queries[tile.rows])
        narrow = self._narrow(grad)
        _add_product(self.grad_k, narrow, queries)
        return torch.bmm(narrow, self.keys).sum(0, dtype=grad.dtype)

    def _score(self, tile: Tile) -> Tensor:
        """Scores of a tile, one matrix a block of keys.

        The factor comes after the product: a score that is exactly zero
        must stay so, or rounding would give it a sign.
        """
        queries = self._for_each_block(self.wide_queries[tile.rows])
        out = self._buffer("scores", tile)
        return multiply(queries, self.wide_keys.transpose(1, 2), out).mul_(
            self.factor
        )

    def _narrow(self, x: Tensor) -> Tensor:
        """A tile in the type of the products."""
        if x.dtype == self.keys.dtype:
            return x
        return self.buffers.like("narrow", x, self.keys.dtype).copy_(x)

    def _absolute(self, scores: Tensor, out: Tensor) -> None:
        """Absolute scores, lowest for the zeros that blocks are filled with."""
        torch.abs(scores, out=out)
        lowest = torch.finfo(out.dtype).min
        full, rest = divmod(self.num_keys, out.shape[2])
        out[full + 1 :] = lowest
        out[full : full + 1, :, rest:] = lowest

    def _draw(self, tile: Tile) -> Tensor:
        """The dropout mask of a tile."""
        keep = self._buffer("keep", tile)
        seed = self.options.seed + tile.number
        return draw_mask(keep, self.options.dropout, seed)

    def _buffer(self, name: str, tile: Tile) -> Tensor:
        return self.buffers.get(name, self.wide_keys, tile)

    def _for_each_block(self, rows: Tensor) -> Tensor:
        return rows.expand(len(self.keys), -1, -1)


def _add_product(total: Tensor, a: Tensor, b: Tensor) -> None:
    """Add the products of the columns of ``a`` with those of ``b``."""
    if a.dtype == total.dtype:
        total.baddbmm_(a.transpose(1, 2), b)
    else:
        total.add_(torch.bmm(a.transpose(1, 2), b))
