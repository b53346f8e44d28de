"""The original self-attention, for the variant SignGT-O: torch's own SDPA."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

__all__ = ["softmax_attention"]


def softmax_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout: float,
    scale: float,
    kind: str,
) -> Tensor:
    """Softmax attention with the conventions of :mod:`dgl_signgt.ops`."""
    if mask is None:
        return scaled_dot_product_attention(
            q, k, v, dropout_p=dropout, scale=scale
        )
    padded = ~mask[:, None, :, None]
    q, k, v = (x.masked_fill(padded, 0.0) for x in (q, k, v))
    # A graph without nodes has no real key; let it see its padding, which
    # is cleared afterwards, rather than divide by zero.
    keys = mask | ~mask.any(dim=1, keepdim=True)
    out = scaled_dot_product_attention(
        q, k, v, keys[:, None, None, :], dropout_p=dropout, scale=scale
    )
    return out.masked_fill(padded, 0.0)
