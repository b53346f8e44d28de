"""How tiled attention is cut up: tiles over queries, a share a worker."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["Buffers", "Tile", "by_head", "cut_keys", "share_tiles"]

# Bytes of one tile of scores: tiles that stay in the last-level cache make
# the element-wise passes cheap. But every tile reads all keys and values, so
# it has some rows for each of their features.
_TILE_BYTES = 2 << 20
_ROWS_A_FEATURE = 1.5
_ROW_RANGE = (16, 512)

# Keys are cut into blocks of about this many: that keeps a product in the
# thread's own cache. Their number is a multiple of the alignment, so that
# rows of scores begin at cache lines.
_KEYS_A_BLOCK = 896
_ALIGNMENT = 16


@dataclass(frozen=True)
class Tile:
    """Some rows of one head of one graph."""

    graph: int
    head: int
    nodes: slice | Tensor  # the graph's real nodes
    rows: slice  # among them
    number: int  # among the tiles of all heads

    @property
    def index(self) -> tuple:
        """Where the rows are in a tensor of shape (B, H, N, ...)."""
        if isinstance(self.nodes, slice):
            return self.graph, self.head, self.rows
        return self.graph, self.head, self.nodes[self.rows]


def share_tiles(q: Tensor, mask: Tensor | None, count: int) -> list[list[Tile]]:
    """The tiles of each of ``count`` workers.

    A worker has neighbouring tiles, and so whole heads where there are
    enough. The shares depend on nothing but shapes and the mask.

    Parameters
    ----------
    q : Tensor
        Queries, shape :math:`(B, H, N, d)`.
    mask : Tensor or None
        True for real nodes, shape :math:`(B, N)`.
    count : int
        The number of workers.

    Returns
    -------
    list of list of Tile
        One list a worker.
    """
    tiles: list[Tile] = []
    for graph in range(q.shape[0]):
        nodes, num_nodes = slice(None), q.shape[2]
        if mask is not None:
            nodes, num_nodes = _real_nodes(mask[graph])
        # Scores have 32 bits at the least.
        height = _tile_rows(num_nodes, q.shape[3], max(4, q.element_size()))
        for head in range(q.shape[1]):
            for start in range(0, num_nodes, height):
                rows = slice(start, min(start + height, num_nodes))
                tiles.append(Tile(graph, head, nodes, rows, len(tiles)))
    ends = [len(tiles) * worker // count for worker in range(count + 1)]
    return [tiles[a:b] for a, b in pairwise(ends)]


def by_head(tiles: list[Tile]) -> Iterator[tuple[tuple, list[Tile]]]:
    """The index of each head's real nodes, and the head's tiles."""
    for _, group in groupby(tiles, lambda tile: (tile.graph, tile.head)):
        found = list(group)
        yield (found[0].graph, found[0].head, found[0].nodes), found


def cut_keys(x: Tensor) -> Tensor:
    """Rows in blocks of equal length, filled up with zeros."""
    num_nodes, size = x.shape
    count = max(1, math.ceil(num_nodes / _KEYS_A_BLOCK))
    length = math.ceil(num_nodes / (count * _ALIGNMENT)) * _ALIGNMENT
    padded = functional.pad(x, (0, 0, 0, count * length - num_nodes))
    return padded.view(count, length, size)


class Buffers:
    """One worker's memory, which every tile uses again.

    Fresh memory for each tile would cost more in page faults than the
    arithmetic on it.
    """

    def __init__(self) -> None:
        self.flat: dict[str, Tensor] = {}

    def get(self, name: str, keys: Tensor, tile: Tile) -> Tensor:
        """A tensor of all pairs of a tile's rows and the blocks of keys."""
        height = tile.rows.stop - tile.rows.start
        shape = (keys.shape[0], height, keys.shape[1])
        return self._take(name, shape, keys.device, keys.dtype)

    def like(self, name: str, x: Tensor, dtype: torch.dtype) -> Tensor:
        """A tensor of the shape of ``x``."""
        return self._take(name, tuple(x.shape), x.device, dtype)

    def _take(
        self,
        name: str,
        shape: tuple[int, ...],
        device: torch.device,
        dtype: torch.dtype,
    ) -> Tensor:
        size = math.prod(shape)
        if name not in self.flat or self.flat[name].numel() < size:
            self.flat[name] = torch.empty(size, device=device, dtype=dtype)
        return self.flat[name][:size].view(shape)


def _tile_rows(num_keys: int, size: int, element_size: int) -> int:
    """How many queries a tile holds, from the shape of the keys alone."""
    rows = max(
        _TILE_BYTES // max(1, num_keys * element_size),
        int(_ROWS_A_FEATURE * size),
    )
    low, high = _ROW_RANGE
    return min(max(rows // 16 * 16, low), high)


def _real_nodes(mask: Tensor) -> tuple[slice | Tensor, int]:
    """A slice where the real nodes come first: indexing it copies nothing."""
    nodes = mask.nonzero().squeeze(-1)
    if len(nodes) == 0 or int(nodes[-1]) == len(nodes) - 1:
        return slice(0, len(nodes)), len(nodes)
    return nodes, len(nodes)
