"""Sparse CSR tensors, without torch's warnings and gaps."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor

__all__ = ["csr_matmul", "csr_tensor"]


def csr_tensor(
    crow: Tensor, col: Tensor, values: Tensor, shape: tuple[int, int]
) -> Tensor:
    """A sparse CSR tensor from its parts, which are trusted.

    Parameters
    ----------
    crow, col, values : Tensor
        Row starts, columns and values.
    shape : (int, int)
        Rows and columns.

    Returns
    -------
    Tensor
    """
    with warnings.catch_warnings():
        # torch calls its CSR support beta in a warning at first use.
        warnings.filterwarnings("ignore", message="Sparse CSR tensor")
        return torch.sparse_csr_tensor(
            crow, col, values, size=shape, check_invariants=False
        )


def csr_matmul(matrix: Tensor, dense: Tensor) -> Tensor:
    """Sparse times dense in the sparse side's type, given in the dense's.

    torch has no 16-bit CSR product, so autocast stops here.
    """
    with torch.autocast(dense.device.type, enabled=False):
        return (matrix @ dense.to(matrix.dtype)).to(dense.dtype)
