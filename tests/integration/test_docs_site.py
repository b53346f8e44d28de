"""The documentation builds without a warning and needs no other site."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("mkdocs is not installed (the extra 'docs')")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_pages_load_nothing_from_elsewhere(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r'<(script|img|link)[^>]*="https?://', text), path


def test_formulas_and_docstrings_are_rendered(site):
    text = (site / "api" / "nn.html").read_text(encoding="utf-8")
    assert "<math" in text and "SignGTNodeClassifier" in text
    for raw in (":math:", ".. math::", ":class:`", ">`__"):
        assert raw not in text, raw


def test_numbers_on_the_page_are_those_of_the_log(site):
    text = (site / "sign.html").read_text(encoding="utf-8")
    log = json.loads((ROOT / "docs/figures/spectral.json").read_text())
    assert text.count("<tr>") == 1 + len(log["rows"])
    row = log["rows"][0]
    mean = sum(row["gain_common"]) / len(row["gain_common"])
    assert f"{mean:.3f} ± " in text


def test_performance_is_there_if_it_was_measured(site):
    measured = (ROOT / "benchmarks" / "results" / "README.md").is_file()
    assert (site / "performance.html").is_file() == measured
