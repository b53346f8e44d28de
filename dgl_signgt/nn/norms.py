"""Normalisations by name"""

from __future__ import annotations

from dgl import DGLGraph
from torch import Tensor, nn

from dgl_signgt.nn.graph_norm import GraphNorm

__all__ = ["NORMS", "normalise"]

NORMS = {
    "layer": nn.LayerNorm,
    "batch": nn.BatchNorm1d,
    "graph": GraphNorm,
    "none": lambda size: nn.Identity(),
}


def normalise(norm: nn.Module, g: DGLGraph, feat: Tensor) -> Tensor:
    """Apply one of :data:`NORMS`, of which some look at the graphs' sizes."""
    return norm(g, feat) if isinstance(norm, GraphNorm) else norm(feat)
