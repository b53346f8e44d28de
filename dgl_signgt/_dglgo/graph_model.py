"""SignGT as a model of dglgo's graph pipeline.

dglgo pastes this whole file into the scripts it generates. So it holds one
class, imports by full names, and has no ``__future__`` import.
"""

import torch
import torch.nn as nn
from ogb.utils.features import get_atom_feature_dims

from dgl_signgt.nn import SignGTGraphClassifier


class SignGTGraphModel(nn.Module):
    def __init__(
        self,
        data_info: dict,
        hidden_size: int = 128,
        num_layers: int = 3,
        num_heads: int = 4,
        k: int = 1,
        attention: str = "signed",
        norm: str = "batch",
        norm_place: str = "post",
        activation: str = "relu",
        pooling: str = "sum",
        attn_drop: float = 0.0,
        dropout: float = 0.1,
        ffn_ratio: float = 1.0,
    ):
        """Signed attention-based graph Transformer

        Edge features are ignored in this model.

        Parameters
        ----------
        data_info : dict
            The information about the input dataset.
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
        pooling : str
            Can be 'mean', 'sum', 'max', 'log-sum', 'attention', 'set2set'.
        attn_drop : float
            Dropout rate of the attention weights.
        dropout : float
            Dropout rate.
        ffn_ratio : float
            Width of the feed-forward network in hidden sizes.
        """
        super().__init__()
        self.data_info = data_info
        # The molecules of OGB have nine categorical columns an atom.
        molecules = data_info["name"] in ("ogbg-molhiv", "ogbg-molpcba")
        self.model = SignGTGraphClassifier(
            (
                get_atom_feature_dims()
                if molecules
                else data_info["node_feat_size"]
            ),
            data_info["out_size"],
            hidden_size=hidden_size,
            num_layers=num_layers,
            num_heads=num_heads,
            k=k,
            attention=attention,
            norm=norm,
            norm_place=norm_place,
            activation=activation,
            pooling=pooling,
            attn_drop=attn_drop,
            dropout=dropout,
            ffn_ratio=ffn_ratio,
        )

    def forward(self, g, node_feat, edge_feat=None) -> torch.Tensor:
        return self.model(g, node_feat)
