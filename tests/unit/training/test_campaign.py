"""Campaigns and searches: nothing lost, nothing done twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from dgl_signgt import __version__
from dgl_signgt.errors import SignGTError
from dgl_signgt.training import train
from dgl_signgt.training.campaign import (
    campaign,
    read_campaign,
    read_results,
)
from dgl_signgt.training.search import search
from dgl_signgt.training.stop import lock_folder


@pytest.fixture
def plan(home, node_recipe) -> Path:
    Path("tiny.yaml").write_text(yaml.safe_dump(node_recipe))
    Path("plan.yaml").write_text(
        yaml.safe_dump(
            {
                "folder": "campaign",
                "entries": [
                    {
                        "recipes": ["tiny.yaml"],
                        "seeds": 2,
                        "overrides": [{}, {"model.attention": "softmax"}],
                        "grid": {"model.k": [1, 2]},
                        "tag": "test",
                    },
                    {"recipes": ["tiny.yaml"], "seeds": [1]},
                ],
            }
        )
    )
    return Path("plan.yaml")


def test_every_run_once(plan, node_recipe):
    rows = campaign(plan, say=lambda text: None)
    assert len(rows) == 8  # the second entry is one of them
    assert len({row["key"] for row in rows}) == 8
    row = next(
        r
        for r in rows
        if r["seed"] == 1
        and r["overrides"] == {"model.attention": "softmax", "model.k": 2}
    )
    alone = train(
        node_recipe,
        quiet=True,
        model={"attention": "softmax", "k": 2},
        general_pipeline__seed=1,
    )
    assert row["test"] == alone.scores[0]
    assert (row["status"], row["tag"]) == ("done", "test")
    environment = json.loads((alone.folder / "environment.json").read_text())
    for name in ("python", "torch", "dgl", "dgl_signgt"):
        assert row["versions"][name] == environment["versions"][name]
    for name in ("threads", "processor", "instructions"):
        assert row[name] == environment["machine"][name]
    assert row["commit"] == environment["commit"]
    before = Path("campaign/results.jsonl").read_bytes()
    assert campaign(plan, say=lambda text: None) == rows
    assert Path("campaign/results.jsonl").read_bytes() == before


def test_torn_line_and_lost_run_are_made_good(plan):
    rows = campaign(plan, say=lambda text: None)
    file = Path("campaign/results.jsonl")
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:40])
    again = campaign(plan, say=lambda text: None)

    def numbers(rows):
        return sorted((row["key"], row["test"]) for row in rows)

    assert numbers(again) == numbers(rows)
    assert len(read_results(file)) == 8


def test_a_run_in_other_hands_is_left_alone(plan):
    folder, jobs = read_campaign(plan)
    home = folder / "runs" / jobs[0].key
    home.mkdir(parents=True)
    said = []
    with lock_folder(home):
        assert len(campaign(plan, say=said.append)) == 7
    assert "another worker has it" in said[0]
    assert len(campaign(plan, say=said.append)) == 8


def test_failures_are_kept_and_retried_on_demand(plan):
    content = yaml.safe_load(plan.read_text())
    content["entries"] = [
        {
            "recipes": ["tiny.yaml"],
            # Features beyond what a float holds.
            "overrides": [{"data.signal": 1e39, "model.norm": "none"}],
        }
    ]
    plan.write_text(yaml.safe_dump(content))
    (row,) = campaign(plan, say=lambda text: None)
    assert row["status"] == "failed" and "the loss is" in row["error"]
    assert row["versions"]["dgl_signgt"] == __version__
    assert len(campaign(plan, say=lambda text: None)) == 1
    assert len(campaign(plan, retry=True, say=lambda text: None)) == 2


def test_bad_campaign_file(plan):
    plan.write_text("folder: x\nentries: [{recipe: [a]}]")
    with pytest.raises(SignGTError, match="plan.yaml: entries.0.recipes"):
        read_campaign(plan)


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_search_resumes_and_uses_validation_only(node_recipe, capsys):
    pytest.importorskip("optuna")
    node_recipe["search"] = {
        "model.hidden_size": [4, 8],
        "general_pipeline.optimizer.lr": {
            "low": 0.001,
            "high": 0.1,
            "log": True,
        },
    }
    search(node_recipe, trials=2)
    assert len([*Path("results/search").glob("trial_*")]) == 2
    best = search(node_recipe, trials=4)
    trials = sorted(Path("results/search").glob("trial_*"))
    assert [t.name for t in trials] == [f"trial_{i:04d}" for i in range(4)]
    values = []
    for trial in trials:
        if (trial / "summary.json").exists():
            summary = json.loads((trial / "summary.json").read_text())
            recipe = yaml.safe_load((trial / "recipe.yaml").read_text())
            values.append((summary["val_mean"], recipe["model"]))
    highest = max(value for value, _ in values)
    assert best["model"] in [m for value, m in values if value == highest]
    lines = read_lines(Path("results/search/trials.jsonl"))
    assert [line["trial"] for line in lines] == [0, 1, 2, 3]
    # Called twice or once, the trials are the same, and none is drawn anew.
    search(node_recipe, 4, "at_once")
    again = read_lines(Path("at_once/trials.jsonl"))
    assert [x["options"] for x in again] == [x["options"] for x in lines]
    rates = {x["options"]["general_pipeline.optimizer.lr"] for x in lines}
    assert len(rates) == 4
    # The recipe's own options come first; a test score is in no line.
    assert lines[0]["options"]["model.hidden_size"] == 8
    done = [line["val"] for line in lines if line["state"] == "complete"]
    assert max(done) == highest
    assert "test" not in lines[0]
    assert yaml.safe_load(Path("results/search/best.yaml").read_text()) == best
    assert train("results/search/best.yaml", quiet=True).runs
    with pytest.raises(SignGTError, match="has no search: block"):
        search({**node_recipe, "search": None}, trials=1)
