"""Downloads: whole or not at all."""

import hashlib
import os
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from archives import write_zip

from dgl_signgt.data import fetch, load
from dgl_signgt.data.catalog import CATALOG
from dgl_signgt.errors import DataError


@pytest.fixture
def server(monkeypatch):
    """A local home of archives whose misbehaviour a test can choose."""
    answers = []
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            status, body, promised = answer
            self.send_response(status)
            self.send_header("Content-Length", str(promised or len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    service = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    monkeypatch.setattr(fetch.time, "sleep", lambda _: None)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    service.answers, service.asked = answers, asked
    service.url = f"http://127.0.0.1:{service.server_port}"
    yield service
    service.shutdown()
    service.server_close()


@pytest.fixture
def archive(tmp_path, tu_files):
    return write_zip(tmp_path / "x.zip", tu_files).read_bytes()


@pytest.fixture
def point_to(monkeypatch):
    """Let FRANKENSTEIN's home be elsewhere."""

    def set_home(url, **changes):
        spec = CATALOG["frankenstein"]
        raw = replace(spec.raw, url=f"{url}/FRANKENSTEIN.zip", **changes)
        monkeypatch.setitem(CATALOG, spec.name, replace(spec, raw=raw))

    return set_home


def test_download_then_cache(root, server, archive, point_to):
    server.answers.append((200, archive, None))
    point_to(server.url, sha256=hashlib.sha256(archive).hexdigest())
    assert len(load("frankenstein")) == 2
    assert (root / "FRANKENSTEIN.zip").read_bytes() == archive
    assert len(load("frankenstein")) == 2
    assert server.asked == ["/FRANKENSTEIN.zip"]
    # The cache alone is enough, too.
    (root / "FRANKENSTEIN.zip").unlink()
    assert len(load("frankenstein", k=1)) == 2
    assert server.asked == ["/FRANKENSTEIN.zip"]


def test_retries(root, server, archive, point_to):
    point_to(server.url)
    server.answers += [
        (500, b"oops", None),
        (200, archive[:50], len(archive)),
        (200, archive, None),
    ]
    assert len(load("frankenstein")) == 2
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("answer", "said", "tries"),
    [
        ((404, b"", None), "cannot be downloaded.*Not Found", 1),
        ((500, b"", None), "cannot be downloaded", 3),
        ((200, b"x" * 10, 999), "cannot be downloaded", 3),
        ((200, b"<html>sign in</html>", None), "not a whole archive", 1),
        ((200, b"", None), "not a whole archive", 1),
    ],
)
def test_failed_downloads_leave_nothing(
    root, server, point_to, answer, said, tries
):
    server.answers.append(answer)
    point_to(server.url)
    with pytest.raises(DataError, match=said) as error:
        load("frankenstein")
    assert "\n" not in str(error.value)
    assert [*root.iterdir()] == []
    assert len(server.asked) == tries


def test_wrong_checksum(root, server, archive, point_to):
    server.answers.append((200, archive, None))
    point_to(server.url, sha256="0" * 64)
    with pytest.raises(
        DataError, match=r"has the checksum .* nothing was kept"
    ):
        load("frankenstein")
    assert [*root.iterdir()] == []


def test_local_copies_may_have_another_checksum(root, archive, point_to):
    point_to("http://127.0.0.1:9", sha256="0" * 64)
    (root / "frankenstein.zip").write_bytes(archive)
    assert len(load("frankenstein")) == 2


def test_offline_says_what_to_put_where(root, monkeypatch):
    def offline(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr(fetch.urllib.request, "urlopen", offline)
    monkeypatch.setattr(fetch.time, "sleep", lambda _: None)
    with pytest.raises(DataError) as error:
        load("nci1")
    assert str(error.value) == (
        f"nci1 is not in {root} and cannot be downloaded (no network): fetch "
        f"https://www.chrsmrrs.com/graphkerneldatasets/NCI1.zip and put it "
        f"there as NCI1.zip"
    )
    assert [*root.iterdir()] == []


def test_dgl_repo_is_honoured(root, server, monkeypatch):
    monkeypatch.setenv("DGL_REPO", server.url)
    server.answers.append((404, b"", None))
    with pytest.raises(DataError, match=r"cora_v2\.zip"):
        load("cora")
    assert server.asked == ["/dataset/cora_v2.zip"]


def test_leftovers_of_dead_processes_are_removed(root):
    dead = 2**22 + 1  # above the highest process number of Linux
    target = root / "NCI1.zip"
    old = root / f".NCI1.zip.signgt-part-{dead}-1234"
    old.write_bytes(b"half")
    alive = root / f".NCI1.zip.signgt-part-{os.getppid()}-1234"
    alive.write_bytes(b"half")
    mine = fetch.temporary(target)
    assert not old.exists()
    assert alive.exists()
    assert mine != fetch.temporary(target)


def test_data_dir(monkeypatch, tmp_path):
    assert fetch.data_dir(tmp_path) == tmp_path
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(tmp_path / "here"))
    assert fetch.data_dir() == tmp_path / "here"
    monkeypatch.delenv("DGL_DOWNLOAD_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert fetch.data_dir() == tmp_path / ".dgl"
