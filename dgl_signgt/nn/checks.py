"""Checks of what a module is given, with messages for a person."""

from __future__ import annotations

from dgl import DGLGraph
from torch import Tensor

__all__ = ["check_choice", "check_dropout", "check_graph", "check_whole"]


def check_choice(name: str, value: str, valid: tuple[str, ...]) -> None:
    """Raise ``ValueError`` unless ``value`` is one of ``valid``."""
    if value not in valid:
        raise ValueError(f"{name} must be one of {valid}, got {value!r}.")


def check_dropout(name: str, value: float) -> None:
    """Raise ``ValueError`` unless ``value`` is a probability."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must be from 0 to 1, got {value}.")


def check_whole(name: str, value: int, least: int) -> None:
    """Raise ``ValueError`` unless ``value`` is whole and large enough."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(
            f"{name} must be a whole number from {least} up, got {value!r}."
        )


def check_graph(g: DGLGraph, feat: Tensor) -> None:
    """Raise ``ValueError`` unless the graph and the features fit."""
    if not g.is_homogeneous or g.is_block:
        raise ValueError("The model takes a homogeneous graph.")
    if g.num_nodes() == 0:
        raise ValueError("The graph has no nodes.")
    if feat.shape[0] != g.num_nodes():
        raise ValueError(
            f"The graph has {g.num_nodes()} nodes, but there are features "
            f"for {feat.shape[0]}."
        )
    if feat.device != g.device:
        raise ValueError(
            f"The graph is on {g.device}, but its features are on "
            f"{feat.device}."
        )
