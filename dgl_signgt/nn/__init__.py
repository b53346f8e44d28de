"""SignGT as modules in the manner of ``dgl.nn``: ``model(g, feat)``."""

from dgl_signgt.nn.activations import ACTIVATIONS
from dgl_signgt.nn.baselines import GraphBaseline, NodeBaseline
from dgl_signgt.nn.dropout import Dropout
from dgl_signgt.nn.graph_classifier import GraphClassifier
from dgl_signgt.nn.graph_norm import GraphNorm
from dgl_signgt.nn.input_projection import InputProjection
from dgl_signgt.nn.log_sum_pooling import LogSumPooling
from dgl_signgt.nn.node_classifier import NodeClassifier
from dgl_signgt.nn.norms import NORMS
from dgl_signgt.nn.pooling import POOLINGS
from dgl_signgt.nn.readout import Readout
from dgl_signgt.nn.signed_mha import SignedMHA
from dgl_signgt.nn.signgt_encoder import SignGTEncoder
from dgl_signgt.nn.signgt_graph_classifier import SignGTGraphClassifier
from dgl_signgt.nn.signgt_layer import NORM_PLACES, SignGTLayer
from dgl_signgt.nn.signgt_node_classifier import SignGTNodeClassifier
from dgl_signgt.nn.structure_aware_ffn import StructureAwareFFN

__all__ = [
    "ACTIVATIONS",
    "NORMS",
    "NORM_PLACES",
    "POOLINGS",
    "Dropout",
    "GraphBaseline",
    "GraphClassifier",
    "GraphNorm",
    "InputProjection",
    "LogSumPooling",
    "NodeBaseline",
    "NodeClassifier",
    "Readout",
    "SignGTEncoder",
    "SignGTGraphClassifier",
    "SignGTLayer",
    "SignGTNodeClassifier",
    "SignedMHA",
    "StructureAwareFFN",
]
