"""Tuning for the page of results: a search, and the campaign it leads to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dgl_signgt.errors import SignGTError
from dgl_signgt.training import as_recipe
from dgl_signgt.training.campaign import read_campaign
from results import probes, tried, tune

pytest.importorskip("optuna")

ROOT = Path(__file__).parents[2]
OPTIONS = {"model.dropout": 0.5, "general_pipeline.optimizer.lr": 0.01}


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """A recipe of two epochs in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    for module, names in ((tune, ("SEARCHES",)), (probes, ("PROBES",))):
        for name in names:
            monkeypatch.setattr(module, name, tmp_path / name.lower())
            (tmp_path / name.lower()).mkdir()
    monkeypatch.setattr(tune, "PLAN", tmp_path / "tuned.yaml")
    text = (ROOT / "recipes" / "signgt_csbm_low.yaml").read_text()
    text = text.replace("num_epochs: 200", "num_epochs: 2")
    assert "num_epochs: 2\n" in text and "search:" not in text
    path = tmp_path / "signgt_short.yaml"
    path.write_text(
        text + "search:\n  model.dropout: [0.5]\n  model.k: [1, 2]\n"
        "  general_pipeline.optimizer.lr: [0.01]\n"
    )
    return path


def test_baseline_from_search_to_campaign(recipe, tmp_path, capsys):
    kept = tune.tune(str(recipe), 2, {"model.name": "gcn"})
    assert kept.name == "short-gcn.jsonl"
    trials = [json.loads(line) for line in kept.read_text().splitlines()]
    # GCN has no k: it is left out of the space.
    assert [trial["options"] for trial in trials] == [OPTIONS, OPTIONS]
    assert not any("test" in trial for trial in trials)
    tune.write_plan()
    _, jobs = read_campaign(tmp_path / "tuned.yaml")
    assert len(jobs) == 10
    assert {job.tag for job in jobs} == {"baseline"}
    assert jobs[3].recipe.model.name == "gcn"
    assert jobs[3].recipe.model.dropout == 0.5
    assert jobs[3].recipe.general_pipeline.seed == 3


def test_other_choices_for_the_space(recipe, tmp_path, capsys):
    changes = {
        "model.name": "gcn",
        "model.norm": "batch",
        "search.model.dropout": [0.25],
    }
    kept = tune.tune(str(recipe), 1, changes)
    assert kept.name == "short-gcn.jsonl"
    (trial,) = (json.loads(line) for line in kept.read_text().splitlines())
    assert trial["options"] == {**OPTIONS, "model.dropout": 0.25}
    tune.write_plan()
    _, jobs = read_campaign(tmp_path / "tuned.yaml")
    assert jobs[0].recipe.model.dropout == 0.25
    assert jobs[0].recipe.model.norm == "batch"


def test_variant_is_tuned_apart(recipe, tmp_path, capsys):
    tune.tune(str(recipe), 1, {"model.attention": "softmax"})
    tune.write_plan()
    _, jobs = read_campaign(tmp_path / "tuned.yaml")
    assert {job.tag for job in jobs} == {"tuned variant"}
    assert jobs[0].recipe.model.attention == "softmax"
    assert jobs[0].recipe.model.k in (1, 2)


def test_tuning_compares_something(recipe, tmp_path):
    with pytest.raises(SignGTError, match="model.name or model.attention"):
        tune.tune(str(recipe), 1, {"model.k": 1})
    assert [*(tmp_path / "searches").iterdir()] == []


def test_tuning_needs_a_space(recipe):
    recipe.write_text(recipe.read_text().partition("search:")[0])
    with pytest.raises(SignGTError, match="the recipe has no search: block"):
        tune.tune(str(recipe), 1, {"model.name": "gcn"})


def test_best_is_the_best_finished_trial(tmp_path):
    lines = [
        {"state": "complete", "val": 0.7, "options": {"model.k": 1}},
        {"state": "pruned", "val": 0.9, "options": {"model.k": 2}},
        {"state": "complete", "val": 0.8, "options": {"model.k": 3}},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert tune.best_options(path) == {"model.k": 3}


def test_probe_keeps_validation_only(recipe, tmp_path, monkeypatch):
    row = probes.probe(str(recipe), ["model.k=2"])
    assert row["seeds"] == [100] and row["epochs"] == [2]
    # What the recipe itself says is part of the setting.
    assert row["model"]["k"] == 2
    assert row["data"]["name"] == as_recipe(recipe).data.name
    assert row["model"]["hidden_size"] == as_recipe(recipe).model.hidden_size
    assert 0 < row["val"] <= 1 and "test" not in json.dumps(row)
    bad = probes.probe(str(recipe), ["model.kk=2"])
    assert "model.kk" in bad["error"]
    (kept,) = (tmp_path / "probes").glob("*.jsonl")
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    assert lines == [row, bad]
    monkeypatch.setattr(tried, "FOLDER", tmp_path)
    last = tried.probe_section().splitlines()[-1]
    assert last == f"| short | 1 | {100 * row['val']:.2f} | 1 | k=2 |"
