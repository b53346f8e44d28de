"""The Python examples of docs/recipes.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[3] / "docs/recipes.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_example_runs(number, home, monkeypatch):
    exec(compile(BLOCKS[number], "docs/recipes.md", "exec"), {})
    if "to_csv" in BLOCKS[number]:
        rows = Path("predictions.csv").read_text().splitlines()
        assert len(rows) == 1001
