"""Normalisation over the nodes of each graph"""

from __future__ import annotations

import dgl
import torch
from dgl import DGLGraph
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["GraphNorm"]


class GraphNorm(nn.Module):
    r"""Normalisation of each feature over the nodes of each graph.

    .. math::
        \mathrm{Norm}(h_i) = \gamma \, \frac{h_i - \mu}
        {\sqrt{\sigma^2 + \epsilon}} + \beta

    with the mean :math:`\mu` and the variance :math:`\sigma^2` (over
    :math:`n`) of the nodes in the graph of node :math:`i`. Unlike batch
    normalisation it has no running statistics: it does the same in training
    and in evaluation, and a graph's result does not depend on what else is
    in the batch. With one step an epoch, as on a single graph, running
    statistics are always those of a model some epochs ago.

    Parameters
    ----------
    feat_size : int
        Feature size, in and out.
    eps : float, optional
        Added to the variance. Default: 1e-5.

    Examples
    --------
    >>> import dgl, torch
    >>> g = dgl.batch([dgl.rand_graph(2, 3), dgl.rand_graph(2, 3)])
    >>> norm = GraphNorm(1)
    >>> out = norm(g, torch.tensor([[0.0], [2.0], [0.0], [200.0]]))
    >>> out.squeeze(1).round().tolist()
    [-1.0, 1.0, -1.0, 1.0]
    """

    def __init__(self, feat_size: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(feat_size))
        self.bias = nn.Parameter(torch.empty(feat_size))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start from plain normalisation."""
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, g: DGLGraph, feat: Tensor) -> Tensor:
        """Normalise node features.

        Parameters
        ----------
        g : DGLGraph
            A graph, or a batch of graphs; only its sizes are used.
        feat : Tensor
            Node features, shape :math:`(N, d)`.

        Returns
        -------
        Tensor
            Shape :math:`(N, d)`.
        """
        if g.batch_size == 1 and len(feat) > 1:
            # The same in one kernel; it refuses a single node.
            return functional.batch_norm(
                feat, None, None, self.weight, self.bias, True, eps=self.eps
            )
        sizes, dtype = g.batch_num_nodes(), feat.dtype
        # Means of 16 bits are too coarse, and DGL has no kernel for them.
        feat = feat.to(torch.promote_types(dtype, torch.float32))
        feat = feat - _mean_of_graph(sizes, feat)
        variance = _mean_of_graph(sizes, feat.square())
        feat = feat * torch.rsqrt(variance + self.eps)
        return (feat * self.weight + self.bias).to(dtype)

    def extra_repr(self) -> str:
        return f"{len(self.weight)}, eps={self.eps}"


def _mean_of_graph(sizes: Tensor, feat: Tensor) -> Tensor:
    """For each node the mean over its graph."""
    means = dgl.ops.segment_reduce(sizes, feat, reducer="mean")
    return means.repeat_interleave(sizes.long(), 0)
