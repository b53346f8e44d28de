"""Sparse CSR tensors without torch's warnings about them."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor

__all__ = ["csr_tensor"]


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
