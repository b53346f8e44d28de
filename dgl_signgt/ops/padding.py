"""From the flat nodes of a batch of graphs to a padded block, and back."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["PaddingIndex"]


class PaddingIndex:
    """Where each node of a batch stands in the padded block.

    Made once a batch and used by every layer. In all of this package a mask
    is True where a node is real.

    Parameters
    ----------
    sizes : Tensor
        Number of nodes of each graph, shape :math:`(B,)`.

    Examples
    --------
    >>> import torch
    >>> index = PaddingIndex(torch.tensor([2, 1]))
    >>> block = index.pad(torch.tensor([[1.0], [2.0], [3.0]]))
    >>> block.squeeze(-1).tolist()
    [[1.0, 2.0], [3.0, 0.0]]
    >>> index.flatten(block).squeeze(-1).tolist()
    [1.0, 2.0, 3.0]
    """

    def __init__(self, sizes: Tensor) -> None:
        sizes = sizes.long()
        self.num_graphs = len(sizes)
        self.num_nodes = int(sizes.sum())
        self.max_nodes = int(sizes.max()) if self.num_graphs else 0
        #: True where all graphs have the same size: nothing is padded.
        self.is_full = self.num_nodes == self.num_graphs * self.max_nodes
        starts = torch.cumsum(sizes, 0) - sizes
        shift = torch.arange(self.num_graphs, device=sizes.device)
        shift = shift * self.max_nodes - starts
        self._slots = torch.arange(
            self.num_nodes, device=sizes.device
        ) + torch.repeat_interleave(shift, sizes, output_size=self.num_nodes)
        #: True where a node is real, shape (B, N); None if nothing is padded.
        self.mask: Tensor | None = None
        if not self.is_full:
            places = torch.arange(self.max_nodes, device=sizes.device)
            self.mask = places[None, :] < sizes[:, None]

    def pad(self, feat: Tensor) -> Tensor:
        """Lay flat node features out in a block, with zeros as padding.

        Parameters
        ----------
        feat : Tensor
            Shape :math:`(N_1 + \\ldots + N_B, d)`.

        Returns
        -------
        Tensor
            Shape :math:`(B, \\max N, d)`.
        """
        shape = (self.num_graphs, self.max_nodes, feat.shape[-1])
        if self.is_full:
            return feat.reshape(shape)
        block = feat.new_zeros(self.num_graphs * self.max_nodes, shape[-1])
        return block.index_copy(0, self._slots, feat).view(shape)

    def flatten(self, block: Tensor) -> Tensor:
        """Take the real nodes out of a block: the inverse of :meth:`pad`."""
        flat = block.reshape(-1, block.shape[-1])
        return flat if self.is_full else flat.index_select(0, self._slots)
