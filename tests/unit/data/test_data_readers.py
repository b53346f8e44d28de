"""Raw formats, on tiny files of the exact form."""

import io
import pickle
from collections import defaultdict

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from archives import write_folder, write_tar, write_zip

from dgl_signgt.data import load, make_split
from dgl_signgt.data.readers.amgcn import read_amgcn
from dgl_signgt.data.readers.filtered import read_filtered
from dgl_signgt.data.readers.geom_gcn import read_geom_gcn
from dgl_signgt.data.readers.planetoid import read_planetoid
from dgl_signgt.data.readers.tu import read_tu
from dgl_signgt.data.source import open_source
from dgl_signgt.errors import DataError


def npz(arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def edges_of(flat):
    return [*zip(flat.src.tolist(), flat.dst.tolist())]


def check_frankenstein(dataset):
    assert len(dataset) == 2
    assert dataset.num_classes == 2
    assert dataset.sizes.tolist() == [3, 2]
    # -1 sorts before 1.
    assert dataset.label.tolist() == [1, 0]
    graph, _ = dataset[1]
    assert [e.tolist() for e in graph.edges()] == [[0, 1], [1, 0]]
    assert graph.ndata["feat"].tolist() == [[3.25, -4.0], [5.0, 6.125]]
    assert dataset.feat_kind == "dense"
    assert dataset.in_size == 2


@pytest.mark.parametrize(
    "name", ["FRANKENSTEIN.zip", "frankenstein.zip", "Frankenstein.ZIP"]
)
def test_frankenstein_from_an_archive_in_any_case(root, tu_files, name):
    write_zip(root / name, tu_files)
    check_frankenstein(load("frankenstein"))


def test_frankenstein_from_lzma_tar_and_folder(root, tu_files, tmp_path):
    import zipfile

    write_zip(root / "FRANKENSTEIN.zip", tu_files, zipfile.ZIP_LZMA)
    first = load("frankenstein")
    check_frankenstein(first)
    tar = tmp_path / "tar"
    tar.mkdir()
    write_tar(tar / "frankenstein.tar.gz", tu_files)
    second = load("frankenstein", root=tar)
    check_frankenstein(second)
    folder = tmp_path / "folder"
    write_folder(folder, tu_files)
    third = load("frankenstein", root=folder)
    check_frankenstein(third)
    # The same files are the same data, however they are packed.
    assert first.fingerprint == second.fingerprint == third.fingerprint


def test_any_tu_set_by_name(root, tu_files):
    own = {n.replace("FRANKENSTEIN", "MINE"): c for n, c in tu_files.items()}
    write_zip(root / "MINE.zip", own)
    check_frankenstein(load("tu", dataset="MINE"))
    with pytest.raises(DataError, match=r"OTHER.*OTHER\.zip"):
        load("tu", dataset="OTHER")


def test_tu_labels_of_nodes_and_edges(tmp_path, tu_files):
    files = {n.split("/")[1]: c for n, c in tu_files.items()}
    del files["FRANKENSTEIN_node_attributes.txt"]
    # Node labels with a gap, two columns; an edge twice, and a self-loop.
    files["FRANKENSTEIN_node_labels.txt"] = "7, 0\n3, 0\n7, 1\n3, 0\n9, 1\n"
    files["FRANKENSTEIN_A.txt"] = "2,1\n1,2\n1,2\n3,3\n4,5\n"
    files["FRANKENSTEIN_edge_labels.txt"] = "5\n2\n5\n2\n2\n"
    source = open_source(write_folder(tmp_path / "raw", files))
    flat = read_tu(source, "FRANKENSTEIN")
    assert flat.in_size == 5
    assert flat.feat_kind == "dense"
    assert flat.feat[4].tolist() == [0, 0, 1, 0, 1]
    assert edges_of(flat) == [(0, 1), (1, 0), (0, 1)]
    assert flat.edge_counts.tolist() == [2, 1]
    assert flat.edge_feat.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert flat.info["self_loops"] == 1
    coded = read_tu(source, "FRANKENSTEIN", "categorical")
    assert coded.in_size == [3, 2]
    assert coded.feat[4].tolist() == [2, 1]
    degree = read_tu(source, "FRANKENSTEIN", "degree")
    assert degree.feat.tolist() == [1, 1, 0, 0, 1]
    assert degree.in_size == [2]
    constant = read_tu(source, "FRANKENSTEIN", "constant")
    assert constant.feat.tolist() == [[1]] * 5
    assert (constant.feat_kind, constant.in_size) == ("dense", 1)


def test_tu_without_labels_gets_degrees(root, tu_files):
    del tu_files["FRANKENSTEIN/FRANKENSTEIN_node_attributes.txt"]
    own = {n.replace("FRANKENSTEIN", "NET"): c for n, c in tu_files.items()}
    write_zip(root / "NET.zip", own)
    dataset = load("tu", dataset="NET", k=1)
    assert dataset.feat_kind == "categorical"
    assert dataset.in_size == [3]
    graph, _ = dataset.batch([0, 1])
    assert graph.ndata["feat"].tolist() == [2, 2, 2, 1, 1]
    assert graph.ndata["feat"].dtype == torch.int64


@pytest.mark.parametrize(
    "name", ["cora_full.zip", "CoraFull.zip", "cora_full.npz"]
)
def test_corafull(root, shchur_arrays, name):
    data = npz(shchur_arrays)
    if name.endswith(".zip"):
        write_zip(root / name, {"cora_full.npz": data})
    else:
        (root / name).write_bytes(data)
    dataset = load("corafull")
    assert dataset.num_classes == 3
    assert dataset.in_size == 3
    # 0-1, 1-2 (given both ways), and a self-loop that is dropped.
    assert edges_of(dataset.flat) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert dataset.feat.layout == torch.sparse_csr
    dense = [[1, 0, 2], [0, 0, 0], [0, 3, 0], [1, 1, 1]]
    assert dataset.feat.to_dense().tolist() == dense
    assert dataset[0].ndata["feat"].tolist() == dense
    assert dataset.info["self_loops"] == 1


def test_geom_gcn(tmp_path):
    head = "node_id\tfeature\tlabel\n"
    masks = {
        "train_mask": np.array([1, 0, 0], np.uint8),
        "val_mask": np.array([0, 1, 0], np.uint8),
        "test_mask": np.array([0, 0, 1], np.uint8),
    }
    files = {
        # Nodes are not in order, as in actor's file.
        "out1_node_feature_label.txt": head
        + "2\t0,1,0\t1\n0\t1,0,0.5\t0\n1\t0,0,0\t1\n",
        "out1_graph_edges.txt": "node_id\tnode_id\n0\t1\n1\t0\n2\t2\n2\t1\n",
        "splits/wiki_split_0.6_0.2_0.npz": npz(masks),
    }
    source = open_source(write_folder(tmp_path / "raw", files))
    flat = read_geom_gcn(source, "wiki")
    assert flat.label.tolist() == [0, 1, 1]
    assert flat.feat.toarray().tolist() == [[1, 0, 0.5], [0, 0, 0], [0, 1, 0]]
    assert edges_of(flat) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert flat.splits.tolist() == [[1, 2, 3]]
    assert flat.info["raw_homophily"] == 0.5
    files["out1_node_feature_label.txt"] = (
        head + "2\t3,1\t1\n0\t0\t0\n1\t1,1\t1\n"
    )
    source = open_source(write_folder(tmp_path / "raw", files))
    listed = read_geom_gcn(source, "wiki", index_features=True)
    assert listed.feat.toarray().tolist() == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 1, 0, 1],
    ]


@pytest.mark.parametrize(
    "features",
    [
        "0 1 0\n2 0 0\n",
        "0\t1\t0\n2\t0\t0\n",
        "0 1.0 0\n2e0 0 0",
        "0 1 0 \n2 0 0 \n",
    ],
)
def test_amgcn_digits_and_other_numbers(tmp_path, features):
    files = {
        "x.feature": features,
        "x.label": "1\n0\n",
        "x.edge": "0 1\n1 1\n",
    }
    source = open_source(write_folder(tmp_path / "raw", files))
    flat = read_amgcn(source, "x", ("x_P.edge", "x.edge"))
    assert flat.feat.toarray().tolist() == [[0, 1, 0], [2, 0, 0]]
    assert edges_of(flat) == [(0, 1), (1, 0)]
    assert flat.label.tolist() == [1, 0]
    assert flat.info["self_loops"] == 1


def test_filtered(tmp_path):
    arrays = {
        "node_features": np.eye(3, 4, dtype=np.float32),
        "node_labels": np.array([0, 1, 1]),
        "edges": np.array([[0, 1], [1, 2]]),
        "train_masks": np.array([[1, 0, 0]], bool),
        "val_masks": np.array([[0, 1, 0]], bool),
        "test_masks": np.array([[0, 0, 1]], bool),
    }
    path = tmp_path / "x.npz"
    path.write_bytes(npz(arrays))
    flat = read_filtered(open_source(path), "x.npz")
    assert edges_of(flat) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert flat.splits.tolist() == [[1, 2, 3]]
    arrays["val_masks"][0, 0] = True
    path.write_bytes(npz(arrays))
    with pytest.raises(DataError, match="val_masks overlaps"):
        read_filtered(open_source(path), "x.npz")


@pytest.fixture
def planetoid_files():
    """Four known nodes (two of them training), one isolated, two test."""
    allx = sp.csr_matrix(np.eye(4, 3), dtype=np.float32)
    graph = defaultdict(list, {0: [1], 1: [0, 2], 2: [6], 3: [], 6: [6], 4: []})
    parts = {
        "x": allx[:2],
        "y": np.array([[1, 0], [0, 1]]),
        "allx": allx,
        "ally": np.array([[1, 0], [0, 1], [1, 0], [1, 0]]),
        "tx": sp.csr_matrix([[5.0, 0, 0], [0, 6.0, 0]], dtype=np.float32),
        "ty": np.array([[0, 1], [1, 0]]),
        "graph": graph,
    }
    files = {
        f"ind.cora.{k}": pickle.dumps(v, protocol=2) for k, v in parts.items()
    }
    files["ind.cora.test.index"] = "6\n4\n"
    return files


def test_planetoid(tmp_path, planetoid_files):
    source = open_source(write_folder(tmp_path / "raw", planetoid_files))
    flat = read_planetoid(source, ("cora_v2", "cora"))
    assert flat.num_nodes == 7
    assert flat.feat.toarray()[4].tolist() == [0, 6, 0]
    assert flat.feat.toarray()[6].tolist() == [5, 0, 0]
    # Node 5 is in no file: it has no label and is in no split.
    assert flat.label.tolist() == [0, 1, 0, 0, 0, -1, 1]
    assert edges_of(flat) == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 6), (6, 2)]
    assert flat.splits[0].tolist()[:2] == [1, 1]
    assert flat.splits[0, [4, 6]].tolist() == [3, 3]


def test_planetoid_obeys_no_pickle(tmp_path, planetoid_files):
    class Evil:
        def __reduce__(self):
            import os

            return os.mkdir, (str(tmp_path / "owned"),)

    planetoid_files["ind.cora.graph"] = pickle.dumps(Evil())
    source = open_source(write_folder(tmp_path / "raw", planetoid_files))
    with pytest.raises(DataError, match=r"asks for (posix|os)\.mkdir"):
        read_planetoid(source, ("cora",))
    assert not (tmp_path / "owned").exists()


def test_public_split_through_make_split(tmp_path, planetoid_files):
    source = open_source(write_folder(tmp_path / "raw", planetoid_files))
    flat = read_planetoid(source, ("cora",))
    from dgl_signgt.data import NodeDataset

    dataset = NodeDataset("cora", flat, "none")
    split = make_split(dataset, "public")
    assert split.train.tolist() == [0, 1]
    assert split.test.tolist() == [4, 6]
