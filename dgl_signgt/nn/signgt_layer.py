"""SignGT layer"""

from __future__ import annotations

from collections.abc import Callable

from dgl import DGLGraph
from torch import Tensor, nn

from dgl_signgt.nn.checks import check_choice, check_graph
from dgl_signgt.nn.dropout import Dropout
from dgl_signgt.nn.norms import NORMS, normalise
from dgl_signgt.nn.signed_mha import SignedMHA
from dgl_signgt.nn.structure_aware_ffn import StructureAwareFFN
from dgl_signgt.ops import KINDS, PaddingIndex

__all__ = ["ATTENTIONS", "NORM_PLACES", "RESIDUALS", "SignGTLayer"]

ATTENTIONS = (*KINDS, "none")
NORM_PLACES = ("post", "pre")
RESIDUALS = ("both", "ffn", "layer")


class SignGTLayer(nn.Module):
    r"""One layer of `SignGT <https://arxiv.org/abs/2310.11025>`__: signed
    attention over the whole graph, then the structure-aware feed-forward
    network, each with a residual connection unless ``residual_place`` says
    otherwise.

    With the normalisation after the sum (``"post"``):

    .. math::
        H' &= \mathrm{Norm}(H + \mathrm{MHA}(H)) \\
        H'' &= \mathrm{Norm}(H' + \mathrm{SFFN}(H'))

    and before each part (``"pre"``):

    .. math::
        H' &= H + \mathrm{MHA}(\mathrm{Norm}(H)) \\
        H'' &= H' + \mathrm{SFFN}(\mathrm{Norm}(H'))

    Parameters
    ----------
    feat_size : int
        Feature size, in and out.
    num_heads : int
        Number of attention heads.
    k : int, optional
        Range of the neighbourhood. Default: 1.
    attention : str, optional
        ``"signed"``, ``"softmax"``, ``"tanh"``, or ``"none"``: the
        feed-forward network alone. Default: ``"signed"``.
    norm : str, optional
        ``"layer"``, ``"batch"`` (over the nodes of the batch), ``"graph"``
        (over the nodes of each graph) or ``"none"``. Default: ``"layer"``.
    norm_place : str, optional
        ``"post"`` or ``"pre"``. Default: ``"post"``.
    activation : str, optional
        Activation of the feed-forward network. Default: ``"relu"``.
    attn_drop : float, optional
        Dropout on the attention weights. Default: 0.
    dropout : float, optional
        Dropout on the output of each part and inside the feed-forward
        network. Default: 0.
    ffn_ratio : float, optional
        Size inside the feed-forward network over ``feat_size``. Default: 1.
    attn_bias : bool, optional
        Whether the attention's projections have a bias. Default: False.
    backend, khop_route : str, optional
        See :class:`SignedMHA` and :class:`StructureAwareFFN`.
    residual_place : str, optional
        Where the residual connections are: around ``"both"`` parts, around
        the feed-forward network alone (``"ffn"``: a node goes on with what
        it attended to), or one around the whole ``"layer"``. Default:
        ``"both"``.
    attn_scale : float, optional
        Factor of the attention's scores. Default: :math:`1 / \sqrt{d}` for
        heads of size :math:`d`.

    Examples
    --------
    >>> import dgl, torch
    >>> g = dgl.rand_graph(5, 8)
    >>> layer = SignGTLayer(feat_size=16, num_heads=4, k=2)
    >>> layer(g, torch.rand(5, 16)).shape
    torch.Size([5, 16])
    """

    def __init__(
        self,
        feat_size: int,
        num_heads: int,
        k: int = 1,
        attention: str = "signed",
        norm: str = "layer",
        norm_place: str = "post",
        activation: str = "relu",
        attn_drop: float = 0.0,
        dropout: float = 0.0,
        ffn_ratio: float = 1.0,
        attn_bias: bool = False,
        backend: str = "auto",
        khop_route: str = "auto",
        residual_place: str = "both",
        attn_scale: float | None = None,
    ) -> None:
        super().__init__()
        check_choice("attention", attention, ATTENTIONS)
        check_choice("norm", norm, tuple(NORMS))
        check_choice("norm_place", norm_place, NORM_PLACES)
        check_choice("residual_place", residual_place, RESIDUALS)
        self.norm_place, self.residual_place = norm_place, residual_place
        self.mha = self.mha_norm = None
        if attention != "none":
            self.mha = SignedMHA(
                feat_size,
                num_heads,
                attention,
                attn_drop,
                attn_bias,
                backend,
                attn_scale,
            )
        self.ffn = StructureAwareFFN(
            feat_size,
            max(1, round(ffn_ratio * feat_size)),
            k,
            activation,
            dropout,
            khop_route,
        )
        if self.mha is not None:
            self.mha_norm = NORMS[norm](feat_size)
        self.ffn_norm = NORMS[norm](feat_size)
        self.dropout = Dropout(dropout)

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        for part in (self.mha, self.ffn, self.mha_norm, self.ffn_norm):
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()

    def forward(
        self, g: DGLGraph, feat: Tensor, index: PaddingIndex | None = None
    ) -> Tensor:
        """Update the nodes' representations.

        Parameters
        ----------
        g : DGLGraph
            A graph or a batch: raw, or one made by
            :func:`dgl_signgt.khop_graph` with the same ``k``.
        feat : Tensor
            Node features, shape :math:`(N, d)`.
        index : PaddingIndex, optional
            That of the batch, where it is already known.

        Returns
        -------
        Tensor
            Shape :math:`(N, d)`.
        """
        if index is None:
            check_graph(g, feat)
            index = PaddingIndex(g.batch_num_nodes())
        hidden = kept = feat
        if self.mha is not None:
            hidden = self._part(
                g,
                feat,
                self.mha_norm,
                lambda x: self.mha(g, x, index),
                feat if self.residual_place == "both" else None,
            )
            if self.residual_place != "layer":
                kept = hidden
        return self._part(
            g, hidden, self.ffn_norm, lambda x: self.ffn(g, x), kept
        )

    def _part(
        self,
        g: DGLGraph,
        feat: Tensor,
        norm: nn.Module,
        part: Callable[[Tensor], Tensor],
        kept: Tensor | None,
    ) -> Tensor:
        """One part with its normalisation, added to what is kept."""
        if self.norm_place == "pre":
            feat = normalise(norm, g, feat)
        out = self.dropout(part(feat))
        if kept is not None:
            out = kept + out
        return out if self.norm_place == "pre" else normalise(norm, g, out)

    def attention_weights(
        self, g: DGLGraph, feat: Tensor, nodes: Tensor
    ) -> Tensor:
        """Attention weights of some nodes of one graph, given the layer's
        input: shape :math:`(H, R, N)`."""
        if self.mha is None:
            raise ValueError("The layer has no attention to show.")
        if self.norm_place == "pre":
            feat = normalise(self.mha_norm, g, feat)
        return self.mha.weights(feat, nodes)

    def extra_repr(self) -> str:
        return (
            f"norm_place={self.norm_place!r}, "
            f"residual_place={self.residual_place!r}"
        )
