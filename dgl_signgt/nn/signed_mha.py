"""Signed multi-head self-attention"""

from __future__ import annotations

from dgl import DGLGraph
from torch import Tensor, nn

from dgl_signgt.nn.checks import check_choice, check_dropout, check_graph
from dgl_signgt.ops import (
    BACKENDS,
    KINDS,
    PaddingIndex,
    attention_weights,
    signed_attention,
)

__all__ = ["SignedMHA"]


class SignedMHA(nn.Module):
    r"""Signed multi-head self-attention over all nodes of each graph, from
    `SignGT <https://arxiv.org/abs/2310.11025>`__.

    .. math::
        M_{ij} = \mathrm{sgn}(s_{ij})
        \frac{\exp |s_{ij}|}{\sum_k \exp |s_{ik}|}, \qquad
        s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}}

    The heads :math:`M V` are concatenated and projected by :math:`W^O`.

    Parameters
    ----------
    feat_size : int
        Feature size, in and out.
    num_heads : int
        Number of attention heads; ``feat_size`` must be divisible by it.
    attention : str, optional
        ``"signed"``; ``"softmax"`` is the original attention, ``"tanh"``
        has :math:`M_{ij} = \tanh s_{ij}`. Default: ``"signed"``.
    attn_drop : float, optional
        Dropout on the attention weights. Default: 0.
    bias : bool, optional
        Whether the projections have a bias; the paper's have none.
        Default: False.
    backend : str, optional
        See :func:`dgl_signgt.ops.signed_attention`. Default: ``"auto"``.
    scale : float, optional
        Factor of :math:`q_i \cdot k_j`. Default: :math:`1 / \sqrt{d}`.

    Examples
    --------
    >>> import dgl, torch
    >>> g = dgl.batch([dgl.rand_graph(5, 8), dgl.rand_graph(3, 4)])
    >>> mha = SignedMHA(feat_size=16, num_heads=4)
    >>> mha(g, torch.rand(8, 16)).shape
    torch.Size([8, 16])
    """

    def __init__(
        self,
        feat_size: int,
        num_heads: int,
        attention: str = "signed",
        attn_drop: float = 0.0,
        bias: bool = False,
        backend: str = "auto",
        scale: float | None = None,
    ) -> None:
        super().__init__()
        check_choice("attention", attention, KINDS)
        check_choice("backend", backend, ("auto", *BACKENDS))
        check_dropout("attn_drop", attn_drop)
        if scale is not None and not 0.0 < scale < float("inf"):
            raise ValueError(f"scale must be above 0 and finite, got {scale}.")
        if backend == "flex" and (attn_drop > 0 or attention == "tanh"):
            raise ValueError(
                'The backend "flex" computes signed attention without '
                "dropout."
            )
        if num_heads < 1 or feat_size % num_heads:
            raise ValueError(
                f"feat_size ({feat_size}) must be divisible by num_heads "
                f"({num_heads})."
            )
        self.feat_size = feat_size
        self.num_heads = num_heads
        self.attention_kind = attention
        self.attn_drop = attn_drop
        self.backend = backend
        self.scale = scale
        self.qkv_proj = nn.Linear(feat_size, 3 * feat_size, bias=bias)
        self.out_proj = nn.Linear(feat_size, feat_size, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        # Queries, keys and values are three maps, each drawn as such.
        for weight in self.qkv_proj.weight.chunk(3):
            nn.init.xavier_uniform_(weight)
        nn.init.xavier_uniform_(self.out_proj.weight)
        for linear in (self.qkv_proj, self.out_proj):
            if linear.bias is not None:
                nn.init.zeros_(linear.bias)

    def forward(
        self, g: DGLGraph, feat: Tensor, index: PaddingIndex | None = None
    ) -> Tensor:
        """Let every node attend to all nodes of its graph.

        Parameters
        ----------
        g : DGLGraph
            A graph, or a batch of graphs; only its sizes are used.
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
        q, k, v = self._project(index.pad(self.qkv_proj(feat)))
        out = signed_attention(
            q,
            k,
            v,
            mask=index.mask,
            dropout=self.attn_drop if self.training else 0.0,
            scale=self.scale,
            backend=self.backend,
            kind=self.attention_kind,
        )
        return self.out_proj(index.flatten(out.transpose(1, 2).flatten(2)))

    def weights(self, feat: Tensor, nodes: Tensor) -> Tensor:
        """Attention weights of some nodes of one graph.

        Parameters
        ----------
        feat : Tensor
            Node features of the graph, shape :math:`(N, d)`.
        nodes : Tensor or sequence of int
            The nodes whose rows are wanted, shape :math:`(R,)`.

        Returns
        -------
        Tensor
            Shape :math:`(H, R, N)`.
        """
        q, k, _ = self._project(self.qkv_proj(feat).unsqueeze(0))
        return attention_weights(
            q[0], k[0], nodes, scale=self.scale, kind=self.attention_kind
        )

    def _project(self, block: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each (B, H, N, d / H), in one copy."""
        batch, nodes, _ = block.shape
        heads = block.view(batch, nodes, 3, self.num_heads, -1)
        return heads.permute(2, 0, 3, 1, 4).contiguous().unbind(0)

    def extra_repr(self) -> str:
        return (
            f"feat_size={self.feat_size}, num_heads={self.num_heads}, "
            f"attention={self.attention_kind!r}, attn_drop={self.attn_drop}, "
            f"backend={self.backend!r}, scale={self.scale}"
        )
