"""Activation functions by name."""

from __future__ import annotations

from torch import nn

__all__ = ["ACTIVATIONS", "activation"]

ACTIVATIONS = {
    "none": nn.Identity,
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "elu": nn.ELU,
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
    "leaky_relu": nn.LeakyReLU,
}


def activation(name: str) -> nn.Module:
    """Make an activation from its name.

    Parameters
    ----------
    name : str
        A key of :data:`ACTIVATIONS`.

    Examples
    --------
    >>> activation("relu")
    ReLU()
    """
    if name not in ACTIVATIONS:
        raise ValueError(
            f"activation must be one of {tuple(ACTIVATIONS)}, got {name!r}."
        )
    return ACTIVATIONS[name]()
