"""Which runs of a campaign are kept."""

from __future__ import annotations

import json
from pathlib import Path

from dgl_signgt import train
from dgl_signgt.training.campaign import campaign, read_campaign, read_results
from results.keep import keep, training_lines

ROOT = Path(__file__).parents[2]


def test_keep_takes_the_lines_of_the_recipes_as_they_are(tmp_path):
    recipe = ROOT / "recipes" / "signgt_csbm_low.yaml"
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"folder: runs\nentries: [{{recipes: [{recipe}], seeds: 2}}]"
    )
    _, jobs = read_campaign(plan)
    lines = [
        {"key": jobs[1].key, "test": 0.5, "folder": "somewhere"},
        {"key": "of another recipe", "test": 0.6},
    ]
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "results.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines)
    )
    named = {"recipe": jobs[1].name, "tag": None, "overrides": {}}
    assert keep(plan, tmp_path) == [{"key": jobs[1].key, "test": 0.5, **named}]
    # Another machine has the other seed; what was kept stays.
    there = tmp_path / "there"
    (there / "runs").mkdir(parents=True)
    (there / "runs" / "results.jsonl").write_text(
        json.dumps({"key": jobs[0].key, "test": 0.7}) + "\n"
    )
    keep(plan, there)
    found = read_results(tmp_path / "plan.jsonl")
    assert [row["key"] for row in found] == [job.key for job in jobs]
    assert [row["test"] for row in found] == [0.7, 0.5]


def test_keep_names_a_run_as_its_plan_does(tmp_path):
    """The run of a recipe of before is an ablation of the recipe of now."""
    recipe = ROOT / "recipes" / "signgt_csbm_low.yaml"
    entries = [
        {"recipes": [str(recipe)], "seeds": 1},
        {
            "recipes": [str(recipe)],
            "overrides": [{"general_pipeline.num_threads": None}],
            "seeds": 1,
            "tag": "same",
        },
    ]
    plans = []
    for number, entry in enumerate(entries):
        plans.append(tmp_path / f"{number}.yaml")
        content = {"folder": f"runs{number}", "entries": [entry]}
        plans[-1].write_text(json.dumps(content))
    key = read_campaign(plans[0])[1][0].key
    assert key == read_campaign(plans[1])[1][0].key
    line = {"key": key, "tag": None, "overrides": {}}
    (kept,) = keep(plans[0], tmp_path, [line])
    assert kept["tag"] is None
    assert keep(plans[1], tmp_path) == []
    (kept,) = keep(plans[1], tmp_path, read_results(tmp_path / "0.jsonl"))
    assert kept["tag"] == "same"
    assert kept["overrides"] == {"general_pipeline.num_threads": None}


def test_keep_takes_what_dgl_train_left(tmp_path, monkeypatch):
    """A seed of a training and the same seed of a campaign are one run."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "recipes" / "signgt_csbm_low.yaml").read_text()
    recipe = tmp_path / "signgt_short.yaml"
    short = "num_epochs: 2\n  num_threads: 1"
    recipe.write_text(text.replace("num_epochs: 200", short))
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"folder: runs\nentries: [{{recipes: [{recipe}], seeds: [1, 2]}}]"
    )
    trained = train(recipe, quiet=True)
    assert trained.runs[0]["epochs"] == 2
    kept = keep(plan, tmp_path)
    assert [row["seed"] for row in kept] == [1, 2]
    ran = campaign(plan, say=lambda line: None)
    for name in ("key", "recipe", "tag", "overrides", "dataset", "status",
                 "seed", "val", "test", "split_hash", "versions", "threads",
                 "commit"):  # fmt: skip
        assert [row[name] for row in kept] == [row[name] for row in ran]


def test_keep_leaves_out_several_threads_and_old_recipes(tmp_path):
    folder = train("signgt_csbm_low", folder=tmp_path / "001", quiet=True,
                   general_pipeline={"num_epochs": 1, "num_runs": 1,
                                     "num_threads": 1}).folder  # fmt: skip
    assert len(training_lines(folder, "signgt_csbm_low")) == 1
    noted = json.loads((folder / "environment.json").read_text())
    noted["machine"]["threads"] = 2
    (folder / "environment.json").write_text(json.dumps(noted))
    assert training_lines(folder, "signgt_csbm_low") == []
    noted["machine"]["threads"] = 1
    (folder / "environment.json").write_text(json.dumps(noted))
    with (folder / "recipe.yaml").open("a") as file:
        file.write("gone: 1\n")
    assert training_lines(folder, "signgt_csbm_low") == []
