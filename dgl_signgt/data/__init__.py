"""Data sets, splits and batches for SignGT.

Everything is imported on first use, so that listing data sets needs neither
torch nor DGL.
"""

from __future__ import annotations

import importlib
from typing import Any

_EXPORTS = {
    "load": "loading",
    "DatasetSpec": "registry",
    "Option": "registry",
    "dataset_names": "registry",
    "dataset_spec": "registry",
    "NodeDataset": "node_dataset",
    "GraphDataset": "graph_dataset",
    "Split": "splits",
    "make_split": "splits",
    "split_protocols": "splits",
    "SizeBucketBatchSampler": "sampler",
    "pair_share": "sampler",
    "transform_names": "transforms",
    "dataset_statistics": "statistics",
    "compare_with_paper": "statistics",
    "dataset_state": "listing",
    "list_datasets": "listing",
    "describe_dataset": "listing",
    "data_dir": "fetch",
}

__all__ = [*_EXPORTS]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_EXPORTS[name]}")
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
