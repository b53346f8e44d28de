"""Classification of nodes on top of any encoder"""

from __future__ import annotations

from dgl import DGLGraph
from torch import Tensor, nn

from dgl_signgt.nn.readout import Readout

__all__ = ["NodeClassifier"]


class NodeClassifier(nn.Module):
    r"""An encoder and an MLP on each node's representation.

    Parameters
    ----------
    encoder : nn.Module
        A module of ``(g, feat)`` that represents each node.
    hidden_size : int
        Size of its representations.
    num_classes : int
        Number of outputs.
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
    >>> model = NodeClassifier(SignGTEncoder(7, hidden_size=16), 16, 3)
    >>> model(dgl.rand_graph(5, 8), torch.rand(5, 7)).shape
    torch.Size([5, 3])
    """

    def __init__(
        self,
        encoder: nn.Module,
        hidden_size: int,
        num_classes: int,
        readout_layers: int = 1,
        activation: str = "relu",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.readout = Readout(
            hidden_size, num_classes, readout_layers, activation, dropout
        )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.encoder.reset_parameters()
        self.readout.reset_parameters()

    def forward(self, g: DGLGraph, feat: Tensor) -> Tensor:
        """Score the classes of each node.

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
            Logits, shape :math:`(N, C)`.
        """
        return self.readout(self.encoder(g, feat))
