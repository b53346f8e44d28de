"""What recipes promise is what the committed results say."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest

from dgl_signgt.training.campaign import read_campaign, read_results

ROOT = Path(__file__).parents[2]
PROMISE = re.compile(
    r"Expect (?P<mean>[\d.]+)(?: ± (?P<std>[\d.]+))? % test accuracy "
    r"\((?P<seeds>\w+) seeds?\)"
)
NUMBERS = {"one": 1, "three": 3, "ten": 10}
RESULTS = [
    row for path in (ROOT / "results").glob("*.jsonl")
    for row in read_results(path)
]  # fmt: skip


def head(recipe: Path) -> str:
    lines = recipe.read_text(encoding="utf-8").splitlines()
    return " ".join(x[1:].strip() for x in lines if x.startswith("#"))


PROMISES = [
    pytest.param(path, match, id=path.stem)
    for path in sorted((ROOT / "recipes").glob("*.yaml"))
    if (match := PROMISE.search(head(path)))
]


@pytest.mark.parametrize(("recipe", "promise"), PROMISES)
def test_promise(recipe, promise):
    scores = [
        100 * row["test"]
        for row in RESULTS
        if row["recipe"] == recipe.stem and not row["overrides"]
    ]
    assert len(scores) == NUMBERS[promise["seeds"]]
    assert f"{statistics.mean(scores):.1f}" == promise["mean"]
    if promise["std"]:
        assert f"{statistics.stdev(scores):.1f}" == promise["std"]


def test_embedded_recipes_promise_something():
    assert len(PROMISES) >= 4


@pytest.mark.parametrize(
    "path", sorted((ROOT / "results").glob("*.yaml")), ids=lambda p: p.stem
)
def test_results_are_those_of_the_recipes(path, monkeypatch):
    """Every run of a campaign has a line made by the recipe as it is now."""
    monkeypatch.chdir(ROOT)
    _, jobs = read_campaign(path)
    keys = {row["key"] for row in read_results(path.with_suffix(".jsonl"))}
    assert {job.key for job in jobs} == keys
