"""Transforms of features and structure."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from flat_example import flat_of, run

from dgl_signgt.data import load, transform_names
from dgl_signgt.errors import DataError


def edges(flat):
    src, dst = flat.global_edges()
    return [*zip(src.tolist(), dst.tolist())]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_row_normalize(form):
    out = run(flat_of(feat=form(flat_of().feat)), "row-normalize").feat
    out = out.toarray() if sp.issparse(out) else out
    assert out.tolist() == [
        [0.25, 0.75],
        [0, 0],
        [-0.5, 0.5],
        [1, 0],
        [0.5, 0.5],
        [0, 1],
    ]
    assert out.dtype == np.float32


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_standardize(form):
    feat = np.hstack([flat_of().feat, np.full((6, 1), 7, np.float32)])
    out = run(flat_of(feat=form(feat), feat_kind="sparse"), "standardize")
    assert out.feat_kind == "dense"
    assert np.allclose(out.feat.mean(0), 0, atol=1e-6)
    assert np.allclose(out.feat.std(0), [1, 1, 0], atol=1e-6)


def test_undirected_keeps_features_of_edges():
    out = run(flat_of(), "undirected")
    assert edges(out) == [(0, 1), (1, 0), (1, 2), (2, 1), (4, 5), (5, 4)]
    assert out.edge_feat.ravel().tolist() == [1, 1, 2, 2, 3, 3]
    assert out.edge_counts.tolist() == [4, 2]
    assert edges(run(out, "undirected")) == edges(out)


def test_self_loops_once():
    out = run(flat_of(), "self-loops", "self-loops")
    loops = [(i, i) for i in range(6)]
    assert sorted(edges(out)) == sorted([*loops, (0, 1), (1, 2), (4, 5)])
    assert out.edge_feat.sum() == 6
    assert out.edge_counts.tolist() == [6, 3]


def test_largest_component_of_each_graph():
    out = run(flat_of(), "largest-component")
    assert out.node_counts.tolist() == [3, 2]
    assert edges(out) == [(0, 1), (1, 2), (3, 4)]
    assert out.feat[:, 0].tolist() == [1, 0, -2, 1, 0]
    assert out.label.tolist() == [0, 1]
    assert out.edge_feat.ravel().tolist() == [1, 2, 3]


def test_largest_component_of_a_node_set():
    flat = flat_of(
        task="node",
        node_counts=np.array([6]),
        edge_counts=np.array([3]),
        src=np.array([0, 3, 4], np.int32),
        dst=np.array([1, 4, 5], np.int32),
        label=np.arange(6),
        splits=np.array([[1, 1, 2, 2, 3, 3]], np.int8),
    )
    out = run(flat, "largest-component")
    assert out.label.tolist() == [3, 4, 5]
    assert out.splits.tolist() == [[2, 3, 3]]
    assert edges(out) == [(0, 1), (1, 2)]


@pytest.mark.parametrize("sparse", [False, True])
def test_l2_normalize(sparse):
    feat = np.array([[3, 4], [0, 0], [0, -2]], np.float32)
    flat = flat_of(
        node_counts=np.array([3]),
        feat=sp.csr_matrix(feat) if sparse else feat,
        feat_kind="sparse" if sparse else "dense",
    )
    out = run(flat, "l2-normalize").feat
    assert sp.issparse(out) == sparse
    out = out.toarray() if sparse else out
    wanted = np.array([[0.6, 0.8], [0, 0], [0, -1]])
    assert np.allclose(out, wanted)
    assert out.dtype == np.float32


def test_transforms_through_load_reach_khop_and_cache(root):
    steps = ["standardize", {"random-walk-pe": {"size": 3}}]
    first = load("csbm", num_nodes=100, transforms=steps, k=1)
    again = load("csbm", num_nodes=100, transforms=steps, k=1)
    assert first.in_size == 35
    assert torch.equal(first.feat, again.feat)
    assert first.fingerprint == again.fingerprint
    assert first.fingerprint != load("csbm", num_nodes=100).fingerprint


def test_names_for_recipes():
    assert transform_names() == [
        "row-normalize",
        "l2-normalize",
        "standardize",
        "undirected",
        "self-loops",
        "largest-component",
        "adjacency-pe",
        "laplacian-pe",
        "random-walk-pe",
        "degree-pe",
        "wl-pe",
        "clique-pe",
        "neighbor-sums",
        "edge-sums",
    ]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (["row-normalise"], "did you mean 'row-normalize'"),
        (["self-loops", {"laplacian-pe": {"sise": 3}}], "did you mean 'size'"),
        ([{"laplacian-pe": {"size": 0}}], "whole number from 1 up"),
        ([{"laplacian-pe": {"size": True}}], "whole number from 1 up"),
        ([{"laplacian-pe": 3}], "settings must be a mapping"),
        ([{"a": 1, "b": 2}], "one name with its settings"),
        ("standardize", "must be a list"),
    ],
)
def test_wrong_transforms(steps, said):
    with pytest.raises(DataError, match=said):
        load("csbm", transforms=steps)


@pytest.mark.parametrize(
    "name",
    [
        "row-normalize",
        "l2-normalize",
        "standardize",
        "adjacency-pe",
        "laplacian-pe",
        "random-walk-pe",
        "degree-pe",
        "wl-pe",
        "clique-pe",
        "neighbor-sums",
        "edge-sums",
    ],
)
def test_categorical_features_are_not_numbers(name, monkeypatch):
    # An encoding takes minutes on large data: the error comes before it.
    for kind in (
        "adjacency", "laplacian", "random_walk", "degree", "wl", "clique",
    ):  # fmt: skip
        monkeypatch.setattr(f"dgl_signgt.data.transforms.{kind}_encoding", None)
    for kind in ("neighbor", "edge"):
        monkeypatch.setattr(f"dgl_signgt.data.transforms.{kind}_sums", None)
    flat = flat_of(feat=np.zeros(6, np.int32), feat_kind="categorical")
    with pytest.raises(DataError, match="use node_feat: onehot"):
        run(flat, name)
