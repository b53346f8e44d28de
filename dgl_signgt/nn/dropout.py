"""Dropout"""

from __future__ import annotations

from torch import Tensor, nn

from dgl_signgt import ops
from dgl_signgt.nn.checks import check_dropout

__all__ = ["Dropout"]


class Dropout(nn.Module):
    r"""``torch.nn.Dropout``, several times faster on the CPU: see
    :func:`dgl_signgt.ops.dropout`.

    Parameters
    ----------
    p : float, optional
        Probability of zeroing an element. Default: 0.5.

    Examples
    --------
    >>> import torch
    >>> Dropout(0.5).eval()(torch.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        check_dropout("dropout", p)
        self.p = p

    def forward(self, feat: Tensor) -> Tensor:
        """Drop elements in training mode; shape is kept."""
        return ops.dropout(feat, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"
