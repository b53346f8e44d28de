"""Attention for large graphs: tiles over queries, memory linear in n."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from dgl_signgt.ops._weights import backpropagate, score
from dgl_signgt.ops.dropout import draw_mask, draw_seed

__all__ = ["tile_rows", "tiled_attention"]

# Bytes of one tile of scores: tiles that stay in the last-level cache make
# the element-wise passes cheap. But every tile reads all keys and values, so
# it has some rows for each of their features.
_TILE_BYTES = 2 << 20
_ROWS_A_FEATURE = 1.5
_ROW_RANGE = (16, 512)

# Keys are cut into blocks of about this many, each multiplied by one thread:
# that keeps a product in the thread's own cache. Their number is a multiple
# of the alignment, so that rows of scores begin at cache lines.
_KEYS_A_BLOCK = 896
_ALIGNMENT = 16


def tile_rows(num_keys: int, size: int, element_size: int) -> int:
    """How many queries a tile holds, from the shape of the keys alone."""
    rows = max(
        _TILE_BYTES // max(1, num_keys * element_size),
        int(_ROWS_A_FEATURE * size),
    )
    low, high = _ROW_RANGE
    return min(max(rows // 16 * 16, low), high)


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
    return _TiledAttention.apply(q, k, v, mask, dropout, scale, kind)


class _TiledAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, mask, dropout, scale, kind):
        ctx.options = dropout, scale, kind
        # Only a seed is kept; the backward pass draws the same masks again.
        ctx.seed = draw_seed() if dropout > 0 else 0
        out = torch.zeros_like(v)
        # The largest absolute score of a row, and the sum of exponentials.
        top, total = q.new_zeros(q.shape[:3]), q.new_ones(q.shape[:3])
        tiles = _Tiles(3 if dropout > 0 else 2, dropout, ctx.seed)
        for place in _heads(q, mask):
            queries = q[place]
            keys, values = _blocks(k[place]), _blocks(v[place])
            num_nodes = len(queries)
            result = values.new_empty(num_nodes, values.shape[2])
            tops, totals = top[place].clone(), total[place].clone()
            for rows, (scores, weights, *keep) in tiles.over(num_nodes, keys):
                _score(queries[rows], keys, scale, out=scores)
                if kind == "tanh":
                    torch.tanh(scores, out=weights)
                else:
                    _absolute(scores, num_nodes, out=weights)
                    tops[rows] = weights.amax((0, 2))
                    weights.sub_(tops[rows].unsqueeze(-1)).exp_()
                    totals[rows] = weights.sum((0, 2))
                    weights.mul_(torch.sign(scores, out=scores))
                if dropout > 0:
                    weights.mul_(tiles.draw(keep[0]))
                result[rows] = torch.bmm(weights, values).sum(0)
            out[place] = result.div_(totals.unsqueeze(-1))
            top[place], total[place] = tops, totals
        ctx.save_for_backward(q, k, v, out, top, total, mask)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        q, k, v, out, top, total, mask = ctx.saved_tensors
        dropout, scale, kind = ctx.options
        grads = [torch.zeros_like(x) for x in (q, k, v)]
        tiles = _Tiles(5 if dropout > 0 else 3, dropout, ctx.seed)
        for place in _heads(q, mask):
            queries, tops = q[place], top[place].unsqueeze(-1)
            keys, values = _blocks(k[place]), _blocks(v[place])
            num_nodes = len(queries)
            # Weights are not divided by their sum: what they meet is.
            upper = grad_out[place] / total[place].unsqueeze(-1)
            delta = (upper * out[place]).sum(-1, keepdim=True)
            grad_q = torch.empty_like(queries)
            grad_k, grad_v = torch.zeros_like(keys), torch.zeros_like(values)
            for rows, buffers in tiles.over(num_nodes, keys):
                scores, weights, grad, *keep = buffers
                _score(queries[rows], keys, scale, out=scores)
                if kind == "tanh":
                    torch.tanh(scores, out=weights)
                else:
                    _absolute(scores, num_nodes, out=weights)
                    weights.sub_(tops[rows]).exp_()
                    weights.mul_(torch.sign(scores, out=scores))
                above = upper[rows].expand(len(keys), -1, -1)
                torch.bmm(above, values.transpose(1, 2), out=grad)
                dropped = weights
                if dropout > 0:
                    grad.mul_(tiles.draw(keep[0]))
                    dropped = torch.mul(weights, keep[0], out=keep[1])
                grad_v.baddbmm_(dropped.transpose(1, 2), above)
                backpropagate(kind, weights, scores, grad, delta[rows])
                grad_q[rows] = torch.bmm(grad, keys).sum(0)
                grad_k.baddbmm_(
                    grad.transpose(1, 2),
                    queries[rows].expand(len(keys), -1, -1),
                )
            parts = (grad_q, grad_k.flatten(0, 1), grad_v.flatten(0, 1))
            for whole, part in zip(grads, parts, strict=True):
                whole[place] = part[:num_nodes]
        grads[0].mul_(scale)
        grads[1].mul_(scale)
        return *grads, None, None, None, None


class _Tiles:
    """The loop over tiles, with memory that every step uses again.

    Fresh memory for each step would cost more in page faults than the
    arithmetic on it.
    """

    def __init__(self, num_buffers: int, dropout: float, seed: int) -> None:
        self.buffers: list[Tensor | None] = [None] * num_buffers
        self.dropout = dropout
        self.seed = seed

    def over(
        self, num_queries: int, keys: Tensor
    ) -> Iterator[tuple[slice, list[Tensor]]]:
        """Rows of each tile of a head, with its buffers in shape."""
        num_blocks, length, size = keys.shape
        step = tile_rows(num_blocks * length, size, keys.element_size())
        for start in range(0, num_queries, step):
            stop = min(start + step, num_queries)
            shape = (num_blocks, stop - start, length)
            yield slice(start, stop), [
                self._buffer(number, shape, keys)
                for number in range(len(self.buffers))
            ]

    def draw(self, keep: Tensor) -> Tensor:
        """The dropout mask of the next tile."""
        self.seed += 1
        return draw_mask(keep, self.dropout, self.seed)

    def _buffer(
        self, number: int, shape: tuple[int, ...], like: Tensor
    ) -> Tensor:
        size = math.prod(shape)
        flat = self.buffers[number]
        if flat is None or flat.numel() < size:
            flat = self.buffers[number] = like.new_empty(size)
        return flat[:size].view(shape)


def _heads(q: Tensor, mask: Tensor | None) -> Iterator[tuple]:
    """Index of the real nodes of every graph and head."""
    for graph in range(q.shape[0]):
        nodes = slice(None) if mask is None else _real_nodes(mask[graph])
        for head in range(q.shape[1]):
            yield graph, head, nodes


def _blocks(x: Tensor) -> Tensor:
    """Nodes in blocks of equal length, filled up with zeros."""
    num_nodes, size = x.shape
    threads = torch.get_num_threads() if x.device.type == "cpu" else 1
    count = threads * max(1, math.ceil(num_nodes / (threads * _KEYS_A_BLOCK)))
    length = math.ceil(num_nodes / (count * _ALIGNMENT)) * _ALIGNMENT
    padded = functional.pad(x, (0, 0, 0, count * length - num_nodes))
    return padded.view(count, length, size)


def _score(queries: Tensor, keys: Tensor, scale: float, out: Tensor) -> None:
    """Scores of a tile, one matrix a block of keys."""
    score(queries.expand(len(keys), -1, -1), keys, scale, out)


def _absolute(scores: Tensor, num_keys: int, out: Tensor) -> None:
    """Absolute scores, lowest for the zeros that blocks were filled with."""
    torch.abs(scores, out=out)
    lowest = torch.finfo(out.dtype).min
    length = out.shape[2]
    full, rest = divmod(num_keys, length)
    out[full + 1 :] = lowest
    if full < len(out):
        out[full, :, rest:] = lowest


def _real_nodes(mask: Tensor) -> slice | Tensor:
    """A slice where the real nodes come first: indexing it copies nothing."""
    nodes = mask.nonzero().squeeze(-1)
    if len(nodes) == 0 or int(nodes[-1]) == len(nodes) - 1:
        return slice(0, len(nodes))
    return nodes
