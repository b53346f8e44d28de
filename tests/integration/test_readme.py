"""The README's Python examples run, and its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(tmp_path / "data"))
    exec(EXAMPLES[number], {})


def test_there_are_two_examples():
    assert len(EXAMPLES) == 2


def test_every_file_that_is_named_is_there():
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        if not target.startswith("https://"):
            assert (ROOT / target).exists(), target
