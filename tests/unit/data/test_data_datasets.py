"""Data sets as DGL, dglgo and SignGT use them."""

import dgl
import numpy as np
import pytest
import torch
from dgl.data import AsGraphPredDataset, AsNodePredDataset
from dgl.dataloading import GraphDataLoader

from dgl_signgt.data import SizeBucketBatchSampler, load
from dgl_signgt.khop import is_khop_graph, khop_graph


@pytest.fixture(scope="module")
def molecules(tmp_path_factory):
    return load("nci5k", root=tmp_path_factory.mktemp("molecules"))


def same(one, other):
    assert torch.equal(one.batch_num_nodes(), other.batch_num_nodes())
    assert torch.equal(one.batch_num_edges(), other.batch_num_edges())
    for a, b in zip(one.edges(), other.edges()):
        assert torch.equal(a, b)
    assert set(one.ndata) == set(other.ndata)
    for key in one.ndata:
        assert torch.equal(one.ndata[key], other.ndata[key])
    assert set(one.edata) == set(other.edata)
    for key in one.edata:
        assert torch.equal(one.edata[key], other.edata[key])


def test_batch_equals_dgl_batch(molecules):
    chosen = [7, 0, 4992, 7, 250]
    graph, labels = molecules.batch(chosen)
    pairs = [molecules[i] for i in chosen]
    same(graph, dgl.batch([g for g, _ in pairs]))
    assert labels.tolist() == [int(label) for _, label in pairs]
    assert graph.ndata["feat"].dtype == torch.float32


def test_batch_of_sparse_features(molecules):
    step = {"wl-pe": {"size": 50, "hops": 2}}
    sparse = load("nci5k", transforms=[step], root=molecules.raw_dir)
    size = molecules.in_size
    assert (sparse.in_size, sparse.feat_kind) == (size + 100, "sparse")
    chosen = [7, 0, 4992]
    graph, _ = sparse.batch(chosen)
    plain, _ = molecules.batch(chosen)
    feat = graph.ndata["feat"]
    assert (feat.layout, feat.dtype) == (torch.strided, torch.float32)
    assert torch.equal(feat[:, :size], plain.ndata["feat"])
    assert torch.equal(feat[:, size : size + 50].sum(1), torch.ones(len(feat)))
    assert torch.equal(feat[:, size + 50 :].sum(1), torch.ones(len(feat)))
    assert sparse.feat.layout == torch.sparse_csr
    start = int(sparse.sizes[:7].sum())
    first = sparse.feat.to_dense()[start : start + int(sparse.sizes[7])]
    assert torch.equal(feat[: len(first)], first)


@pytest.mark.parametrize("k", [0, 1, 3])
def test_khop_batch_equals_khop_graph(molecules, k, root):
    dataset = load("nci5k", k=k, khop_route="weights", root=molecules.raw_dir)
    chosen = [3, 1, 400]
    graph, _ = dataset.batch(chosen)
    raw, _ = molecules.batch(chosen)
    raw.edata.clear()
    assert is_khop_graph(graph)
    same(graph, khop_graph(raw, k, route="weights"))


def test_khop_of_a_node_set():
    dataset = load("csbm", num_nodes=200, k=2, khop_route="products")
    raw = load("csbm", num_nodes=200)
    same(dataset.graph, khop_graph(raw.graph, 2, route="products"))
    assert dataset.k == 2
    assert raw.k is None


def test_negative_and_wrong_index(molecules):
    last, _ = molecules[-1]
    assert last.num_nodes() == int(molecules.sizes[-1])
    with pytest.raises(IndexError):
        molecules[len(molecules)]
    with pytest.raises(IndexError):
        load("csbm")[1]


def test_graph_loader_and_batch_sampler(molecules):
    sampler = SizeBucketBatchSampler(molecules.sizes, 64, seed=1)
    loader = GraphDataLoader(molecules, batch_sampler=sampler)
    graph, labels = next(iter(loader))
    wanted, wanted_labels = molecules.batch(next(iter(sampler)))
    same(graph, wanted)
    assert torch.equal(labels, wanted_labels)


def test_dglgo_graph_adapter(molecules):
    data = AsGraphPredDataset(molecules)
    assert data.num_classes == 3
    assert data.num_tasks == 1
    assert data.node_feat_size == 26
    assert data.edge_feat_size == 5
    parts = torch.cat([data.train_idx, data.val_idx, data.test_idx])
    assert torch.equal(parts.sort().values, torch.arange(len(molecules)))
    subset = data[data.val_idx]
    assert len(subset) == 499
    graph, label = subset[0]
    assert graph.num_nodes() == int(molecules.sizes[data.val_idx[0]])
    assert label == molecules.label[data.val_idx[0]]


def test_dglgo_node_adapter(root):
    dataset = load("digits-knn")
    data = AsNodePredDataset(dataset)
    assert data.num_classes == 10
    assert len(data.train_idx) == 1078
    assert torch.equal(data[0].ndata["feat"], dataset.feat)
    assert torch.equal(data[0].ndata["label"], dataset.label)


def test_fast_enough_to_collate(molecules):
    import time

    # A small part of an epoch of seconds, even on a slow machine.
    sampler = SizeBucketBatchSampler(molecules.sizes, 128)
    batches = [*sampler]
    start = time.perf_counter()
    for batch in batches:
        molecules.batch(batch)
    assert (time.perf_counter() - start) / len(batches) < 0.03


def test_options_and_data_have_fingerprints():
    names = [
        load("csbm", num_nodes=100).fingerprint,
        load("csbm", num_nodes=120).fingerprint,
        load("csbm", num_nodes=100, transforms=["standardize"]).fingerprint,
    ]
    assert len(set(names)) == 3
    assert load("csbm", num_nodes=100).fingerprint == names[0]


def test_flat_arrays_are_not_changed_by_use():
    dataset = load("csbm", num_nodes=100)
    before = np.array(dataset.flat.feat)
    dataset[0].ndata["feat"] += 1
    assert np.array_equal(before, load("csbm", num_nodes=100).flat.feat)
