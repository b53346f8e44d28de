"""Structure-aware feed-forward network"""

from __future__ import annotations

from dgl import DGLGraph
from torch import Tensor, nn

from dgl_signgt.khop import KERNELS, khop_operator
from dgl_signgt.nn.activations import activation as make_activation
from dgl_signgt.nn.checks import check_choice, check_graph, check_whole
from dgl_signgt.nn.dropout import Dropout
from dgl_signgt.ops import ROUTES

__all__ = ["StructureAwareFFN"]


class StructureAwareFFN(nn.Module):
    r"""Structure-aware feed-forward network, from `SignGT
    <https://arxiv.org/abs/2310.11025>`__.

    .. math::
        H'' = \mathrm{Linear}\left(\sigma\left(
        \hat{A}^k \, \mathrm{Linear}(H')\right)\right), \qquad
        \hat{A} = \tilde{D}^{-1/2} (A + I) \tilde{D}^{-1/2}

    With :math:`k = 0` it is the plain feed-forward network.

    Parameters
    ----------
    feat_size : int
        Feature size, in and out.
    ffn_size : int
        Size between the two linear layers.
    k : int, optional
        Range of the neighbourhood. Default: 1.
    activation : str, optional
        See :data:`dgl_signgt.nn.ACTIVATIONS`. Default: ``"relu"``.
    dropout : float, optional
        Dropout after the activation. Default: 0.
    khop_route : str, optional
        ``"weights"`` keeps the entries of :math:`\hat{A}^k`, ``"products"``
        multiplies :math:`k` times by :math:`\hat{A}`, ``"auto"`` takes the
        one with fewer multiplications. Default: ``"auto"``.
    kernel : str, optional
        ``"dgl"`` passes messages, ``"csr"`` multiplies with torch's CSR
        product, ``"auto"`` takes the faster. Default: ``"auto"``.

    Examples
    --------
    >>> import dgl, torch
    >>> g = dgl.rand_graph(5, 8)
    >>> ffn = StructureAwareFFN(feat_size=16, ffn_size=32, k=2)
    >>> ffn(g, torch.rand(5, 16)).shape
    torch.Size([5, 16])
    """

    def __init__(
        self,
        feat_size: int,
        ffn_size: int,
        k: int = 1,
        activation: str = "relu",
        dropout: float = 0.0,
        khop_route: str = "auto",
        kernel: str = "auto",
    ) -> None:
        super().__init__()
        check_choice("khop_route", khop_route, ROUTES)
        check_choice("kernel", kernel, KERNELS)
        check_whole("k", k, least=0)
        self.k = k
        self.khop_route = khop_route
        self.kernel = kernel
        self.in_linear = nn.Linear(feat_size, ffn_size)
        self.activation = make_activation(activation)
        self.dropout = Dropout(dropout)
        self.out_linear = nn.Linear(ffn_size, feat_size)

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.in_linear.reset_parameters()
        self.out_linear.reset_parameters()

    def forward(self, g: DGLGraph, feat: Tensor) -> Tensor:
        """Mix each node with its neighbourhood between two linear layers.

        Parameters
        ----------
        g : DGLGraph
            A graph or a batch: raw, or one made by
            :func:`dgl_signgt.khop_graph` with the same ``k``.
        feat : Tensor
            Node features, shape :math:`(N, d)`.

        Returns
        -------
        Tensor
            Shape :math:`(N, d)`.
        """
        check_graph(g, feat)
        hidden = self.in_linear(feat)
        if self.k > 0:
            mix = khop_operator(
                g, self.k, self.khop_route, hidden.dtype, self.kernel
            )
            hidden = mix(hidden)
        return self.out_linear(self.dropout(self.activation(hidden)))

    def extra_repr(self) -> str:
        return (
            f"k={self.k}, khop_route={self.khop_route!r}, "
            f"kernel={self.kernel!r}"
        )
