"""Groups of similar size within a padded batch, so that little is padded.

One block for a whole batch computes every pair up to the size of its largest
graph; of a random batch of molecules, six pairs of seven are padding. Graphs
sorted by size and cut into a few blocks, each as large as its own largest
graph, do the same work on a fraction of the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

__all__ = ["Block", "buckets"]

# A block costs as much as this many pairs before it computes any, and takes
# no more than this many, so that it stays in the cache.
_PAIRS_A_BLOCK = 16384
_MOST_PAIRS = 1 << 18


# Where a mask keeps its blocks, with what it was when they were cut.
_BLOCKS = "_signgt_blocks"


@dataclass(frozen=True)
class Block:
    """Some graphs of a padded batch, cut to the size of the largest.

    Parameters
    ----------
    graphs : slice or Tensor
        Which graphs; a slice takes neighbours, uncut and without padding.
    size : int
        How many nodes are taken of each.
    hidden : Tensor, optional
        True where one of these nodes is padding, shape :math:`(C, n)`; None
        where none is.
    padding : Tensor, optional
        The same as rows of a block of shape :math:`(C \\cdot H \\cdot n, d)`.
    """

    graphs: slice | Tensor
    size: int
    hidden: Tensor | None = None
    padding: Tensor | None = None

    def take(self, x: Tensor) -> Tensor:
        """Cut the block out of :math:`(B, H, N, d)`, padding set to zero."""
        if isinstance(self.graphs, slice):
            return x[self.graphs]
        block = x.narrow(2, 0, self.size).index_select(0, self.graphs)
        if self.padding is not None:
            # Filling rows is several times faster than a broadcast mask,
            # and unlike a product it also clears what is not a number.
            block.view(-1, x.shape[-1]).index_fill_(0, self.padding, 0.0)
        return block

    def put(self, whole: Tensor, part: Tensor) -> None:
        """Write a block back into :math:`(B, H, N, d)`."""
        if isinstance(self.graphs, slice):
            whole[self.graphs] = part
        else:
            whole.narrow(2, 0, self.size).index_copy_(0, self.graphs, part)


def buckets(mask: Tensor | None, shape: torch.Size) -> list[Block]:
    """Cut a padded batch into blocks.

    Parameters
    ----------
    mask : Tensor, optional
        True where a node is real, shape :math:`(B, N)`.
    shape : torch.Size
        That of the queries, :math:`(B, H, N, d)`.

    Returns
    -------
    list of Block
        Graphs without real nodes are in none of them.
    """
    num_graphs, num_heads, num_nodes, _ = shape
    if mask is None:
        step = max(1, _MOST_PAIRS // max(1, num_nodes**2))
        return [
            Block(slice(start, start + step), num_nodes)
            for start in range(0, num_graphs, step)
        ]
    if mask.is_inference():
        # It may change without a trace.
        return _blocks_of(mask, num_heads)
    # A copy takes attributes along, hence the identity.
    key = (id(mask), mask._version, num_heads)
    known, blocks = getattr(mask, _BLOCKS, (None, []))
    if known != key:
        blocks = _blocks_of(mask, num_heads)
        setattr(mask, _BLOCKS, (key, blocks))
    return blocks


def _blocks_of(mask: Tensor, num_heads: int) -> list[Block]:
    sizes = mask.sum(dim=1)
    places = torch.arange(mask.shape[1], device=mask.device)
    order = torch.argsort(sizes, stable=True)
    if not torch.equal(mask, places < sizes[:, None]):
        # Real nodes do not come first: nothing can be cut off.
        return [_block(mask, order, mask.shape[1], num_heads)]
    ascending = sizes[order].cpu().numpy()
    # Graphs without nodes are left out.
    empty = int(np.searchsorted(ascending, 1))
    order, ascending = order[empty:], ascending[empty:]
    return [
        _block(mask, order[start:stop], int(ascending[stop - 1]), num_heads)
        for start, stop in _cut(ascending)
    ]


def _block(mask: Tensor, graphs: Tensor, size: int, num_heads: int) -> Block:
    hidden = ~mask[graphs, :size]
    graph, node = hidden.nonzero().unbind(1)
    if len(graph) == 0:
        return Block(graphs, size)
    heads = torch.arange(num_heads, device=mask.device)
    rows = (graph[:, None] * num_heads + heads) * size + node[:, None]
    return Block(graphs, size, hidden, rows.flatten())


def _cut(sizes: np.ndarray) -> list[tuple[int, int]]:
    """The cheapest cuts of ascending sizes into blocks."""
    count = len(sizes)
    pairs = sizes.astype(np.float64) ** 2
    cost = np.zeros(count + 1)
    begin = np.zeros(count + 1, dtype=np.int64)
    for stop in range(1, count + 1):
        # Blocks that end here: all beginnings at once.
        most = max(1, int(_MOST_PAIRS // pairs[stop - 1]))
        first = max(0, stop - most)
        starts = np.arange(first, stop)
        total = cost[starts] + (stop - starts) * pairs[stop - 1]
        best = int(np.argmin(total))
        begin[stop] = starts[best]
        cost[stop] = total[best] + _PAIRS_A_BLOCK
    cuts, stop = [], count
    while stop > 0:
        cuts.append((int(begin[stop]), stop))
        stop = int(begin[stop])
    return cuts[::-1]
