"""A process may be killed at any line of first use; the next use works."""

import os
import signal
import sys
from dataclasses import replace

import pytest
from archives import write_zip

import dgl_signgt.data
from dgl_signgt.data import load
from dgl_signgt.data.catalog import CATALOG

HOME = os.path.dirname(dgl_signgt.data.__file__)


@pytest.fixture
def far_archive(tmp_path, tu_files, monkeypatch):
    """FRANKENSTEIN's home is a file, so that a download is part of it."""
    home = tmp_path / "home"
    home.mkdir()
    write_zip(home / "FRANKENSTEIN.zip", tu_files)
    spec = CATALOG["frankenstein"]
    url = (home / "FRANKENSTEIN.zip").as_uri()
    changed = replace(spec, raw=replace(spec.raw, url=url))
    monkeypatch.setitem(CATALOG, "frankenstein", changed)


def first_use(root, last_line):
    """Load in a child that kills itself at its ``last_line``-th line."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        count += event == "line"
        if count == last_line:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    try:
        sys.settrace(trace)
        load("frankenstein", k=1, root=root)
    except BaseException:
        os._exit(1)
    os._exit(0)


def leftovers(root):
    return [p for p in root.rglob("*") if "signgt-part" in p.name]


def kill_every(step, tmp_path):
    """Kill at each ``step``-th line; count kills, and those amid a write."""
    # Warm imports, so that the child has only our own lines to run.
    load("frankenstein", k=1, root=tmp_path / "warm")
    last_line, killed, amid = 1, 0, 0
    while True:
        root = tmp_path / f"{last_line}"
        code = first_use(root, last_line)
        assert code in (0, -signal.SIGKILL)
        if code == 0:
            return killed, amid
        killed += 1
        amid += bool(leftovers(root))
        dataset = load("frankenstein", k=1, root=root)
        graph, labels = dataset.batch([0, 1])
        assert graph.batch_num_nodes().tolist() == [3, 2]
        assert graph.num_edges() == 13
        assert labels.tolist() == [1, 0]
        assert leftovers(root) == []
        last_line += step


def test_killed_here_and_there(tmp_path, far_archive):
    killed, amid = kill_every(31, tmp_path)
    assert killed > 20
    assert amid > 3


@pytest.mark.slow
def test_killed_at_every_line(tmp_path, far_archive):
    killed, amid = kill_every(1, tmp_path)
    assert killed > 600
    assert amid > 100
