"""Attention for large graphs: tiles over queries, memory linear in n."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dgl_signgt.ops._weights import backpropagate, multiply, score, weigh
from dgl_signgt.ops.dropout import draw_mask, draw_seed

__all__ = ["tile_rows", "tiled_attention"]

# Bytes of one tile of scores: tiles that stay in the last-level cache make
# the element-wise passes cheap. But every tile reads all keys and values, so
# it has some rows for each of their features.
_TILE_BYTES = 3 << 20
_ROWS_A_FEATURE = 1.5
_ROW_RANGE = (16, 512)


def tile_rows(shape: torch.Size, element_size: int) -> int:
    """How many queries a tile holds, from the shape of the keys alone."""
    num_heads, num_nodes, size = shape
    rows = max(
        _TILE_BYTES // max(1, num_heads * num_nodes * element_size),
        int(_ROWS_A_FEATURE * size / num_heads),
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
    """Attention one graph, few heads and one tile of queries at a time.

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
        tiles = _Tiles(3 if dropout > 0 else 2, dropout, ctx.seed)
        for place in _heads(q, mask):
            queries, keys, values = (_take(x, place) for x in (q, k, v))
            result = torch.empty_like(values)
            for rows, (scores, weights, *keep) in tiles.over(keys):
                score(queries[:, rows], keys, scale, out=scores)
                weights, _ = weigh(kind, scores, out=weights)
                if dropout > 0:
                    weights.mul_(tiles.draw(keep[0]))
                multiply(weights, values, out=result[:, rows])
            _put(out, place, result)
        ctx.save_for_backward(q, k, v, out, mask)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        q, k, v, out, mask = ctx.saved_tensors
        dropout, scale, kind = ctx.options
        grads = [torch.zeros_like(x) for x in (q, k, v)]
        tiles = _Tiles(5 if dropout > 0 else 3, dropout, ctx.seed)
        for place in _heads(q, mask):
            queries, keys, values, upper, result = (
                _take(x, place) for x in (q, k, v, grad_out, out)
            )
            delta = (upper * result).sum(-1, keepdim=True)
            grad_q = torch.empty_like(queries)
            grad_k, grad_v = torch.zeros_like(keys), torch.zeros_like(values)
            for rows, (scores, weights, grad, *keep) in tiles.over(keys):
                score(queries[:, rows], keys, scale, out=scores)
                weights, signs = weigh(kind, scores, out=weights)
                multiply(upper[:, rows], values.transpose(1, 2), out=grad)
                dropped = weights
                if dropout > 0:
                    grad.mul_(tiles.draw(keep[0]))
                    dropped = torch.mul(weights, keep[0], out=keep[1])
                _accumulate(grad_v, dropped, upper[:, rows])
                backpropagate(kind, weights, signs, grad, delta[:, rows])
                multiply(grad, keys, out=grad_q[:, rows])
                _accumulate(grad_k, grad, queries[:, rows])
            parts = (grad_q.mul_(scale), grad_k.mul_(scale), grad_v)
            for whole, part in zip(grads, parts, strict=True):
                _put(whole, place, part)
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

    def over(self, keys: Tensor) -> Iterator[tuple[slice, list[Tensor]]]:
        """Rows of each tile of some heads, with its buffers in shape."""
        num_heads, num_nodes, _ = keys.shape
        step = tile_rows(keys.shape, keys.element_size())
        for start in range(0, num_nodes, step):
            stop = min(start + step, num_nodes)
            shape = (num_heads, stop - start, num_nodes)
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


Place = tuple[int, slice, "slice | Tensor"]


def _heads(q: Tensor, mask: Tensor | None) -> Iterator[Place]:
    """Where to find the real nodes of every graph, for some heads at once.

    Products of two matrices by two threads are faster one each than both
    together, so there are as many heads as threads.
    """
    num_graphs, num_heads = q.shape[:2]
    step = torch.get_num_threads() if q.device.type == "cpu" else num_heads
    for graph in range(num_graphs):
        nodes = slice(None) if mask is None else _real_nodes(mask[graph])
        for head in range(0, num_heads, step):
            yield graph, slice(head, head + step), nodes


def _take(x: Tensor, place: Place) -> Tensor:
    graph, heads, nodes = place
    return x[graph, heads][:, nodes].contiguous()


def _put(x: Tensor, place: Place, part: Tensor) -> None:
    graph, heads, nodes = place
    x[graph, heads][:, nodes] = part


def _accumulate(total: Tensor, a: Tensor, b: Tensor) -> None:
    """Add the products of the transposed ``a`` with ``b``."""
    if len(a) == 1:
        total[0].addmm_(a[0].t(), b[0])
    else:
        total.baddbmm_(a.transpose(1, 2), b)


def _real_nodes(mask: Tensor) -> slice | Tensor:
    """A slice where the real nodes come first: indexing it copies nothing."""
    nodes = mask.nonzero().squeeze(-1)
    if len(nodes) == 0 or int(nodes[-1]) == len(nodes) - 1:
        return slice(0, len(nodes))
    return nodes
