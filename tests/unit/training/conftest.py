"""A tiny graph data set on disk, and recipes that train in a moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest


def write_tiny_tu(folder: Path, graphs: int = 60) -> None:
    """TUDataset files: rings of carbons (class 0) or with oxygens (1)."""
    rng = np.random.default_rng(0)
    home = folder / "TINY"
    home.mkdir(parents=True, exist_ok=True)
    edges, owner, labels, atoms = [], [], [], []
    start = 1
    for number in range(graphs):
        size = int(rng.integers(4, 9))
        target = number % 2
        for i in range(size):
            j = (i + 1) % size
            edges += [(start + i, start + j), (start + j, start + i)]
        owner += [number + 1] * size
        kinds = rng.integers(0, 2, size)
        kinds[0] = 2 if target else 0
        atoms += kinds.tolist()
        labels.append(target)
        start += size
    text = {
        "A": [f"{a}, {b}" for a, b in edges],
        "graph_indicator": owner,
        "graph_labels": labels,
        "node_labels": atoms,
    }
    for name, lines in text.items():
        (home / f"TINY_{name}.txt").write_text(
            "".join(f"{line}\n" for line in lines)
        )


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with its own data directory."""
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    write_tiny_tu(tmp_path / "data")
    return tmp_path


@pytest.fixture
def node_recipe(home: Path) -> dict[str, Any]:
    """A node-level recipe of a few milliseconds an epoch."""
    return {
        "pipeline_name": "signgt-nodepred",
        "pipeline_mode": "train",
        "data": {"name": "csbm", "num_nodes": 60, "homophily": 0.8},
        "model": {"name": "signgt", "hidden_size": 8, "num_heads": 2},
        "general_pipeline": {
            "num_epochs": 6,
            "optimizer": {"name": "AdamW", "lr": 0.01},
        },
    }


@pytest.fixture
def graph_recipe(home: Path) -> dict[str, Any]:
    """A graph-level recipe of a few milliseconds an epoch."""
    return {
        "pipeline_name": "signgt-graphpred",
        "pipeline_mode": "train",
        "data": {"name": "tu", "dataset": "TINY"},
        "model": {"name": "signgt", "hidden_size": 8, "num_heads": 2},
        "general_pipeline": {
            "num_epochs": 6,
            "train_batch_size": 8,
            "optimizer": {"name": "AdamW", "lr": 0.01},
        },
    }
