"""The two signed weightings and their derivatives.

The dense backend is written on these; the tiled one has the same maths in
several passes, as its rows lie in blocks, and shares scores and derivative.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

__all__ = ["backpropagate", "multiply", "score", "weigh"]


def score(q: Tensor, k: Tensor, scale: float, out: Tensor) -> Tensor:
    r"""Scores :math:`s_{ij} = \mathrm{scale} \, (q_i \cdot k_j)`.

    Products that are exactly zero must stay so, or rounding would give
    them a sign. The factor is therefore applied to the queries only where
    that is exact, for powers of two, and to the scores otherwise.

    Parameters
    ----------
    q, k : Tensor
        Shapes :math:`(b, m, d)` and :math:`(b, n, d)`.
    scale : float
        The factor.
    out : Tensor
        Where to write the scores, shape :math:`(b, m, n)`.

    Returns
    -------
    Tensor
        ``out``.
    """
    if abs(math.frexp(scale)[0]) == 0.5:
        return multiply(q * scale, k.transpose(-1, -2), out)
    return multiply(q, k.transpose(-1, -2), out).mul_(scale)


def multiply(a: Tensor, b: Tensor, out: Tensor) -> Tensor:
    """A batch of matrix products, written to ``out``.

    A batch of one goes to the plain product, which uses all threads.
    """
    if len(a) == 1:
        torch.mm(a[0], b[0], out=out[0])
        return out
    return torch.bmm(a, b, out=out)


def weigh(
    kind: str,
    scores: Tensor,
    hidden: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Turn scores into weights.

    Parameters
    ----------
    kind : str
        ``"signed"``: :math:`W = \mathrm{sgn}(s) \, \mathrm{softmax}|s|`;
        ``"tanh"``: :math:`W = \tanh s`.
    scores : Tensor
        :math:`s`, shape :math:`(\ldots, n)`; overwritten.
    hidden : Tensor, optional
        True where a key is padding, shape :math:`(B, n)` for scores of
        shape :math:`(B, H, m, n)`. The scores of these keys must be zero,
        as they are where padding is zero: then so are their weights, and
        only the softmax needs to know.

    Returns
    -------
    (Tensor, Tensor)
        The weights, and the signs of the scores (``"signed"``) in the
        storage of ``scores``.
    """
    if kind == "tanh":
        return torch.tanh(scores), scores
    out = torch.abs(scores)
    # Not minus infinity: a row with no real key must stay finite.
    lowest = torch.finfo(out.dtype).min
    if hidden is not None:
        # Added, since a broadcast fill is several times slower.
        out.add_(lowest * hidden[:, None, None, :].to(out.dtype))
    out = torch.softmax(out, dim=-1, out=out)
    signs = torch.sign(scores, out=scores)
    return out.mul_(signs), signs


def backpropagate(
    kind: str, weights: Tensor, signs: Tensor, grad: Tensor, delta: Tensor
) -> Tensor:
    r"""Turn the gradient of the weights into that of the scores, in place.

    With :math:`\sigma = \mathrm{sgn}(s)` and :math:`\delta_i = \sum_j W_{ij}
    \, \partial W_{ij}`, signed attention has :math:`\partial s = W (\sigma
    \, \partial W - \delta)`, which is zero where :math:`s = 0`; tanh has
    :math:`\partial s = (1 - W^2) \, \partial W`.

    Parameters
    ----------
    kind : str
        As in :func:`weigh`.
    weights, signs : Tensor
        What :func:`weigh` returned; weights may also be without their
        denominator, if ``grad`` and ``delta`` are divided by it.
    grad : Tensor
        Gradient of the weights; overwritten with that of the scores.
    delta : Tensor
        :math:`\delta`, shape :math:`(\ldots, 1)`; used by ``"signed"``.

    Returns
    -------
    Tensor
        ``grad``.
    """
    if kind == "tanh":
        return grad.sub_(weights.square().mul_(grad))
    torch.addcmul(delta.neg(), signs, grad, out=grad)
    return grad.mul_(weights)
