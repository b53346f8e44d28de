"""Baselines for node classification"""

from __future__ import annotations

from collections.abc import Sequence

from dgl_signgt.nn.baselines.baseline_encoder import BaselineEncoder
from dgl_signgt.nn.node_classifier import NodeClassifier

__all__ = ["NodeBaseline"]


class NodeBaseline(NodeClassifier):
    r"""A message passing network for nodes: an input projection, a stack of
    convolutions of ``dgl.nn`` and an MLP on each node's representation.

    ``conv`` chooses `GCN <https://arxiv.org/abs/1609.02907>`__, `GAT
    <https://arxiv.org/abs/1710.10903>`__, `SGC
    <https://arxiv.org/abs/1902.07153>`__, `GraphSAGE
    <https://arxiv.org/abs/1706.02216>`__ or `GIN
    <https://arxiv.org/abs/1810.00826>`__.

    Parameters
    ----------
    in_size : int or sequence of int
        Number of node features, or the number of values of each column of
        categorical features.
    num_classes : int
        Number of outputs.
    conv : str, optional
        gcn, gat, sgc, sage or gin. Default: gcn.
    hidden_size : int, optional
        Size of the node representations. Default: 128.
    num_layers : int, optional
        Number of convolutions. Default: 2.
    num_heads : int, optional
        Attention heads of gat, which share hidden_size. Default: 4.
    k : int, optional
        Hops of sgc. Default: 2.
    aggregator : str, optional
        How sage sums up the neighbours: mean, pool or gcn. Default: mean.
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
        Dropout in the layers (of gat, on its attention, too) and in the
        head. Default: 0.1.
    readout_layers : int, optional
        Linear layers of the head. Default: 1.

    Examples
    --------
    >>> import dgl, torch
    >>> model = NodeBaseline(in_size=7, num_classes=3, conv="sage")
    >>> model(dgl.rand_graph(5, 8), torch.rand(5, 7)).shape
    torch.Size([5, 3])
    """

    def __init__(
        self,
        in_size: int | Sequence[int],
        num_classes: int,
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
        readout_layers: int = 1,
    ) -> None:
        encoder = BaselineEncoder(
            in_size,
            conv,
            hidden_size,
            num_layers,
            num_heads,
            k,
            aggregator,
            norm,
            activation,
            residual,
            input_drop,
            dropout,
        )
        super().__init__(
            encoder,
            hidden_size,
            num_classes,
            readout_layers,
            activation,
            dropout,
        )
