"""SignGT for graph classification"""

from __future__ import annotations

from collections.abc import Sequence

from dgl import DGLGraph
from torch import Tensor

from dgl_signgt.nn.graph_classifier import GraphClassifier
from dgl_signgt.nn.signgt_encoder import SignGTEncoder

__all__ = ["SignGTGraphClassifier"]


class SignGTGraphClassifier(GraphClassifier):
    r"""`SignGT <https://arxiv.org/abs/2310.11025>`__ for graphs: the encoder,
    a pooling of each graph's nodes and an MLP.

    Parameters
    ----------
    in_size : int or sequence of int
        Number of node features, or the number of values of each column of
        categorical features.
    num_classes : int
        Number of outputs.
    hidden_size : int, optional
        Size of the node representations. Default: 128.
    num_layers : int, optional
        Number of SignGT layers. Default: 2.
    num_heads : int, optional
        Number of attention heads. Default: 4.
    k : int, optional
        Range of the neighbourhood of the feed-forward network. Default: 1.
    attention : str, optional
        signed (SignGT), softmax (SignGT-O), tanh (SignGT-T) or none.
        Default: signed.
    norm : str, optional
        Normalisation: layer, batch, graph (over each graph's nodes) or
        none. Default: layer.
    norm_place : str, optional
        Normalise after (post) or before (pre) each part. Default: post.
    activation : str, optional
        Activation of the feed-forward networks. Default: relu.
    input_activation : str, optional
        Activation after the input projection. Default: none.
    input_drop : float, optional
        Dropout on the input features. Default: 0.
    attn_drop : float, optional
        Dropout on the attention weights. Default: 0.
    dropout : float, optional
        Dropout in the layers and in the head. Default: 0.1.
    ffn_ratio : float, optional
        Size inside the feed-forward networks over hidden_size. Default: 1.
    attn_bias : bool, optional
        Whether the attention's projections have a bias. Default: False.
    pooling : str, optional
        From nodes to a graph: mean, sum, max, log-sum, attention or set2set.
        Default: mean.
    readout_layers : int, optional
        Linear layers of the head. Default: 1.
    backend : str, optional
        Attention backend: auto, reference, dense, tiled or flex.
        Default: auto.
    khop_route : str, optional
        How the k-hop weights are applied: auto, weights or products.
        Default: auto.
    pooled_layers : str, optional
        What is pooled: the last layer, or all: the projected input and each
        layer, beside each other, or features: these and the features as
        they are. Default: last.
    readout_norm : str, optional
        Normalisation of what is pooled: layer, batch or none. Default: none.
    residual_place : str, optional
        Residual connections: around both parts of a layer, around the
        feed-forward network alone (ffn), or around the whole layer.
        Default: both.
    attn_scale : float, optional
        Factor of the attention's scores; null: one over the root of the
        heads' size. Default: None.

    Examples
    --------
    >>> import dgl, torch
    >>> g = dgl.batch([dgl.rand_graph(5, 8), dgl.rand_graph(3, 4)])
    >>> model = SignGTGraphClassifier(in_size=7, num_classes=2)
    >>> model(g, torch.rand(8, 7)).shape
    torch.Size([2, 2])
    """

    def __init__(
        self,
        in_size: int | Sequence[int],
        num_classes: int,
        hidden_size: int = 128,
        num_layers: int = 2,
        num_heads: int = 4,
        k: int = 1,
        attention: str = "signed",
        norm: str = "layer",
        norm_place: str = "post",
        activation: str = "relu",
        input_activation: str = "none",
        input_drop: float = 0.0,
        attn_drop: float = 0.0,
        dropout: float = 0.1,
        ffn_ratio: float = 1.0,
        attn_bias: bool = False,
        pooling: str = "mean",
        readout_layers: int = 1,
        backend: str = "auto",
        khop_route: str = "auto",
        pooled_layers: str = "last",
        readout_norm: str = "none",
        residual_place: str = "both",
        attn_scale: float | None = None,
    ) -> None:
        encoder = SignGTEncoder(
            in_size,
            hidden_size,
            num_layers,
            num_heads,
            k,
            attention,
            norm,
            norm_place,
            activation,
            input_activation,
            input_drop,
            attn_drop,
            dropout,
            ffn_ratio,
            attn_bias,
            backend,
            khop_route,
            residual_place,
            attn_scale,
        )
        super().__init__(
            encoder,
            hidden_size,
            num_classes,
            pooling,
            readout_layers,
            activation,
            dropout,
            pooled_layers,
            readout_norm,
        )

    def attention(
        self, g: DGLGraph, feat: Tensor, layer: int, nodes: Tensor
    ) -> Tensor:
        """Attention weights: see :meth:`SignGTEncoder.attention`."""
        return self.encoder.attention(g, feat, layer, nodes)
