"""Attention for large graphs: tiles over queries, memory linear in n."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dgl_signgt.ops._weights import backpropagate, score, weigh
from dgl_signgt.ops.dropout import draw_mask, draw_seed

__all__ = ["tile_rows", "tiled_attention"]

# Bytes of one tile of scores. Tiles that stay in the last-level cache make
# the element-wise passes cheap; larger ones make the products a little
# faster (benchmarks/results).
_TILE_BYTES = 4 << 20
_ROW_RANGE = (16, 512)


def tile_rows(num_keys: int, element_size: int) -> int:
    """How many queries a tile holds, from the shape alone."""
    rows = _TILE_BYTES // max(1, num_keys * element_size)
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
    """Attention one graph, head and tile at a time.

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
        tiles = _Tiles(q, 3 if dropout > 0 else 2, dropout, ctx.seed)
        for place in _heads(q, mask):
            queries, keys, values = q[place], k[place], v[place]
            result = torch.empty_like(values)
            for rows, (scores, weights, *keep) in tiles.over(len(keys)):
                score(queries[rows], keys, scale, out=scores)
                weights, _ = weigh(kind, scores, out=weights)
                if dropout > 0:
                    weights.mul_(tiles.draw(keep[0]))
                torch.mm(weights, values, out=result[rows])
            out[place] = result
        ctx.save_for_backward(q, k, v, out, mask)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        q, k, v, out, mask = ctx.saved_tensors
        dropout, scale, kind = ctx.options
        grads = [torch.zeros_like(x) for x in (q, k, v)]
        tiles = _Tiles(q, 5 if dropout > 0 else 3, dropout, ctx.seed)
        for place in _heads(q, mask):
            queries, keys, values = q[place], k[place], v[place]
            upper = grad_out[place].contiguous()
            delta = (upper * out[place]).sum(-1, keepdim=True)
            grad_q = torch.empty_like(queries)
            grad_k, grad_v = torch.zeros_like(keys), torch.zeros_like(values)
            for rows, (scores, weights, grad, *keep) in tiles.over(len(keys)):
                score(queries[rows], keys, scale, out=scores)
                weights, signs = weigh(kind, scores, out=weights)
                torch.mm(upper[rows], values.t(), out=grad)
                dropped = weights
                if dropout > 0:
                    grad.mul_(tiles.draw(keep[0]))
                    dropped = torch.mul(weights, keep[0], out=keep[1])
                grad_v.addmm_(dropped.t(), upper[rows])
                backpropagate(kind, weights, signs, grad, delta[rows])
                torch.mm(grad, keys, out=grad_q[rows])
                grad_k.addmm_(grad.t(), queries[rows])
            parts = (grad_q.mul_(scale), grad_k.mul_(scale), grad_v)
            for whole, part in zip(grads, parts, strict=True):
                whole[place] = part
        return *grads, None, None, None, None


class _Tiles:
    """The loop over tiles, with memory that every step uses again.

    Fresh memory for each step would cost more in page faults than the
    arithmetic on it.
    """

    def __init__(
        self, q: Tensor, num_buffers: int, dropout: float, seed: int
    ) -> None:
        self.element_size = q.element_size()
        size = tile_rows(q.shape[-2], self.element_size) * q.shape[-2]
        # A graph with fewer nodes has more rows a tile, never more elements
        # than the larger of the two bounds.
        size = max(size, _TILE_BYTES // self.element_size)
        size = min(size, q.shape[-2] ** 2)
        self.buffers = [q.new_empty(size) for _ in range(num_buffers)]
        self.dropout = dropout
        self.seed = seed

    def over(self, num_nodes: int) -> Iterator[tuple[slice, list[Tensor]]]:
        """Rows of each tile of one head, with its buffers in shape."""
        step = tile_rows(num_nodes, self.element_size)
        for start in range(0, num_nodes, step):
            stop = min(start + step, num_nodes)
            size = (stop - start) * num_nodes
            yield slice(start, stop), [
                buffer[:size].view(stop - start, num_nodes)
                for buffer in self.buffers
            ]

    def draw(self, keep: Tensor) -> Tensor:
        """The dropout mask of the next tile."""
        self.seed += 1
        return draw_mask(keep, self.dropout, self.seed)


def _heads(q: Tensor, mask: Tensor | None) -> Iterator[tuple]:
    """Index of the real nodes of every graph and head."""
    for graph in range(q.shape[0]):
        nodes = slice(None) if mask is None else _real_nodes(mask[graph])
        for head in range(q.shape[1]):
            yield graph, head, nodes


def _real_nodes(mask: Tensor) -> slice | Tensor:
    """A slice where the real nodes come first: indexing it copies nothing."""
    nodes = mask.nonzero().squeeze(-1)
    if len(nodes) == 0 or int(nodes[-1]) == len(nodes) - 1:
        return slice(0, len(nodes))
    return nodes
