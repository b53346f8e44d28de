"""SignGT, the Signed Attention-based Graph Transformer, for DGL."""

from __future__ import annotations

import importlib
import os
from typing import Any

# DGL asks for its backend in a file under the home directory otherwise.
os.environ.setdefault("DGLBACKEND", "pytorch")

__version__ = "0.1.0"

# Where each public name lives. They are imported on first use, so that the
# command line starts without torch where it does not need it.
_HOMES = {
    "SignedMHA": "dgl_signgt.nn",
    "StructureAwareFFN": "dgl_signgt.nn",
    "SignGTLayer": "dgl_signgt.nn",
    "SignGTEncoder": "dgl_signgt.nn",
    "SignGTNodeClassifier": "dgl_signgt.nn",
    "SignGTGraphClassifier": "dgl_signgt.nn",
    "NodeBaseline": "dgl_signgt.nn",
    "GraphBaseline": "dgl_signgt.nn",
    "khop_graph": "dgl_signgt.khop",
    "signed_attention": "dgl_signgt.ops",
    "attention_weights": "dgl_signgt.ops",
    "load": "dgl_signgt.data",
    "make_split": "dgl_signgt.data",
    "dataset_names": "dgl_signgt.data",
    "SizeBucketBatchSampler": "dgl_signgt.data",
    "train": "dgl_signgt.training",
    "apply": "dgl_signgt.training",
    "load_checkpoint": "dgl_signgt.training",
    "predict": "dgl_signgt.training",
    "load_pretrained": "dgl_signgt.pretrained",
    "pretrained_names": "dgl_signgt.pretrained",
    "SignGTError": "dgl_signgt.errors",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
