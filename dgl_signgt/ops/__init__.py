"""The mathematics of SignGT on plain tensors; nothing here knows DGL."""

from dgl_signgt.ops.attention import (
    BACKENDS,
    KINDS,
    attention_weights,
    choose_backend,
    signed_attention,
)
from dgl_signgt.ops.dropout import dropout
from dgl_signgt.ops.padding import PaddingIndex
from dgl_signgt.ops.propagation import (
    ROUTES,
    khop_weights,
    normalized_adjacency,
    propagate,
)
from dgl_signgt.ops.sparse_linear import sparse_linear

__all__ = [
    "BACKENDS",
    "KINDS",
    "ROUTES",
    "PaddingIndex",
    "attention_weights",
    "choose_backend",
    "dropout",
    "khop_weights",
    "normalized_adjacency",
    "propagate",
    "signed_attention",
    "sparse_linear",
]
