"""From the nodes of each graph to the graph, with the poolings of DGL."""

from __future__ import annotations

from dgl.nn.pytorch import glob
from torch import nn

from dgl_signgt.nn.checks import check_choice
from dgl_signgt.nn.log_sum_pooling import LogSumPooling

__all__ = ["POOLINGS", "make_pooling"]

POOLINGS = ("mean", "sum", "max", "log-sum", "attention", "set2set")

# What DGL's own users of Set2Set take.
_SET2SET_STEPS = 3
_SET2SET_LAYERS = 1


def make_pooling(name: str, feat_size: int) -> tuple[nn.Module, int]:
    """Make a pooling from its name.

    Parameters
    ----------
    name : str
        One of :data:`POOLINGS`.
    feat_size : int
        Size of the node representations.

    Returns
    -------
    (nn.Module, int)
        A module of ``(g, feat)`` and its output size.

    Examples
    --------
    >>> make_pooling("set2set", 16)[1]
    32
    """
    check_choice("pooling", name, POOLINGS)
    if name == "attention":
        return glob.GlobalAttentionPooling(nn.Linear(feat_size, 1)), feat_size
    if name == "set2set":
        pooling = glob.Set2Set(feat_size, _SET2SET_STEPS, _SET2SET_LAYERS)
        return pooling, 2 * feat_size
    simple = {
        "mean": glob.AvgPooling,
        "sum": glob.SumPooling,
        "max": glob.MaxPooling,
        "log-sum": LogSumPooling,
    }
    return simple[name](), feat_size
