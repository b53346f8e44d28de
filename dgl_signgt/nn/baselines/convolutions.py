"""Convolutions by name, as ``dgl.nn`` has them."""

from __future__ import annotations

from dgl.nn.pytorch import GATConv, GINConv, GraphConv, SAGEConv, SGConv
from torch import nn

from dgl_signgt.nn.checks import check_choice, check_whole
from dgl_signgt.nn.readout import Readout

__all__ = ["AGGREGATORS", "CONVOLUTIONS", "SELF_LOOPS", "make_convolution"]

CONVOLUTIONS = ("gcn", "gat", "sgc", "sage", "gin")
#: Those that see a node itself only through a self-loop.
SELF_LOOPS = ("gcn", "gat", "sgc")
#: Of SAGE.
AGGREGATORS = ("mean", "pool", "gcn")


def make_convolution(
    name: str,
    size: int,
    num_heads: int,
    k: int,
    aggregator: str,
    activation: str,
    dropout: float,
) -> nn.Module:
    """Make a convolution that keeps the size of the representations.

    Parameters
    ----------
    name : str
        One of :data:`CONVOLUTIONS`.
    size : int
        Size of the representations, in and out.
    num_heads : int
        Attention heads of GAT, which share ``size``.
    k : int
        Hops of SGC.
    aggregator : str
        How SAGE sums up the neighbours, one of :data:`AGGREGATORS`.
    activation : str
        Activation inside the MLP of GIN.
    dropout : float
        Dropout on the attention weights of GAT.

    Returns
    -------
    nn.Module
        A module of ``(g, feat)`` from ``dgl.nn``; that of GAT gives an axis
        of heads.

    Examples
    --------
    >>> make_convolution("sgc", 8, 1, 2, "mean", "relu", 0.0).fc
    Linear(in_features=8, out_features=8, bias=True)
    """
    check_choice("conv", name, CONVOLUTIONS)
    if name == "gcn":
        return GraphConv(size, size)
    if name == "gat":
        check_whole("num_heads", num_heads, least=1)
        if size % num_heads:
            raise ValueError(
                f"hidden_size ({size}) must be divisible by num_heads "
                f"({num_heads})."
            )
        return GATConv(size, size // num_heads, num_heads, attn_drop=dropout)
    if name == "sgc":
        check_whole("k", k, least=0)
        return SGConv(size, size, k)
    if name == "sage":
        check_choice("aggregator", aggregator, AGGREGATORS)
        return SAGEConv(size, size, aggregator)
    # GIN-0 of its paper: the node itself counts as much as a neighbour.
    return GINConv(Readout(size, size, 2, activation), "sum")
