"""From a name to a data set: cache, raw files, archive or download."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Sequence
from typing import Any

from .flat import FlatGraphs
from .graph_dataset import GraphDataset
from .khop_arrays import compute_khop
from .node_dataset import NodeDataset
from .registry import DatasetSpec, check_options, dataset_spec

__all__ = ["load", "CODE_VERSION"]

# Raise it when a reader or transform changes what it returns: older
# processed caches are then left alone and built anew.
CODE_VERSION = 1


def load(
    name: str,
    *,
    k: int | None = None,
    khop_route: str = "auto",
    transforms: Sequence[str | dict[str, Any]] = (),
    root: str | None = None,
    **options: Any,
) -> NodeDataset | GraphDataset:
    spec = dataset_spec(name)
    values = check_options(spec, options)
    flat = _reader(spec)(**spec.fixed, **values)
    khop = None if k is None else compute_khop(flat, k, khop_route)
    text = json.dumps([name, values, CODE_VERSION], sort_keys=True)
    fingerprint = hashlib.sha256(text.encode()).hexdigest()[:16]
    kind = NodeDataset if flat.task == "node" else GraphDataset
    return kind(name, flat, fingerprint, khop, root)


def _reader(spec: DatasetSpec):
    module, function = spec.reader.split(":")
    package = __name__.rpartition(".")[0]
    return getattr(importlib.import_module(f"{package}.{module}"), function)
