"""Message passing networks to compare SignGT with, on layers of DGL."""

from dgl_signgt.nn.baselines.baseline_encoder import BaselineEncoder
from dgl_signgt.nn.baselines.convolutions import AGGREGATORS, CONVOLUTIONS
from dgl_signgt.nn.baselines.graph_baseline import GraphBaseline
from dgl_signgt.nn.baselines.node_baseline import NodeBaseline

__all__ = [
    "AGGREGATORS",
    "CONVOLUTIONS",
    "BaselineEncoder",
    "GraphBaseline",
    "NodeBaseline",
]
