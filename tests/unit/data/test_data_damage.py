"""Damaged input: one clear line that names file and line, nothing left."""

import io
import zipfile

import numpy as np
import pytest
from archives import write_folder, write_tar, write_zip

from dgl_signgt.data import load
from dgl_signgt.data.readers.amgcn import read_amgcn
from dgl_signgt.data.readers.geom_gcn import read_geom_gcn
from dgl_signgt.data.readers.tu import read_tu
from dgl_signgt.data.source import open_source
from dgl_signgt.errors import DataError

A = "FRANKENSTEIN/FRANKENSTEIN_A.txt"
INDICATOR = "FRANKENSTEIN/FRANKENSTEIN_graph_indicator.txt"
LABELS = "FRANKENSTEIN/FRANKENSTEIN_graph_labels.txt"
ATTRIBUTES = "FRANKENSTEIN/FRANKENSTEIN_node_attributes.txt"


def fails(root, said, name="frankenstein"):
    """Loading fails in one line and leaves the folder as it was."""
    before = sorted(root.rglob("*"))
    with pytest.raises(DataError, match=said) as error:
        load(name)
    assert "\n" not in str(error.value)
    assert str(root) in str(error.value)
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize(
    ("member", "text", "said"),
    [
        (A, "1, 2\n2, 99\n", r"_A.txt\), line 2: edge 2,99 has an end"),
        (A, "1, 2\n0, 1\n", r"_A.txt\), line 2: edge 0,1 has an end"),
        (A, "1, 2\n3, 4\n", r"_A.txt\), line 2: edge 3,4 joins two graphs"),
        (A, "1, 2\n2, one\n", r"_A.txt\), line 2: expected 2 whole numbers"),
        (A, "1, 2\n2, 1, 3\n", r"_A.txt\), line 2: expected 2 whole"),
        (A, "1, 2, 3\n2, 1, 3\n", r"_A.txt\), line 1: expected 2 whole"),
        (A, "1, 2\n2\n", r"_A.txt\), line 2: expected 2 whole numbers"),
        (A, "1, 2\n2, 1.5\n", r"_A.txt\), line 2: expected 2 whole numbers"),
        (A, "1, 2\n2, 4294967297\n", r"line 2: edge 2,4294967297 has an end"),
        (A, "1, 2\n2, 99999999999999999999\n", r"line 2: expected 2 whole"),
        (A, "", r"_A.txt\) is empty"),
        (A, "\n\n", r"_A.txt\) is empty"),
        (INDICATOR, "1\n1\n1\n3\n3\n", r"line 4: graph 3 is out of order"),
        (INDICATOR, "1\n1\n1\n2\n1\n", r"line 5: graph 1 is out of order"),
        (INDICATOR, "0\n1\n1\n2\n2\n", r"line 1: graph 0 is out of order"),
        (LABELS, "1\n", r"_graph_labels.txt\) has 1 labels for 2 graphs"),
        (LABELS, "1\nx\n", r"_graph_labels.txt\), line 2: expected 1 whole"),
        (ATTRIBUTES, "1, 2\n" * 4, r"has 4 lines for 5 nodes"),
        (ATTRIBUTES, "1, 2\n" * 4 + "1, \n", r"line 5: expected 2 numbers"),
        (ATTRIBUTES, "1, 2\n" * 4 + "1, inf\n", r"line 5: .*not finite"),
        (ATTRIBUTES, "1, 2\n" * 4 + "1, nan\n", r"line 5: expected 2 numbers"),
        (A, b"\xff\xfe\x00\x01", r"_A.txt\), line 1: expected 2 whole"),
    ],
)
def test_damaged_text(root, tu_files, member, text, said):
    write_zip(root / "FRANKENSTEIN.zip", {**tu_files, member: text})
    fails(root, said)


def test_truncated_zip_at_every_length(root, tu_files):
    whole = write_zip(root / "FRANKENSTEIN.zip", tu_files)
    data = whole.read_bytes()
    for length in range(0, len(data), 97):
        whole.write_bytes(data[:length])
        fails(root, r"FRANKENSTEIN.zip.*(not a whole archive|damaged)")
    whole.write_bytes(data)
    assert len(load("frankenstein")) == 2


def test_truncated_tar(root, tu_files):
    whole = write_tar(root / "FRANKENSTEIN.tar.gz", tu_files)
    data = whole.read_bytes()
    for length in (0, 10, len(data) // 2, len(data) - 20, len(data) - 1):
        whole.write_bytes(data[:length])
        fails(root, "FRANKENSTEIN.tar.gz")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_flipped_bit_is_found(root, tu_files, method):
    # Long enough that the flip hits data, not a header.
    tu_files["FRANKENSTEIN/FRANKENSTEIN_A.txt"] *= 200
    path = write_zip(root / "FRANKENSTEIN.zip", tu_files, method)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        info = archive.infolist()[0]
    data[info.header_offset + 30 + len(info.filename) + 30] ^= 0x10
    path.write_bytes(data)
    fails(root, r"_A.txt\) is damaged")


def test_missing_member(root, tu_files):
    del tu_files[LABELS]
    write_zip(root / "FRANKENSTEIN.zip", tu_files)
    fails(root, "FRANKENSTEIN.zip has no file FRANKENSTEIN_graph_labels.txt")


def test_half_a_folder_is_not_taken_for_whole(root, tu_files):
    half = {A: tu_files[A], LABELS: tu_files[LABELS]}
    write_folder(root, half)
    fails(root, "has no file FRANKENSTEIN_graph_indicator.txt")
    # An archive beside it is whole.
    write_zip(root / "FRANKENSTEIN.zip", tu_files)
    assert len(load("frankenstein")) == 2


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/evil.txt", "a/../../evil.txt", "C:\\evil.txt"]
)
@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_paths_that_leave_the_folder(root, tu_files, name, kind):
    write = write_zip if kind == "zip" else write_tar
    write(root / f"FRANKENSTEIN.{kind}", {**tu_files, name: "x"})
    fails(root, "would leave the folder; the archive is refused")


def test_cut_files_of_known_sets_do_not_count(root, tu_files):
    # A whole archive of another size than the real NCI1.
    own = {n.replace("FRANKENSTEIN", "NCI1"): c for n, c in tu_files.items()}
    del own["NCI1/NCI1_node_attributes.txt"]
    own["NCI1/NCI1_node_labels.txt"] = "0\n1\n0\n1\n0\n"
    write_zip(root / "NCI1.zip", own)
    said = r"NCI1.zip \(NCI1_graph_labels.txt\): 2 graphs where nci1 has 4110"
    fails(root, said, "nci1")


def test_label_out_of_range_in_a_tu_set(tmp_path, tu_files):
    tu_files[LABELS] = "1\n5\n"
    source = open_source(write_folder(tmp_path / "x", tu_files))
    with pytest.raises(DataError, match=r"line \d: label \d is out of range"):
        read_tu(source, "FRANKENSTEIN", num_classes=1)


@pytest.mark.parametrize(
    ("member", "text", "said"),
    [
        ("x.label", "0\n7\n", r"x.label, line 2: label 7 is out of range"),
        ("x.label", "-1\n0\n", r"x.label, line 1: label -1 is out of range"),
        ("x.label", "0\na\n", r"x.label, line 2: expected 1 whole number"),
        ("x.label", "", r"x.label is empty"),
        ("x.edge", "0 1\n0 2\n", r"x.edge, line 2: edge 0 2 has an end"),
        ("x.edge", "0 1\n0\n", r"x.edge, line 2: expected 2 whole numbers"),
        ("x.edge", "", r"x.edge is empty"),
        ("x.feature", "0 1\n0 x\n", r"x.feature, line 2: features must be"),
        ("x.feature", "0 1\n0 1 1\n", r"x.feature, line 2: 3 features, but 2"),
        ("x.feature", "0 1\n\n", r"x.feature, line 2 is empty"),
        ("x.feature", "0 1\n", r"x.feature has 1 lines for 2 nodes"),
        ("x.feature", "", r"x.feature is empty"),
    ],
)
def test_damaged_amgcn(tmp_path, member, text, said):
    files = {
        "x.feature": "0 1\n1 0\n",
        "x.label": "0\n1\n",
        "x.edge": "0 1\n",
        member: text,
    }
    source = open_source(write_folder(tmp_path / "x", files))
    with pytest.raises(DataError, match=said) as error:
        read_amgcn(source, "x", ("x.edge",), num_classes=2)
    assert "\n" not in str(error.value)


NODES = "out1_node_feature_label.txt"
EDGES = "out1_graph_edges.txt"


@pytest.mark.parametrize(
    ("member", "text", "said"),
    [
        (NODES, "h\n0\t1,0\t0\n1\t0,x\t1\n", r"label.txt, line 3: expected"),
        (NODES, "h\n0\t1,0\t0\n1\t0,1\n", r"label.txt, line 3: expected"),
        (NODES, "h\n0\t1,0\t0\n1\t0\t1\n", r"line 3: 1 features, but 2"),
        (NODES, "h\n0\t1,0\t0\n0\t0,1\t1\n", r"line 3: node 0 is there twice"),
        (NODES, "h\n0\t1,0\t0\n5\t0,1\t1\n", r"line 3: node 5 .*not from 0"),
        (NODES, "h\n0\t1,0\t0\n1\t0,1\t9\n", r"line 3: label 9 is out of"),
        (NODES, "h\n", r"label.txt has no nodes"),
        (NODES, "", r"label.txt is empty"),
        (EDGES, "h\th\n0\t1\n0\t2\n", r"edges.txt, line 3: edge 0-2 has an"),
        (EDGES, "h\th\n0\t1\n0\tz\n", r"edges.txt, line 3: expected 2"),
        (EDGES, "", r"edges.txt is empty"),
        ("w_split_0.6_0.2_0.npz", b"PK", r"w_split_0.6_0.2_0.npz"),
    ],
)
def test_damaged_geom_gcn(tmp_path, member, text, said):
    files = {
        NODES: "h\n0\t1,0\t0\n1\t0,1\t1\n",
        EDGES: "h\th\n0\t1\n",
        member: text,
    }
    source = open_source(write_folder(tmp_path / "x", files))
    with pytest.raises(DataError, match=said) as error:
        read_geom_gcn(source, "w", num_classes=2)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"labels": np.array([0, 1])}, "labels must be 4 whole numbers"),
        ({"labels": np.array([0, 1, -2, 0])}, "line 3: label -2 is out of"),
        ({"adj_indices": np.array([9, 2, 1, 3])}, "adj_.* is not a sparse"),
        ({"attr_shape": np.array([3, 3])}, "attr_.* is not a sparse"),
        ({"labels": np.array(["a"], dtype=object)}, "without pickle"),
        ({"labels": None}, "has no array 'labels'"),
    ],
)
def test_damaged_npz(root, shchur_arrays, change, said):
    arrays = {**shchur_arrays, **change}
    arrays = {k: v for k, v in arrays.items() if v is not None}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    (root / "cora_full.npz").write_bytes(buffer.getvalue())
    fails(root, said, "corafull")


def test_truncated_npz(root, shchur_arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **shchur_arrays)
    data = buffer.getvalue()
    for length in (0, 1, 100, len(data) // 2, len(data) - 5):
        (root / "cora_full.npz").write_bytes(data[:length])
        fails(root, "cora_full.npz", "corafull")
