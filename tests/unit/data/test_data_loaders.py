"""OGB folders of the exact form, and one's own CSV files."""

import gzip
import shutil

import numpy as np
import pytest
import torch
from archives import write_folder, write_zip

from dgl_signgt.data import load, make_split
from dgl_signgt.data.readers.ogb import ogb_torch_load
from dgl_signgt.errors import DataError


def packed(rows):
    text = "\n".join(",".join(map(str, row)) for row in rows) + "\n"
    return gzip.compress(text.encode())


@pytest.fixture
def molhiv():
    """Three molecules; OGB stores each bond once."""
    atoms = [[5, 0, 4, 5, 3, 0, 2, 0, 0], [6, 0, 2, 5, 0, 0, 1, 0, 1]]
    return {
        "hiv/RELEASE_v1.txt": "",
        "hiv/raw/edge.csv.gz": packed([[0, 1], [0, 1], [1, 2]]),
        "hiv/raw/edge-feat.csv.gz": packed([[0, 0, 0], [1, 0, 1], [3, 0, 1]]),
        "hiv/raw/graph-label.csv.gz": packed([[0], [1], [0]]),
        "hiv/raw/node-feat.csv.gz": packed(
            [atoms[0], atoms[1], atoms[0], atoms[1], atoms[1], atoms[0]]
        ),
        "hiv/raw/num-edge-list.csv.gz": packed([[1], [2], [0]]),
        "hiv/raw/num-node-list.csv.gz": packed([[2], [3], [1]]),
        "hiv/split/scaffold/train.csv.gz": packed([[0]]),
        "hiv/split/scaffold/valid.csv.gz": packed([[2]]),
        "hiv/split/scaffold/test.csv.gz": packed([[1]]),
    }


@pytest.fixture
def arxiv():
    return {
        "arxiv/RELEASE_v1.txt": "",
        "arxiv/raw/edge.csv.gz": packed([[0, 1], [2, 1]]),
        "arxiv/raw/node-feat.csv.gz": packed([[0.5] * 4, [1.5] * 4, [2.5] * 4]),
        "arxiv/raw/node-label.csv.gz": packed([[4], [0], [39]]),
        "arxiv/raw/node_year.csv.gz": packed([[2010], [2011], [2012]]),
        "arxiv/raw/num-edge-list.csv.gz": packed([[2]]),
        "arxiv/raw/num-node-list.csv.gz": packed([[3]]),
        "arxiv/split/time/train.csv.gz": packed([[0]]),
        "arxiv/split/time/valid.csv.gz": packed([[1]]),
        "arxiv/split/time/test.csv.gz": packed([[2]]),
    }


def check_molhiv(dataset):
    assert dataset.label_kind == "multilabel"
    assert dataset.num_classes == 1
    assert dataset.feat_kind == "categorical"
    assert len(dataset.in_size) == 9
    graph, labels = dataset.batch([1, 0])
    assert labels.tolist() == [[1.0], [0.0]]
    assert [e.tolist() for e in graph.edges()] == [
        [0, 1, 1, 2, 3, 4],
        [1, 0, 2, 1, 4, 3],
    ]
    assert graph.ndata["feat"].dtype == torch.int64
    assert graph.edata["feat"].tolist()[2] == [3, 0, 1]
    split = make_split(dataset, "public")
    assert [p.tolist() for p in (split.train, split.val, split.test)] == [
        [0],
        [2],
        [1],
    ]


def test_molhiv_from_its_archive_and_again(root, molhiv):
    write_zip(root / "hiv.zip", molhiv)
    check_molhiv(load("ogbg-molhiv"))
    check_molhiv(load("ogbg-molhiv"))
    # Without our cache: OGB's own second, cached load.
    shutil.rmtree(root / "signgt-processed")
    check_molhiv(load("ogbg-molhiv", k=None))
    assert (root / "ogbg_molhiv" / "RELEASE_v1.txt").exists()
    khop, _ = load("ogbg-molhiv", k=1).batch([0, 1, 2])
    assert khop.num_edges() == 4 + 7 + 1


def test_molhiv_from_a_folder(root, molhiv):
    own = {n.replace("hiv/", "ogbg_molhiv/", 1): c for n, c in molhiv.items()}
    write_folder(root, own)
    check_molhiv(load("ogbg-molhiv"))


def test_arrays_in_split_files_load_on_any_torch(root, molhiv, tmp_path):
    own = {n.replace("hiv/", "ogbg_molhiv/", 1): c for n, c in molhiv.items()}
    write_folder(root, own)
    # OGB prefers this file; some of its sets save numpy arrays in it.
    split = {"train": np.array([0]), "valid": np.array([2])}
    split["test"] = np.array([1])
    path = root / "ogbg_molhiv" / "split" / "scaffold" / "split_dict.pt"
    torch.save(split, path)
    with pytest.raises(Exception, match="weights_only|Unsupported"):
        torch.load(path)
    with ogb_torch_load():
        assert torch.load(path)["valid"].tolist() == [2]
    check_molhiv(load("ogbg-molhiv"))

    class Evil:
        def __reduce__(self):
            import os

            return os.mkdir, (str(tmp_path / "owned"),)

    torch.save({"train": Evil()}, path)
    with pytest.raises(DataError, match="ogbg_molhiv cannot be read by ogb"):
        load("ogbg-molhiv")
    assert not (tmp_path / "owned").exists()


def test_half_written_ogb_cache_is_not_taken_for_whole(root, molhiv):
    own = {n.replace("hiv/", "ogbg_molhiv/", 1): c for n, c in molhiv.items()}
    own["ogbg_molhiv/processed/dgl_data_processed"] = b"half"
    write_folder(root, own)
    check_molhiv(load("ogbg-molhiv"))


def test_arxiv(root, arxiv):
    write_zip(root / "arxiv.zip", arxiv)
    dataset = load("ogbn-arxiv", transforms=["undirected"])
    assert dataset.num_classes == 40
    assert dataset.label.tolist() == [4, 0, 39]
    assert dataset.in_size == 4
    src, dst = dataset.graph.edges()
    assert sorted(zip(src.tolist(), dst.tolist())) == [
        (0, 1),
        (1, 0),
        (1, 2),
        (2, 1),
    ]
    assert make_split(dataset, "public").test.tolist() == [2]


def test_damaged_ogb(root, molhiv):
    path = write_zip(root / "hiv.zip", molhiv)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match=r"hiv\.zip is not a whole archive"):
        load("ogbg-molhiv")
    assert [p.name for p in root.iterdir()] == ["hiv.zip"]
    del molhiv["hiv/RELEASE_v1.txt"]
    write_zip(path, molhiv)
    with pytest.raises(DataError, match="not the version 1 of ogbg-molhiv"):
        load("ogbg-molhiv")


NODES = (
    "node_id,label,feat,train_mask,val_mask,test_mask\n"
    '0,0,"0.5,1",1,0,0\n1,1,"2,3",0,1,0\n2,1,"4,5.5",0,0,1\n'
)
META = (
    "dataset_name: mine\nedge_data:\n- file_name: edges.csv\n"
    "node_data:\n- file_name: nodes.csv\n"
)


def test_csv_of_one_graph(tmp_path):
    files = {
        "meta.yaml": META,
        "nodes.csv": NODES,
        "edges.csv": "src_id,dst_id\n0,1\n1,2\n",
    }
    folder = write_folder(tmp_path / "mine", files)
    dataset = load("csv", data_path=str(folder))
    assert dataset.task == "node"
    assert dataset.num_classes == 2
    assert dataset.feat.tolist() == [[0.5, 1], [2, 3], [4, 5.5]]
    assert make_split(dataset, "public").test.tolist() == [2]
    assert sorted(p.name for p in folder.iterdir()) == [
        "edges.csv",
        "meta.yaml",
        "nodes.csv",
    ]
    # A changed file is seen.
    (folder / "edges.csv").write_text("src_id,dst_id\n0,2\n2,0\n2,1\n")
    changed = load("csv", data_path=str(folder))
    assert changed.graph.num_edges() == 3
    assert changed.fingerprint != dataset.fingerprint


def test_csv_of_many_graphs(tmp_path):
    files = {
        "meta.yaml": META + "graph_data:\n  file_name: graphs.csv\n",
        "nodes.csv": 'graph_id,node_id,feat\n0,0,"1,2"\n0,1,"3,4"\n1,0,"5,6"\n',
        "edges.csv": "graph_id,src_id,dst_id\n0,0,1\n0,1,0\n1,0,0\n",
        "graphs.csv": "graph_id,label\n0,1\n1,0\n",
    }
    folder = write_folder(tmp_path / "mine", files)
    dataset = load("csv", data_path=str(folder))
    assert dataset.task == "graph"
    assert dataset.label.tolist() == [1, 0]
    assert dataset.sizes.tolist() == [2, 1]
    graph, _ = dataset.batch([1, 0])
    assert graph.ndata["feat"].tolist() == [[5, 6], [1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"meta.yaml": None}, r"meta\.yaml is missing"),
        ({"nodes.csv": "node_id,label\n0,0\n1,1\n"}, "needs 'feat' of nodes"),
        ({"nodes.csv": None}, "cannot be read"),
    ],
)
def test_damaged_csv(tmp_path, change, said):
    files = {
        "meta.yaml": META,
        "nodes.csv": NODES,
        "edges.csv": "src_id,dst_id\n0,0\n1,0\n",
        **change,
    }
    files = {n: c for n, c in files.items() if c is not None}
    folder = write_folder(tmp_path / "mine", files)
    with pytest.raises(DataError, match=said) as error:
        load("csv", data_path=str(folder))
    assert "\n" not in str(error.value)
