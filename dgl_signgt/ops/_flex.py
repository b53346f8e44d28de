r"""Signed attention on torch's FlexAttention, for GPUs.

FlexAttention fuses any change of the scores into one kernel, but only
before the softmax. So it runs twice, once over the scores of each sign, and
the two results are joined by their log-sum-exps:

.. math::
    O = \frac{e^{L^+} O^+ - e^{L^-} O^-}{e^{L^+} + e^{L^-}} .

A score of zero enters both with half its weight: the halves cancel in the
numerator and add up to :math:`e^0` in the denominator, as
:math:`\mathrm{sgn}(0) = 0` demands.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["flex_attention"]

# Stands for "not in this half": its exponential is 0, and unlike infinity it
# keeps a half without any score free of NaN, in values and gradients.
_ABSENT = -1e30


def flex_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout: float,
    scale: float,
    kind: str,
) -> Tensor:
    """Attention with FlexAttention; compiled on a GPU, eager elsewhere.

    FlexAttention has no backward pass on the CPU: there, where a gradient is
    needed, the same maths runs on plain tensors.
    """
    if dropout > 0 or kind != "signed":
        raise ValueError(
            'The backend "flex" computes signed attention without dropout.'
        )
    needs_grad = any(x.requires_grad for x in (q, k, v))
    attend = _kernel(q.device.type, needs_grad)
    if mask is not None:
        q, k, v = (x.masked_fill(~mask[:, None, :, None], 0) for x in (q, k, v))
    out_pos, lse_pos = attend(q, k, v, _half(1.0, mask), scale)
    out_neg, lse_neg = attend(q, k, v, _half(-1.0, mask), scale)
    # The shares of the two halves, from the difference of their
    # log-sum-exps: large ones cancel before they are rounded away.
    share_pos = torch.sigmoid(lse_pos - lse_neg).unsqueeze(-1)
    share_neg = torch.sigmoid(lse_neg - lse_pos).unsqueeze(-1)
    out = (share_pos * out_pos - share_neg * out_neg).to(v.dtype)
    if mask is not None:
        out = out.masked_fill(~mask[:, None, :, None], 0)
    return out


def _half(sign: float, mask: Tensor | None) -> Callable[..., Tensor]:
    """The change of scores that leaves those of one sign, and half a zero."""

    def modify(score: Tensor, b, h, query, key) -> Tensor:
        score = sign * score
        kept = torch.where(score > 0, score, _ABSENT)
        kept = torch.where(score == 0, -math.log(2.0), kept)
        return (
            kept if mask is None else torch.where(mask[b, key], kept, _ABSENT)
        )

    return modify


@functools.cache
def _kernel(
    device_type: str, needs_grad: bool
) -> Callable[..., tuple[Tensor, Tensor]]:
    """A function of (q, k, v, score_mod, scale) to (output, log-sum-exp)."""
    try:
        from torch.nn.attention import flex_attention as flex
    except ImportError as error:
        raise ValueError(
            'The backend "flex" needs torch 2.5 or later.'
        ) from error
    if device_type == "cpu" and needs_grad:
        return _plain_kernel
    kernel = flex.flex_attention
    if device_type == "cuda":
        kernel = torch.compile(kernel, dynamic=True)

    def attend(q, k, v, score_mod, scale):
        if not hasattr(flex, "AuxRequest"):  # torch before 2.9
            return kernel(q, k, v, score_mod, None, scale, return_lse=True)
        aux = flex.AuxRequest(lse=True)
        out, aux = kernel(q, k, v, score_mod, None, scale, return_aux=aux)
        return out, aux.lse

    return attend


def _plain_kernel(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    score_mod: Callable[..., Tensor],
    scale: float,
) -> tuple[Tensor, Tensor]:
    """FlexAttention's contract on whole score matrices."""
    scores = scale * (q @ k.transpose(-1, -2))
    places = torch.meshgrid(
        *(torch.arange(size) for size in scores.shape), indexing="ij"
    )
    scores = score_mod(scores, *places)
    return torch.softmax(scores, dim=-1) @ v, torch.logsumexp(scores, dim=-1)
