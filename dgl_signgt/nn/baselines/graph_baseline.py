"""Baselines for graph classification"""

from __future__ import annotations

from collections.abc import Sequence

from dgl_signgt.nn.baselines.baseline_encoder import BaselineEncoder
from dgl_signgt.nn.graph_classifier import GraphClassifier

__all__ = ["GraphBaseline"]


class GraphBaseline(GraphClassifier):
    r"""A message passing network for graphs: an input projection, a stack of
    convolutions of ``dgl.nn``, a pooling of each graph's nodes and an MLP.

    :class:`NodeBaseline` says which convolutions there are.

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
    pooling : str, optional
        From nodes to a graph: mean, sum, max, log-sum, attention or set2set.
        Default: mean.
    readout_layers : int, optional
        Linear layers of the head. Default: 1.

    Examples
    --------
    >>> import dgl, torch
    >>> g = dgl.batch([dgl.rand_graph(5, 8), dgl.rand_graph(3, 4)])
    >>> model = GraphBaseline(in_size=7, num_classes=2, conv="gin")
    >>> model(g, torch.rand(8, 7)).shape
    torch.Size([2, 2])
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
        pooling: str = "mean",
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
            pooling,
            readout_layers,
            activation,
            dropout,
        )
