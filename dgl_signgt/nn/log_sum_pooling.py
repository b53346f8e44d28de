"""Sums over the nodes of a graph, on a logarithmic scale"""

from __future__ import annotations

import torch
from dgl import DGLGraph
from dgl.nn.pytorch.glob import SumPooling
from torch import Tensor

__all__ = ["LogSumPooling"]


class LogSumPooling(SumPooling):
    r"""The sum over the nodes of each graph, on a logarithmic scale.

    .. math::
        r = \mathrm{sgn}(s) \log(1 + |s|), \qquad s = \sum_{v \in g} h_v

    A sum counts what a mean loses, but where one graph has ten nodes and
    another five hundred, the largest graphs drown the others in a norm or a
    linear layer. On this scale ten times as many, of many, is a step of the
    same length everywhere.

    Examples
    --------
    >>> import dgl, torch
    >>> g = dgl.batch([dgl.rand_graph(5, 8), dgl.rand_graph(3, 4)])
    >>> LogSumPooling()(g, torch.ones(8, 1)).exp().round()
    tensor([[6.],
            [4.]])
    """

    def forward(self, graph: DGLGraph, feat: Tensor) -> Tensor:
        """Pool.

        Parameters
        ----------
        graph : DGLGraph
            A graph or a batch.
        feat : Tensor
            Node representations, shape :math:`(N, d)`.

        Returns
        -------
        Tensor
            Shape :math:`(B, d)`.
        """
        total = super().forward(graph, feat)
        # The slope at zero is one; that of sgn and of abs would be none.
        sign = torch.where(total < 0, -1, 1).to(total)
        return sign * torch.log1p(sign * total)
