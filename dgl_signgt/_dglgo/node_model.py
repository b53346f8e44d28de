"""SignGT as a model of dglgo's node pipelines.

dglgo pastes this whole file into the scripts it generates. So it holds one
class, imports by full names, and has no ``__future__`` import.
"""

import torch
import torch.nn as nn

from dgl_signgt.nn import SignGTNodeClassifier


class SignGTNodeModel(nn.Module):
    def __init__(
        self,
        data_info: dict,
        embed_size: int = -1,
        hidden_size: int = 128,
        num_layers: int = 1,
        num_heads: int = 1,
        k: int = 3,
        attention: str = "signed",
        norm: str = "layer",
        norm_place: str = "post",
        activation: str = "relu",
        input_drop: float = 0.0,
        attn_drop: float = 0.0,
        dropout: float = 0.5,
        ffn_ratio: float = 1.0,
    ):
        """Signed attention-based graph Transformer

        Parameters
        ----------
        data_info : dict
            The information about the input dataset.
        embed_size : int
            Size of a learned node embedding. -1 means using the features
        hidden_size : int
            Hidden size.
        num_layers : int
            Number of layers.
        num_heads : int
            Number of attention heads.
        k : int
            Hops of the structure-aware feed-forward network.
        attention : str
            Attention weights. Can be 'signed', 'softmax', 'tanh', 'none'.
        norm : str
            Normalization. Can be 'layer', 'batch', 'graph', 'none'.
        norm_place : str
            Normalization after ('post') or before ('pre') each part of a layer.
        activation : str
            Activation function.
        input_drop : float
            Dropout rate of the input features.
        attn_drop : float
            Dropout rate of the attention weights.
        dropout : float
            Dropout rate.
        ffn_ratio : float
            Width of the feed-forward network in hidden sizes.
        """
        super().__init__()
        self.data_info = data_info
        self.embed_size = embed_size
        if embed_size > 0:
            self.embed = nn.Embedding(data_info["num_nodes"], embed_size)
        self.model = SignGTNodeClassifier(
            embed_size if embed_size > 0 else data_info["in_size"],
            data_info["out_size"],
            hidden_size=hidden_size,
            num_layers=num_layers,
            num_heads=num_heads,
            k=k,
            attention=attention,
            norm=norm,
            norm_place=norm_place,
            activation=activation,
            input_drop=input_drop,
            attn_drop=attn_drop,
            dropout=dropout,
            ffn_ratio=ffn_ratio,
        )

    def forward(self, g, node_feat, edge_feat=None) -> torch.Tensor:
        h = self.embed.weight if self.embed_size > 0 else node_feat
        return self.model(g, h)
