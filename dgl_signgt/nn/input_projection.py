"""Input projection"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import torch
from torch import Tensor, nn
from torch.nn import functional

from dgl_signgt.nn.checks import check_dropout
from dgl_signgt.ops import dropout, sparse_linear

__all__ = ["InputProjection"]


class InputProjection(nn.Module):
    r"""The projection of raw node features to the hidden size, from `SignGT
    <https://arxiv.org/abs/2310.11025>`__.

    Dense features and sparse ones (a CSR tensor) share one linear map;
    categorical features have an embedding for each column, and their sum is
    the node's representation.

    Parameters
    ----------
    in_size : int or sequence of int
        Number of features, or, for categorical features, the number of
        values of each column.
    out_size : int
        Size of the representation.
    input_drop : float, optional
        Dropout on dense and sparse features. Default: 0.

    Examples
    --------
    >>> import torch
    >>> atoms = InputProjection([119, 5], 16)
    >>> atoms(torch.tensor([[6, 0], [8, 1]])).shape
    torch.Size([2, 16])
    >>> words = InputProjection(1433, 16)
    >>> words(torch.rand(2, 1433).to_sparse_csr()).shape
    torch.Size([2, 16])
    """

    def __init__(
        self,
        in_size: int | Sequence[int],
        out_size: int,
        input_drop: float = 0.0,
    ) -> None:
        super().__init__()
        if isinstance(in_size, Integral):
            self.in_size: int | list[int] = int(in_size)
        else:
            self.in_size = [int(size) for size in in_size]
        check_dropout("input_drop", input_drop)
        self.out_size = out_size
        self.input_drop = input_drop
        if isinstance(self.in_size, int):
            self.linear = nn.Linear(self.in_size, out_size)
        else:
            # One table for all columns; each column has its own range.
            self.table = nn.EmbeddingBag(
                sum(self.in_size), out_size, mode="sum"
            )
            sizes = torch.tensor(self.in_size)
            self.register_buffer("sizes", sizes, persistent=False)
            offsets = torch.cumsum(sizes, 0) - sizes
            self.register_buffer("offsets", offsets, persistent=False)

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        for module in self.children():
            module.reset_parameters()

    def forward(self, feat: Tensor) -> Tensor:
        """Project the features.

        Parameters
        ----------
        feat : Tensor
            Shape :math:`(N, d)`, dense or sparse (a floating-point CSR
            tensor is used as it is, others are converted); or integers, one
            column a categorical feature (:math:`(N,)` for one).

        Returns
        -------
        Tensor
            Shape :math:`(N, h)`.
        """
        if not isinstance(self.in_size, int):
            return self.table(self._codes(feat))
        if feat.dim() != 2 or feat.shape[1] != self.in_size:
            raise ValueError(
                f"The model takes {self.in_size} features a node, got "
                f"features of shape {tuple(feat.shape)}."
            )
        weight, bias = self.linear.weight, self.linear.bias
        if feat.layout != torch.strided:
            drop = self.input_drop if self.training else 0.0
            # There are no 16-bit products of sparse matrices.
            wide = torch.promote_types(weight.dtype, torch.float32)
            feat = feat.to_sparse_csr().to(wide)
            return sparse_linear(feat, weight, bias, drop)
        feat = dropout(feat.to(weight.dtype), self.input_drop, self.training)
        return functional.linear(feat, weight, bias)

    def _codes(self, feat: Tensor) -> Tensor:
        codes = feat.unsqueeze(-1) if feat.dim() == 1 else feat
        if codes.is_floating_point() or codes.shape[1] != len(self.in_size):
            raise ValueError(
                f"The model takes {len(self.in_size)} integer columns a "
                f"node, got {feat.dtype} of shape {tuple(feat.shape)}."
            )
        if ((codes < 0) | (codes >= self.sizes)).any():
            raise ValueError(
                f"A categorical feature is outside its range; the columns "
                f"have {self.in_size} values."
            )
        return codes + self.offsets

    def extra_repr(self) -> str:
        return (
            f"in_size={self.in_size}, out_size={self.out_size}, "
            f"input_drop={self.input_drop}"
        )
