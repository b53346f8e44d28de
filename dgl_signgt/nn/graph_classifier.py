"""Classification of graphs on top of any encoder"""

from __future__ import annotations

import torch
from dgl import DGLGraph
from torch import Tensor, nn
from torch.nn import functional

from dgl_signgt.nn.checks import check_choice
from dgl_signgt.nn.norms import NORMS
from dgl_signgt.nn.pooling import make_pooling
from dgl_signgt.nn.readout import Readout

__all__ = ["POOLED_LAYERS", "READOUT_NORMS", "GraphClassifier"]

POOLED_LAYERS = ("last", "all", "features")
# A graph's own norm is over its nodes, and here they are one already.
READOUT_NORMS = ("none", "layer", "batch")


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
        From nodes to a graph: mean, sum, max, log-sum, attention or set2set.
        Default: mean.
    readout_layers : int, optional
        Linear layers of the head. Default: 1.
    activation : str, optional
        Activation between them. Default: relu.
    dropout : float, optional
        Dropout between them. Default: 0.
    pooled_layers : str, optional
        What is pooled: the last layer's representations, or all: the
        projected input and those of each layer, beside each other, from an
        encoder that takes ``return_hidden``, or features: these and the
        features as they are, which must be numbers. Default: last.
    readout_norm : str, optional
        Normalisation before the head: batch, layer or none. Default: none.

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
        pooled_layers: str = "last",
        readout_norm: str = "none",
    ) -> None:
        super().__init__()
        check_choice("pooled_layers", pooled_layers, POOLED_LAYERS)
        check_choice("readout_norm", readout_norm, READOUT_NORMS)
        self.encoder = encoder
        self.pooled_layers = pooled_layers
        if pooled_layers != "last":
            hidden_size *= 1 + len(encoder.layers)
        if pooled_layers == "features":
            in_size = encoder.projection.in_size
            if not isinstance(in_size, int):
                raise ValueError(
                    "pooled_layers: categorical features cannot be pooled as "
                    "they are; use all."
                )
            hidden_size += in_size
        self.pooling, pooled_size = make_pooling(pooling, hidden_size)
        self.readout_norm = NORMS[readout_norm](pooled_size)
        self.readout = Readout(
            pooled_size, num_classes, readout_layers, activation, dropout
        )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.encoder.reset_parameters()
        if hasattr(self.readout_norm, "reset_parameters"):
            self.readout_norm.reset_parameters()
        for part in self.pooling.modules():
            if part is not self.pooling and hasattr(part, "reset_parameters"):
                part.reset_parameters()
        self.readout.reset_parameters()

    def represent(self, g: DGLGraph, feat: Tensor) -> Tensor:
        """Represent each graph: what the head scores.

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
            Shape :math:`(B, d)`.
        """
        if self.pooled_layers == "last":
            hidden = self.encoder(g, feat)
        else:
            states = self.encoder(g, feat, return_hidden=True)
            if self.pooled_layers == "features":
                dtype = self.encoder.projection.linear.weight.dtype
                states = [feat.to_dense().to(dtype), *states]
            hidden = torch.cat(states, -1)
        # DGL sums the nodes of a graph on the CPU in full precision only.
        with torch.autocast(hidden.device.type, enabled=False):
            if hidden.dtype in (torch.float16, torch.bfloat16):
                hidden = hidden.float()
            return self.pooling(g, hidden)

    def forward(self, g: DGLGraph, feat: Tensor) -> Tensor:
        """Score the classes of each graph.

        Parameters
        ----------
        g, feat
            See :meth:`represent`.

        Returns
        -------
        Tensor
            Logits, shape :math:`(B, C)`.
        """
        pooled, norm = self.represent(g, feat), self.readout_norm
        if isinstance(norm, nn.BatchNorm1d) and len(pooled) == 1:
            # A single graph has no spread: the known one, in training, too.
            pooled = functional.batch_norm(
                pooled,
                norm.running_mean,
                norm.running_var,
                norm.weight,
                norm.bias,
                eps=norm.eps,
            )
            return self.readout(pooled)
        return self.readout(norm(pooled))
