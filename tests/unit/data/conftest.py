"""Tiny raw files of the exact formats, and an empty data directory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory, which is the default one here."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(folder))
    monkeypatch.delenv("DGL_REPO", raising=False)
    return folder


@pytest.fixture
def tu_files() -> dict[str, str]:
    """Two graphs, a triangle and an edge, as FRANKENSTEIN's files are."""
    return {
        "FRANKENSTEIN/FRANKENSTEIN_A.txt": (
            "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n4, 5\n5, 4\n"
        ),
        "FRANKENSTEIN/FRANKENSTEIN_graph_indicator.txt": "1\n1\n1\n2\n2\n",
        "FRANKENSTEIN/FRANKENSTEIN_graph_labels.txt": "1\n-1\n",
        "FRANKENSTEIN/FRANKENSTEIN_node_attributes.txt": (
            "0.5, 1.0\n-1e-3, 2\n0, 0\n3.25, -4\n5, 6.125\n"
        ),
    }


@pytest.fixture
def shchur_arrays() -> dict[str, np.ndarray]:
    """Four nodes as in cora_full.npz, whose names are pickled objects."""
    adj = sp.csr_matrix(
        np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]),
        dtype=np.float32,
    )
    attr = sp.csr_matrix(
        np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0], [1, 1, 1]]),
        dtype=np.float32,
    )
    arrays = {"labels": np.array([0, 1, 1, 2])}
    for key, matrix in (("adj", adj), ("attr", attr)):
        arrays[f"{key}_data"] = matrix.data
        arrays[f"{key}_indices"] = matrix.indices
        arrays[f"{key}_indptr"] = matrix.indptr
        arrays[f"{key}_shape"] = np.array(matrix.shape)
    arrays["idx_to_node"] = np.array({0: "a paper"}, dtype=object)
    return arrays
