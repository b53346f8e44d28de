"""The processed cache is whole or absent."""

import json
import os
import shutil
import threading

import numpy as np
import pytest
from archives import write_zip

from dgl_signgt.data import load, loading
from dgl_signgt.data.store import CACHE_FOLDER, read_entry, write_entry


@pytest.fixture
def arrays():
    return {"a": np.arange(5), "b": np.eye(3, dtype=np.float32)}


def test_round_trip(root, arrays):
    write_entry(root / "x" / "e", arrays, {"k": 2})
    found, meta = read_entry(root / "x" / "e")
    assert meta == {"k": 2}
    for name, array in arrays.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype
    # Copy on write: what is read can be changed, the file cannot.
    found["a"][0] = 99
    assert read_entry(root / "x" / "e")[0]["a"][0] == 0
    assert [p.name for p in (root / "x").iterdir()] == ["e"]


@pytest.mark.parametrize("victim", ["a.npy", "b.npy", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "remove", "empty"])
def test_damage_is_seen_and_mended(root, arrays, victim, damage):
    entry = root / "e"
    write_entry(entry, arrays, {})
    file = entry / victim
    if damage == "remove":
        file.unlink()
    else:
        data = file.read_bytes()
        file.write_bytes(data[: -len(data) // 2] if damage == "cut" else b"")
    assert read_entry(entry) is None
    write_entry(entry, arrays, {})
    assert np.array_equal(read_entry(entry)[0]["a"], arrays["a"])
    assert [p.name for p in root.iterdir()] == ["e"]


def test_failed_writes_leave_nothing(root, arrays, monkeypatch):
    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        write_entry(root / "e", arrays, {})
    assert [*root.iterdir()] == []


def test_pickles_are_neither_written_nor_read(root):
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        write_entry(root / "e", {"a": np.array([{}])}, {})
    write_entry(root / "f", {"a": np.arange(3)}, {})
    file = root / "f" / "a.npy"
    np.save(file, np.array([{}]), allow_pickle=True)
    manifest = root / "f" / "manifest.json"
    content = json.loads(manifest.read_text())
    content["arrays"]["a"] = file.stat().st_size
    manifest.write_text(json.dumps(content))
    assert read_entry(root / "f") is None


def test_many_writers_at_once(root, arrays):
    threads = [
        threading.Thread(target=write_entry, args=(root / "e", arrays, {}))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(read_entry(root / "e")[0]["b"], arrays["b"])
    assert [p.name for p in root.iterdir()] == ["e"]


def entries(root):
    return sorted((root / CACHE_FOLDER / "frankenstein").iterdir())


def test_keyed_by_raw_files_options_and_version(root, tu_files, monkeypatch):
    archive = write_zip(root / "FRANKENSTEIN.zip", tu_files)
    first = load("frankenstein")
    assert len(entries(root)) == 1
    load("frankenstein")
    assert len(entries(root)) == 1
    load("frankenstein", node_feat="degree")
    assert len(entries(root)) == 2
    load("frankenstein", k=2)
    assert len(entries(root)) == 3
    tu_files["FRANKENSTEIN/FRANKENSTEIN_graph_labels.txt"] = "1\n1\n"
    write_zip(archive, tu_files)
    changed = load("frankenstein")
    assert changed.label.tolist() == [0, 0]
    assert changed.fingerprint != first.fingerprint
    assert len(entries(root)) == 4
    monkeypatch.setattr(loading, "CODE_VERSION", 10**6)
    assert load("frankenstein").fingerprint != changed.fingerprint
    assert len(entries(root)) == 5


def test_second_load_reads_no_raw_file(root, tu_files, monkeypatch):
    write_zip(root / "FRANKENSTEIN.zip", tu_files)
    first = load("frankenstein", k=2)
    monkeypatch.setattr(
        "dgl_signgt.data.readers.tu.read_tu", lambda *_, **__: 1 / 0
    )
    again = load("frankenstein", k=2)
    for one, other in zip(first.batch([1, 0]), again.batch([1, 0])):
        if hasattr(one, "edges"):
            assert one.edges()[0].tolist() == other.edges()[0].tolist()
            weight = one.edata["khop_weight"]
            assert weight.tolist() == other.edata["khop_weight"].tolist()
        else:
            assert one.tolist() == other.tolist()


def test_damaged_cache_is_built_anew(root, tu_files):
    write_zip(root / "FRANKENSTEIN.zip", tu_files)
    load("frankenstein", k=1)
    for entry in entries(root):
        victim = next(entry.glob("src.npy"))
        victim.write_bytes(victim.read_bytes()[:-3])
    assert load("frankenstein", k=1).batch([0])[0].num_edges() == 9
    assert all(read_entry(entry) is not None for entry in entries(root))


def test_read_only_directory_still_loads(root, tu_files, monkeypatch):
    write_zip(root / "FRANKENSTEIN.zip", tu_files)

    def refuse(*_):
        raise PermissionError("read-only")

    monkeypatch.setattr(loading, "write_entry", refuse)
    with pytest.warns(UserWarning, match="cannot be written: read-only"):
        assert len(load("frankenstein")) == 2
    assert not (root / CACHE_FOLDER).exists()
    shutil.rmtree(root)
