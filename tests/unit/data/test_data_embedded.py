"""The data sets that need no download."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.linear_model import LogisticRegression

from dgl_signgt.data import dataset_statistics, load, make_split
from dgl_signgt.data.flat import graph_of_node


def fit(features, dataset, split):
    label = dataset.label.numpy()
    model = LogisticRegression(max_iter=200, tol=1e-2)
    model.fit(features[split.train], label[split.train])
    return model.score(features[split.test], label[split.test])


def smooth(flat):
    shape = (flat.num_nodes, flat.num_nodes)
    ones = np.ones(len(flat.src))
    adjacency = sp.csr_matrix((ones, (flat.dst, flat.src)), shape=shape)
    degree = np.diff(adjacency.indptr).clip(1)
    return sp.diags(1 / degree) @ adjacency @ flat.feat


@pytest.mark.parametrize("homophily", [0.0, 0.25, 0.6, 1.0])
def test_csbm_has_the_homophily_it_was_asked_for(homophily):
    dataset = load("csbm", homophily=homophily, num_classes=4, seed=3)
    stats = dataset_statistics(dataset)
    assert stats["homophily"] == pytest.approx(homophily, abs=1e-3)
    assert stats["edges"] == 5000
    assert stats["self_loops"] == 0
    assert set(stats["label_counts"].values()) == {250}


def test_csbm_is_a_function_of_its_seed():
    one, same, other = (load("csbm", seed=s) for s in (0, 0, 1))
    assert np.array_equal(one.flat.src, same.flat.src)
    assert np.array_equal(one.flat.feat, same.flat.feat)
    assert not np.array_equal(one.flat.feat, other.flat.feat)
    assert one.fingerprint == same.fingerprint != other.fingerprint


@pytest.mark.parametrize("homophily", [0.1, 0.9])
def test_csbm_neighbours_tell_what_features_do_not(homophily):
    dataset = load("csbm", homophily=homophily)
    split = make_split(dataset, "per-label")
    alone = fit(dataset.flat.feat, dataset, split)
    around = np.hstack([dataset.flat.feat, smooth(dataset.flat)])
    assert 0.6 < alone < 0.85
    assert fit(around, dataset, split) > alone + 0.1


def test_digits():
    dataset = load("digits-knn")
    stats = dataset_statistics(dataset)
    assert (stats["nodes"], stats["features"], stats["classes"]) == (
        1797,
        64,
        10,
    )
    assert stats["homophily"] > 0.95
    assert stats["degree"][0] >= 8
    split = make_split(dataset, "per-label")
    assert fit(smooth(dataset.flat), dataset, split) > 0.9


def test_nci5k():
    dataset = load("nci5k")
    assert len(dataset) + dataset.info["unreadable"] == 4999
    assert 0 < dataset.info["unreadable"] < 20
    counts = torch.bincount(dataset.label)
    assert len(counts) == 3
    assert counts.min() > 0.32 * len(dataset)
    graph, _ = dataset[0]
    # The first molecule is CC1=CC(=O)C=CC1=O.
    assert graph.num_nodes() == 9
    assert graph.num_edges() == 18
    feat = graph.ndata["feat"]
    assert feat[:, 0].sum() == 7
    assert feat[:, 2].sum() == 2
    bonds = graph.edata["feat"].sum(0) / 2
    assert bonds.tolist() == [5, 4, 0, 0, 6]
    sums = np.zeros((len(dataset), dataset.in_size))
    nodes = graph_of_node(dataset.flat.node_counts)
    np.add.at(sums, nodes, dataset.flat.feat)
    assert fit(sums, dataset, make_split(dataset, "random")) > 0.85
