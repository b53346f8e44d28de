"""SignGT encoder"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from dgl import DGLGraph
from torch import Tensor, nn

from dgl_signgt.nn.activations import activation as make_activation
from dgl_signgt.nn.checks import check_graph, check_whole
from dgl_signgt.nn.dropout import Dropout
from dgl_signgt.nn.input_projection import InputProjection
from dgl_signgt.nn.norms import NORMS, normalise
from dgl_signgt.nn.signgt_layer import SignGTLayer
from dgl_signgt.ops import PaddingIndex

__all__ = ["SignGTEncoder"]


class SignGTEncoder(nn.Module):
    r"""The encoder of `SignGT <https://arxiv.org/abs/2310.11025>`__: an input
    projection and a stack of SignGT layers.

    Parameters
    ----------
    in_size : int or sequence of int
        Number of node features, or the number of values of each column of
        categorical features; see :class:`InputProjection`.
    hidden_size : int, optional
        Size of the node representations. Default: 128.
    num_layers : int, optional
        Number of SignGT layers. Default: 2.
    num_heads : int, optional
        Number of attention heads. Default: 4.
    k : int, optional
        Range of the neighbourhood. Default: 1.
    attention : str, optional
        ``"signed"``, ``"softmax"``, ``"tanh"`` or ``"none"``.
        Default: ``"signed"``.
    norm, norm_place : str, optional
        See :class:`SignGTLayer`. Default: ``"layer"``, ``"post"``.
    activation : str, optional
        Activation of the feed-forward networks. Default: ``"relu"``.
    input_activation : str, optional
        Activation after the input projection. Default: ``"none"``.
    input_drop : float, optional
        Dropout on the input features. Default: 0.
    attn_drop : float, optional
        Dropout on the attention weights. Default: 0.
    dropout : float, optional
        Dropout on the projected input and in the layers. Default: 0.1.
    ffn_ratio : float, optional
        Size inside the feed-forward networks over ``hidden_size``.
        Default: 1.
    attn_bias : bool, optional
        Whether the attention's projections have a bias. Default: False.
    backend, khop_route : str, optional
        See :class:`SignedMHA` and :class:`StructureAwareFFN`.
    residual_place : str, optional
        See :class:`SignGTLayer`. Default: ``"both"``.
    attn_scale : float, optional
        See :class:`SignGTLayer`. Default: :math:`1 / \sqrt{d}`.

    Examples
    --------
    >>> import dgl, torch
    >>> g = dgl.batch([dgl.rand_graph(5, 8), dgl.rand_graph(3, 4)])
    >>> encoder = SignGTEncoder(in_size=7, hidden_size=16, k=2)
    >>> encoder(g, torch.rand(8, 7)).shape
    torch.Size([8, 16])
    >>> hidden = encoder(g, torch.rand(8, 7), return_hidden=True)
    >>> len(hidden)  # the projected input, then one a layer
    3
    """

    def __init__(
        self,
        in_size: int | Sequence[int],
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
        backend: str = "auto",
        khop_route: str = "auto",
        residual_place: str = "both",
        attn_scale: float | None = None,
    ) -> None:
        super().__init__()
        check_whole("num_layers", num_layers, least=1)
        self.projection = InputProjection(in_size, hidden_size, input_drop)
        self.input_activation = make_activation(input_activation)
        self.dropout = Dropout(dropout)
        self.layers = nn.ModuleList(
            SignGTLayer(
                hidden_size,
                num_heads,
                k,
                attention,
                norm,
                norm_place,
                activation,
                attn_drop,
                dropout,
                ffn_ratio,
                attn_bias,
                backend,
                khop_route,
                residual_place,
                attn_scale,
            )
            for _ in range(num_layers)
        )
        # Layers that normalise their input leave their output as it is.
        last_norm = norm if norm_place == "pre" else "none"
        self.last_norm = NORMS[last_norm](hidden_size)

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        for part in (self.projection, *self.layers, self.last_norm):
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()

    def forward(
        self, g: DGLGraph, feat: Tensor, return_hidden: bool = False
    ) -> Tensor | list[Tensor]:
        """Encode the nodes.

        Parameters
        ----------
        g : DGLGraph
            A graph or a batch: raw, or one made by
            :func:`dgl_signgt.khop_graph` with the same ``k``.
        feat : Tensor
            Node features; see :meth:`InputProjection.forward`.
        return_hidden : bool, optional
            Return the representations before the first layer and after
            each, instead of the last alone.

        Returns
        -------
        Tensor or list of Tensor
            Shape :math:`(N, h)` each.
        """
        check_graph(g, feat)
        index = PaddingIndex(g.batch_num_nodes())
        hidden = self.dropout(self.input_activation(self.projection(feat)))
        states = [hidden]
        for layer in self.layers:
            states.append(layer(g, states[-1], index))
            if not return_hidden:
                states = states[-1:]
        states[-1] = normalise(self.last_norm, g, states[-1])
        return states if return_hidden else states[-1]

    @torch.no_grad()
    def attention(
        self, g: DGLGraph, feat: Tensor, layer: int, nodes: Tensor
    ) -> Tensor:
        """Signed attention weights of some nodes, without dropout.

        Parameters
        ----------
        g : DGLGraph
            One graph, not a batch.
        feat : Tensor
            Its node features.
        layer : int
            Number of the layer, from 0 (or from -1 backwards).
        nodes : Tensor or sequence of int
            The nodes whose rows are wanted, shape :math:`(R,)`.

        Returns
        -------
        Tensor
            Shape :math:`(H, R, N)`.
        """
        if g.batch_size != 1:
            raise ValueError("Attention is shown for one graph: unbatch first.")
        if not -len(self.layers) <= layer < len(self.layers):
            raise ValueError(
                f"layer must be below {len(self.layers)}, got {layer}."
            )
        layer %= len(self.layers)
        modes = [(part, part.training) for part in self.modules()]
        self.eval()
        try:
            states = self(g, feat, return_hidden=True)
            return self.layers[layer].attention_weights(g, states[layer], nodes)
        finally:
            for part, training in modes:
                part.training = training
