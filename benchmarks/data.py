"""Loading the two heaviest raw formats, and how much of a batch is real."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from dgl_signgt.data import (
    SizeBucketBatchSampler,
    data_dir,
    dataset_spec,
    load,
    make_split,
    pair_share,
)
from dgl_signgt.data.fetch import find_raw
from dgl_signgt.errors import DataError
from dgl_signgt.ops._buckets import buckets
from dgl_signgt.ops.padding import PaddingIndex

__all__ = ["measure_loading", "measure_pairs"]


def measure_loading(progress) -> list[dict]:
    """First use, from raw files, and later ones, from the cache."""
    rows = []
    for name in progress(["flickr", "collab"]):
        source = find_raw(dataset_spec(name), data_dir())
        if source is None:
            print(f"{name} is left out: it is not in {data_dir()}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(source.path, Path(folder) / source.path.name)
            seconds = {}
            for key in ("first", "later"):
                start = time.perf_counter()
                load(name, root=folder)
                seconds[key] = time.perf_counter() - start
            start = time.perf_counter()
            load(name, k=1, root=folder)
            seconds["weights"] = time.perf_counter() - start
            start = time.perf_counter()
            load(name, k=1, root=folder)
            seconds["later_weights"] = time.perf_counter() - start
        rows.append({"case": name, **seconds})
    return rows


def measure_pairs(progress) -> list[dict]:
    """Share of the computed pairs that are real, batches of 128."""
    rows = []
    for name in progress(["nci1", "collab"]):
        try:
            dataset = load(name)
        except DataError as error:
            print(f"{name} is left out: {error}")
            continue
        sizes = dataset.sizes[make_split(dataset, "random", 0).train]
        batches = {
            "shuffled": [*SizeBucketBatchSampler(sizes, 128, pool=1)],
            "pooled": [*SizeBucketBatchSampler(sizes, 128)],
        }
        shares = {
            key: pair_share(sizes, value) for key, value in batches.items()
        }
        shares["grouped"] = _grouped_share(sizes, batches["shuffled"])
        rows.append({"case": name, **shares})
    return rows


def _grouped_share(sizes, batches: list[list[int]]) -> float:
    """The share where the attention groups a shuffled batch by size."""
    real = computed = 0
    for batch in batches:
        nodes = sizes[batch]
        mask = PaddingIndex(nodes).mask
        shape = (len(batch), 4, int(nodes.max()), 32)
        real += int((nodes**2).sum())
        computed += sum(
            len(block.graphs) * block.size**2 for block in buckets(mask, shape)
        )
    return real / computed
