r"""The linear algebra of :math:`\hat{A}^k`, on plain tensors.

:math:`\hat{A} = \tilde{D}^{-1/2} (A + I) \tilde{D}^{-1/2}` has no parameters,
so its powers are computed once, before training. Two exact routes lead to
:math:`\hat{A}^k X`: one product with the stored entries of
:math:`\hat{A}^k`, or :math:`k` products with :math:`\hat{A}`. Both are
written :math:`W^t X`, so that whoever multiplies needs to know only the
entries of :math:`W` and how many times to apply it.

All functions work on one graph or on a disjoint union of graphs alike.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse
import torch
from torch import Tensor

from dgl_signgt.ops.csr import csr_matmul

__all__ = ["ROUTES", "khop_weights", "normalized_adjacency", "propagate"]

ROUTES = ("auto", "weights", "products")

# Rows of the power that are computed at once: enough to amortise the call,
# few enough that a power that turns out too dense is given up early.
_ROWS_AT_ONCE = 2048


def normalized_adjacency(
    src: Tensor,
    dst: Tensor,
    num_nodes: int,
    symmetric: bool = True,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Entries of :math:`\tilde{D}^{-1/2} (A + I) \tilde{D}^{-1/2}`.

    Self-loops that are already there and parallel edges count once. A node
    without edges keeps its own value: its row is the row of the identity.

    Parameters
    ----------
    src : Tensor
        Source node of each edge, shape :math:`(E,)`.
    dst : Tensor
        Destination node of each edge, shape :math:`(E,)`.
    num_nodes : int
        Number of nodes.
    symmetric : bool, optional
        Take every edge in both directions. Otherwise row :math:`i` has the
        edges that point to :math:`i`, and degrees are in-degrees.
    dtype : torch.dtype, optional
        Type of the returned weights; they are computed in float64.

    Returns
    -------
    (Tensor, Tensor, Tensor)
        Row (destination), column (source) and weight of each entry, sorted
        by row, then by column.

    Examples
    --------
    >>> import torch
    >>> row, col, weight = normalized_adjacency(
    ...     torch.tensor([0]), torch.tensor([1]), num_nodes=3
    ... )
    >>> row.tolist(), col.tolist(), weight.tolist()
    ([0, 0, 1, 1, 2], [0, 1, 0, 1, 2], [0.5, 0.5, 0.5, 0.5, 1.0])
    """
    matrix = _normalized_csr(src, dst, num_nodes, symmetric)
    return _entries(matrix, dtype, src.device)


def khop_weights(
    src: Tensor,
    dst: Tensor,
    num_nodes: int,
    k: int,
    route: str = "auto",
    symmetric: bool = True,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor, int]:
    r"""Entries of :math:`W` and the count :math:`t` with
    :math:`W^t = \hat{A}^k`.

    Parameters
    ----------
    src, dst, num_nodes, symmetric, dtype
        As in :func:`normalized_adjacency`.
    k : int
        The power, from 0 up.
    route : str, optional
        ``"weights"`` stores :math:`\hat{A}^k` (:math:`t = 1`),
        ``"products"`` stores :math:`\hat{A}` (:math:`t = k`), ``"auto"``
        takes the one with fewer multiplications, :math:`t` times the number
        of entries. It never builds a power that it would not take.

    Returns
    -------
    (Tensor, Tensor, Tensor, int)
        Row, column and weight of each entry of :math:`W`, sorted by row,
        then by column, and :math:`t`. For ``k = 0`` there are no entries
        and :math:`t = 0`.

    Examples
    --------
    >>> import torch
    >>> path = torch.tensor([0, 1]), torch.tensor([1, 2])
    >>> row, col, weight, times = khop_weights(*path, num_nodes=3, k=2)
    >>> row.numel(), times  # 7 entries twice is dearer than 9 once
    (9, 1)
    """
    if not isinstance(k, int) or isinstance(k, bool) or k < 0:
        raise ValueError(f"k must be a whole number from 0 up, got {k!r}.")
    if route not in ROUTES:
        raise ValueError(f"route must be one of {ROUTES}, got {route!r}.")
    if k == 0:
        none = torch.empty(0, dtype=torch.int64, device=src.device)
        return none, none, none.to(dtype), 0
    base = _normalized_csr(src, dst, num_nodes, symmetric)
    power = base
    if k > 1 and route != "products":
        limit = None if route == "weights" else k * base.nnz
        power = _power_within(base, k, limit)
    if k > 1 and (route == "products" or power is None):
        return *_entries(base, dtype, src.device), k
    return *_entries(power, dtype, src.device), 1


def propagate(
    feat: Tensor, matrix: Tensor, transposed: Tensor, times: int
) -> Tensor:
    r""":math:`W^t X` as ``times`` sparse products.

    Parameters
    ----------
    feat : Tensor
        :math:`X`, shape :math:`(N, d)`.
    matrix : Tensor
        :math:`W` as a sparse CSR tensor of shape :math:`(N, N)`. It is a
        constant: it gets no gradient.
    transposed : Tensor
        :math:`W^\top`, sparse CSR, for the backward pass (``matrix`` itself
        where it is symmetric).
    times : int
        :math:`t`.

    Returns
    -------
    Tensor
        Shape :math:`(N, d)`, in the type of ``feat``.
    """
    for _ in range(times):
        feat = _ConstantProduct.apply(feat, matrix, transposed)
    return feat


class _ConstantProduct(torch.autograd.Function):
    """Sparse times dense, where only the dense side has a gradient.

    Autograd's own rule for CSR would transpose the matrix again in every
    backward pass.
    """

    @staticmethod
    def forward(ctx, feat, matrix, transposed):
        ctx.matrix, ctx.transposed = matrix, transposed
        return csr_matmul(matrix, feat)

    @staticmethod
    def backward(ctx, grad):
        grad_feat = _ConstantProduct.apply(grad, ctx.transposed, ctx.matrix)
        return grad_feat, None, None


def _normalized_csr(
    src: Tensor, dst: Tensor, num_nodes: int, symmetric: bool
) -> scipy.sparse.csr_matrix:
    row, col = dst.cpu().numpy(), src.cpu().numpy()
    if symmetric:
        row, col = np.concatenate([row, col]), np.concatenate([col, row])
    loop = np.arange(num_nodes, dtype=row.dtype)
    row, col = np.concatenate([row, loop]), np.concatenate([col, loop])
    matrix = scipy.sparse.csr_matrix(
        (np.ones(len(row)), (row, col)), shape=(num_nodes, num_nodes)
    )
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    # Every node has its self-loop, so no degree is zero.
    scale = 1.0 / np.sqrt(np.diff(matrix.indptr))
    matrix.data = (
        np.repeat(scale, np.diff(matrix.indptr)) * scale[matrix.indices]
    )
    return matrix


def _power_within(
    base: scipy.sparse.csr_matrix, k: int, limit: int | None
) -> scipy.sparse.csr_matrix | None:
    """``base ** k``, or None as soon as it has more than ``limit`` entries."""
    blocks, entries = [], 0
    for start in range(0, base.shape[0], _ROWS_AT_ONCE):
        block = base[start : start + _ROWS_AT_ONCE]
        for _ in range(k - 1):
            block = block @ base
        blocks.append(block)
        entries += block.nnz
        if limit is not None and entries > limit:
            return None
    power = scipy.sparse.vstack(blocks, format="csr") if blocks else base
    power.sort_indices()
    return power


def _entries(
    matrix: scipy.sparse.csr_matrix, dtype: torch.dtype, device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return (
        torch.from_numpy(row).to(device),
        torch.from_numpy(matrix.indices.astype(np.int64)).to(device),
        torch.from_numpy(matrix.data).to(device=device, dtype=dtype),
    )
