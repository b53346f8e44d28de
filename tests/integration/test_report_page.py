"""The report of real trainings, by its command and in a real browser."""

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dgl_signgt.cli.main import main
from dgl_signgt.cli.report import write_report
from dgl_signgt.errors import DataError
from dgl_signgt.training import train

SMALL = {
    "data.num_nodes": 120,
    "general_pipeline.num_runs": 2,
    "general_pipeline.num_epochs": 6,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Trainings that differ in attention and in k, and one on molecules."""
    home = tmp_path_factory.mktemp("csbm")
    folders = {}
    for name, changes in (
        ("signed", {}),
        ("softmax", {"model.attention": "softmax"}),
        ("k0", {"model.k": 0}),
    ):
        folders[name] = home / name
        train(
            "signgt_csbm_low",
            folder=folders[name],
            quiet=True,
            **{**SMALL, **changes},
        )
    folders["nci5k"] = home / "nci5k"
    train(
        "signgt_nci5k",
        folder=folders["nci5k"],
        quiet=True,
        **{
            "data.split_ratio": [0.05, 0.9, 0.05],
            "general_pipeline.num_epochs": 1,
            "model.hidden_size": 16,
        },
    )
    return folders


@pytest.fixture(scope="module")
def report(runs, tmp_path_factory):
    """The page about all node-level trainings."""
    output = tmp_path_factory.mktemp("report")
    chosen = [runs[name] for name in ("signed", "softmax", "k0")]
    return write_report(chosen, output)


class Page(HTMLParser):
    """Collects the tags, and checks that they are closed in order."""

    empty = frozenset(["meta", "link", "img"])

    def __init__(self, text):
        super().__init__()
        self.tags, self.open = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.empty:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_has_everything_and_needs_nothing(report, runs):
    text = report.read_text()
    page = Page(text)
    images = [attrs for tag, attrs in page.tags if tag == "img"]
    files = sorted((report.parent / "figures").glob("*.png"))
    # A sweep, gain and energy; a run: 2 curves, confusion, 2 attentions,
    # negative share, t-SNE.
    assert len(images) == len(files) == 3 + 3 * 7
    assert all(len(image["alt"]) > 20 for image in images)
    for _, attrs in page.tags:
        for name in ("src", "href"):
            assert attrs.get(name, "data:").startswith("data:")
    assert "url(" not in text and "@import" not in text
    summary = json.loads((runs["signed"] / "summary.json").read_text())
    assert f"<strong>{summary['test_mean']:.2%} ± " in text
    for words in ("Spectral response", "Comparison", "Run 3: Environment"):
        assert f"<h2>{words}</h2>" in text
    assert "attention: softmax" in text


def test_confusion_has_the_logged_score(runs, tmp_path):
    text = write_report([runs["signed"]], tmp_path).read_text()
    rows = json.loads((runs["signed"] / "summary.json").read_text())["runs"]
    best = max(rows, key=lambda row: row["val"])
    found = re.search(r"classes: (\d+) of (\d+) on the diagonal", text)
    right, total = map(int, found.groups())
    assert right / total == pytest.approx(best["test"])
    # Otherwise a note says that model and data do not fit.
    assert "the training logged" not in text


def test_molecules_are_drawn(runs, tmp_path):
    text = write_report([runs["nci5k"]], tmp_path).read_text()
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"molecule_0.png", "molecule_1.png", "tsne.png"} <= names
    found = re.search(
        r"nci5k (\d+), its atoms .*?: (\d+) with a positive, (\d+)", text
    )
    assert int(found[2]) + int(found[3]) > 1
    assert "Mean over 64 graphs" in text


def test_large_graphs_have_no_spectrum_and_say_so(runs, tmp_path):
    path = write_report([runs["signed"]], tmp_path, spectrum_nodes=100)
    assert "120 nodes are more than --spectrum-nodes 100" in path.read_text()
    assert not (tmp_path / "figures" / "spectral_gain_0.png").exists()


def test_command_writes_the_page(runs, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "dgl_signgt", "report", str(runs["signed"])]
        + ["--output", "out", "--node", "3"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "The report is out/report.html\n"
    assert "of node 3 to all nodes" in (
        tmp_path / "out" / "report.html"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nothing"], "nothing: no such folder of a training"),
        (["."], "recipe.yaml: no such file"),
        (["signed", "--node", "999"], "--node: csbm has nodes from 0 to 119"),
        (["signed", "--output", "signed/log.txt"], "--output: cannot write"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    runs, monkeypatch, capsys, arguments, message
):
    monkeypatch.chdir(runs["signed"].parent)
    with pytest.raises(SystemExit) as end:
        main(["report", *arguments])
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and message in error
    assert error.count("\n") == 1


def test_without_the_data_the_page_has_the_rest(runs, tmp_path, monkeypatch):
    def gone(*args, **options):
        raise DataError("csbm: gone")

    monkeypatch.setattr("dgl_signgt.data.load", gone)
    text = write_report([runs["signed"]], tmp_path).read_text()
    assert "The data could not be loaded: csbm: gone" in text
    assert "<h2>Learning curves</h2>" in text


PROBE = """
<script>
addEventListener("load", () => {
  const images = [...document.images];
  const result = {
    images: images.length,
    shown: images.filter(i => i.complete && i.naturalWidth > 99).length,
    named: images.filter(i => i.alt.length > 20).length,
    fetched: performance.getEntriesByType("resource")
      .filter(r => !r.name.startsWith("data:")).length,
    width: innerWidth,
    overflow: document.documentElement.scrollWidth - innerWidth,
    widest: Math.max(...images.map(i => i.getBoundingClientRect().right)),
  };
  parent.postMessage(JSON.stringify(result), "*");
});
</script>
"""
FRAME = """<!DOCTYPE html><link rel="icon" href="data:,"><pre id="out"></pre>
<script>
addEventListener("message", e => {
  document.getElementById("out").textContent = e.data;
});
</script>
<iframe src="probe.html" style="border:0;width:%dpx;height:800px"></iframe>
"""


@pytest.mark.parametrize("width", [390, 1200])
def test_browser_shows_the_page(report, tmp_path, width):
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("no chromium on PATH (apt-get install chromium)")
    probe = report.read_text().replace("</body>", f"{PROBE}</body>")
    (tmp_path / "probe.html").write_text(probe)
    (tmp_path / "frame.html").write_text(FRAME % width)
    done = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path / 'profile'}",
            # As without a network: no name can be looked up.
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            "--window-size=1400,1000",
            "--virtual-time-budget=10000",
            "--dump-dom",
            Path(tmp_path / "frame.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "CONSOLE" not in done.stderr
    found = re.search(r'<pre id="out">(\{.*?\})</pre>', done.stdout)
    assert found, done.stdout[:500] + done.stderr[-500:]
    seen = json.loads(found[1])
    assert seen["width"] == width
    assert seen["images"] == seen["shown"] == seen["named"] == 24
    assert seen["fetched"] == 0
    assert seen["overflow"] <= 0
    assert seen["widest"] <= width
