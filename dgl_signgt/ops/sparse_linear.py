"""A linear map of sparse features, such as bags of words."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from dgl_signgt.ops.csr import csr_matmul, csr_tensor
from dgl_signgt.ops.dropout import dropout

__all__ = ["sparse_linear"]

# Where a feature matrix keeps the structure of its transpose.
_TRANSPOSED = "_signgt_transposed"


def sparse_linear(
    feat: Tensor, weight: Tensor, bias: Tensor | None = None, drop: float = 0.0
) -> Tensor:
    r""":math:`X W^\top + b` for a sparse CSR matrix :math:`X`.

    The features stay sparse in the forward and in the backward pass. They
    are data: they get no gradient.

    Parameters
    ----------
    feat : Tensor
        :math:`X`, sparse CSR, shape :math:`(N, d)`.
    weight : Tensor
        :math:`W`, shape :math:`(h, d)`.
    bias : Tensor, optional
        :math:`b`, shape :math:`(h,)`.
    drop : float, optional
        Probability of dropping a feature. Zeros stay zeros, so only the
        stored values are drawn.

    Returns
    -------
    Tensor
        Shape :math:`(N, h)`.

    Examples
    --------
    >>> import torch
    >>> feat = torch.eye(2).to_sparse_csr()
    >>> weight = torch.tensor([[1.0, 2.0]])
    >>> sparse_linear(feat, weight).tolist()
    [[1.0], [2.0]]
    """
    values = dropout(feat.values(), drop)
    out = _SparseLinear.apply(values, feat, weight)
    return out if bias is None else out + bias


class _SparseLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, feat, weight):
        ctx.values, ctx.feat = values, feat
        matrix = csr_tensor(
            feat.crow_indices(), feat.col_indices(), values, feat.shape
        )
        return csr_matmul(matrix, weight.t().contiguous())

    @staticmethod
    def backward(ctx, grad):
        crow, col, order = _transposed(ctx.feat)
        shape = (ctx.feat.shape[1], ctx.feat.shape[0])
        matrix = csr_tensor(crow, col, ctx.values[order], shape)
        grad_weight = csr_matmul(matrix, grad.contiguous())
        return None, None, grad_weight.t()


def _transposed(feat: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Row starts and columns of the transpose, and where its values are.

    Computed once for a feature matrix and kept on it until it changes.
    """
    # A copy takes attributes along, hence the identity.
    key = (id(feat), 0 if feat.is_inference() else feat._version)
    found, known = getattr(feat, _TRANSPOSED, (None, None))
    if found != key:
        crow, col = feat.crow_indices(), feat.col_indices()
        rows = torch.repeat_interleave(
            torch.arange(feat.shape[0], device=col.device), crow.diff()
        )
        order = torch.argsort(col, stable=True)
        counts = torch.bincount(col, minlength=feat.shape[1])
        starts = functional.pad(torch.cumsum(counts, 0), (1, 0))
        known = starts.to(crow.dtype), rows[order].to(col.dtype), order
        setattr(feat, _TRANSPOSED, (key, known))
    return known
