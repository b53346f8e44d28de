"""Encoder of the baselines"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from dgl import DGLGraph
from torch import Tensor, nn

from dgl_signgt.nn.activations import activation as make_activation
from dgl_signgt.nn.baselines.convolutions import SELF_LOOPS, make_convolution
from dgl_signgt.nn.baselines.simple_graph import simple_graph
from dgl_signgt.nn.checks import check_choice, check_graph, check_whole
from dgl_signgt.nn.dropout import Dropout
from dgl_signgt.nn.input_projection import InputProjection
from dgl_signgt.nn.norms import NORMS, normalise

__all__ = ["BaselineEncoder"]


class BaselineEncoder(nn.Module):
    r"""SignGT's input projection and a stack of graph convolutions.

    .. math::
        H^{(l+1)} = \mathrm{Dropout}\left(\sigma\left(\mathrm{Norm}\left(
        \mathrm{Conv}(H^{(l)})\right)\right)\right)

    With ``residual``, :math:`H^{(l)}` is added to it.

    Parameters
    ----------
    in_size : int or sequence of int
        Number of node features, or the number of values of each column of
        categorical features; see :class:`InputProjection`.
    conv : str, optional
        gcn, gat, sgc, sage or gin. Default: gcn.
    hidden_size : int, optional
        Size of the node representations. Default: 128.
    num_layers : int, optional
        Number of convolutions. Default: 2.
    num_heads, k, aggregator : optional
        Options of gat, sgc and sage; see :class:`NodeBaseline`.
        Default: 4, 2, mean.
    norm : str, optional
        Normalisation after a convolution: layer, batch, graph or none.
        Default: none.
    activation : str, optional
        Activation after a convolution. Default: relu.
    residual : bool, optional
        Whether the input of a layer is added to its output. Default: False.
    input_drop : float, optional
        Dropout on the input features. Default: 0.
    dropout : float, optional
        Dropout on the projected input and after each activation.
        Default: 0.1.

    Examples
    --------
    >>> import dgl, torch
    >>> encoder = BaselineEncoder(in_size=7, conv="gat", hidden_size=16)
    >>> encoder(dgl.rand_graph(5, 8), torch.rand(5, 7)).shape
    torch.Size([5, 16])
    """

    def __init__(
        self,
        in_size: int | Sequence[int],
        conv: str = "gcn",
        hidden_size: int = 128,
        num_layers: int = 2,
        num_heads: int = 4,
        k: int = 2,
        aggregator: str = "mean",
        norm: str = "none",
        activation: str = "relu",
        residual: bool = False,
        input_drop: float = 0.0,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        check_whole("num_layers", num_layers, least=1)
        check_choice("norm", norm, tuple(NORMS))
        self.self_loops = conv in SELF_LOOPS
        self.residual = residual
        self.projection = InputProjection(in_size, hidden_size, input_drop)
        self.convs = nn.ModuleList(
            make_convolution(
                conv, hidden_size, num_heads, k, aggregator, activation, dropout
            )
            for _ in range(num_layers)
        )
        self.norms = nn.ModuleList(
            NORMS[norm](hidden_size) for _ in range(num_layers)
        )
        self.activation = make_activation(activation)
        self.dropout = Dropout(dropout)

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        for part in (self.projection, *self.convs, *self.norms):
            # GINConv has no method of its own, but its MLP has.
            part = getattr(part, "apply_func", part)
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()

    def forward(self, g: DGLGraph, feat: Tensor) -> Tensor:
        """Encode the nodes.

        Parameters
        ----------
        g : DGLGraph
            A raw graph or a batch. Its edges are taken in both directions,
            and self-loops are added where the convolution needs them.
        feat : Tensor
            Node features; see :meth:`InputProjection.forward`.

        Returns
        -------
        Tensor
            Shape :math:`(N, h)`.
        """
        check_graph(g, feat)
        graph = simple_graph(g, self.self_loops)
        hidden = self.dropout(self.projection(feat))
        # DGL's layers are not made for autocast: GATConv stops at its mix
        # of types.
        with torch.autocast(hidden.device.type, enabled=False):
            if hidden.dtype in (torch.float16, torch.bfloat16):
                hidden = hidden.float()
            for conv, norm in zip(self.convs, self.norms):
                # GATConv keeps its heads apart.
                out = normalise(norm, g, conv(graph, hidden).flatten(1))
                out = self.dropout(self.activation(out))
                hidden = hidden + out if self.residual else out
        return hidden
