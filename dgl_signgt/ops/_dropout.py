"""Dropout masks that can be drawn a second time instead of being kept."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["draw_mask", "draw_seed"]


def draw_seed() -> int:
    """A seed from torch's global generator.

    It stays below 2**62, so that a counter can be added to it.
    """
    return int(torch.randint(1 << 62, ()))


def draw_mask(keep: Tensor, dropout: float, seed: int) -> Tensor:
    """Fill ``keep`` with 0 or 1 / (1 - dropout), the same for a seed."""
    if dropout >= 1.0:
        return keep.zero_()
    generator = torch.Generator(keep.device).manual_seed(seed)
    keep.bernoulli_(1.0 - dropout, generator=generator)
    return keep.div_(1.0 - dropout)
