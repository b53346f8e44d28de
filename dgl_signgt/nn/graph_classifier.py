"""Classification of graphs on top of any encoder"""

from __future__ import annotations

import torch
from dgl import DGLGraph
from torch import Tensor, nn

from dgl_signgt.nn.pooling import make_pooling
from dgl_signgt.nn.readout import Readout

__all__ = ["GraphClassifier"]


class GraphClassifier(nn.Module):
    r"""An encoder, a pooling of each graph's nodes and an MLP.

    Parameters
    ----------
    encoder : nn.Module
        A module of ``(g, feat)`` that represents each node.
    hidden_size : int
        Size of its representations.
    num_classes : int
        Number of outputs.
    pooling : str, optional
        From nodes to a graph: mean, sum, max, attention or set2set.
        Default: mean.
    readout_layers : int, optional
        Linear layers of the head. Default: 1.
    activation : str, optional
        Activation between them. Default: relu.
    dropout : float, optional
        Dropout between them. Default: 0.

    Examples
    --------
    >>> import dgl, torch
    >>> from dgl_signgt.nn import SignGTEncoder
    >>> g = dgl.batch([dgl.rand_graph(5, 8), dgl.rand_graph(3, 4)])
    >>> model = GraphClassifier(SignGTEncoder(7, hidden_size=16), 16, 2)
    >>> model(g, torch.rand(8, 7)).shape
    torch.Size([2, 2])
    """

    def __init__(
        self,
        encoder: nn.Module,
        hidden_size: int,
        num_classes: int,
        pooling: str = "mean",
        readout_layers: int = 1,
        activation: str = "relu",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling, pooled_size = make_pooling(pooling, hidden_size)
        self.readout = Readout(
            pooled_size, num_classes, readout_layers, activation, dropout
        )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.encoder.reset_parameters()
        for part in self.pooling.modules():
            if part is not self.pooling and hasattr(part, "reset_parameters"):
                part.reset_parameters()
        self.readout.reset_parameters()

    def forward(self, g: DGLGraph, feat: Tensor) -> Tensor:
        """Score the classes of each graph.

        Parameters
        ----------
        g : DGLGraph
            A graph or a batch, as the encoder takes it: SignGT's takes a
            raw one or one made by :func:`dgl_signgt.khop_graph` with the
            same ``k``, the baselines' a raw one.
        feat : Tensor
            Node features; see :meth:`InputProjection.forward`.

        Returns
        -------
        Tensor
            Logits, shape :math:`(B, C)`.
        """
        hidden = self.encoder(g, feat)
        # DGL sums the nodes of a graph on the CPU in full precision only.
        with torch.autocast(hidden.device.type, enabled=False):
            if hidden.dtype in (torch.float16, torch.bfloat16):
                hidden = hidden.float()
            pooled = self.pooling(g, hidden)
        return self.readout(pooled)
