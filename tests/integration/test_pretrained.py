"""The shipped models score what their cards say."""

from __future__ import annotations

import doctest
import hashlib
from pathlib import Path

import pytest
import yaml

import dgl_signgt.pretrained
from dgl_signgt.data import data_dir, dataset_spec, dataset_state
from dgl_signgt.training import as_recipe, load_data, score
from dgl_signgt.training.campaign import Job, read_results
from dgl_signgt.training.checkpoint import read_checkpoint
from dgl_signgt.training.run import recipe_split

ROOT = Path(__file__).parents[2]
FOLDER = Path(dgl_signgt.pretrained.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.pt"))
ROWS = {
    row["key"]: row
    for path in (ROOT / "results").glob("*.jsonl")
    for row in read_results(path)
}

each = pytest.mark.parametrize("name", NAMES)


def facts_of(name):
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return yaml.safe_load(text.split("---\n")[1])


@pytest.fixture(scope="module")
def empty_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def with_data(name, empty_dir, request, monkeypatch):
    """A data directory that has the model's data, or skip."""
    spec = dataset_spec(facts_of(name)["dataset"])
    if spec.origin == "embedded":
        monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(empty_dir))
        return
    request.getfixturevalue("real_data_dir")
    state = dataset_state(spec, data_dir())
    if state not in ("cached", "here"):
        pytest.skip(f"{spec.name} is not in DGL_DOWNLOAD_DIR ({state})")


def test_embedded_recipes_have_models():
    assert {
        "signgt_csbm_high",
        "signgt_csbm_low",
        "signgt_digits",
        "signgt_nci5k",
    } <= {*NAMES}
    assert {path.stem for path in FOLDER.glob("*.md")} == {*NAMES}


@each
def test_file_is_the_one_of_the_card(name):
    facts = facts_of(name)
    content = (FOLDER / f"{name}.pt").read_bytes()
    assert facts["name"] == name
    assert hashlib.sha256(content).hexdigest() == facts["sha256"]
    assert len(content) == facts["bytes"] < 1_000_000
    assert "optimizer" not in read_checkpoint(FOLDER / f"{name}.pt")


@each
def test_card_says_what_the_committed_results_say(name):
    facts = facts_of(name)
    keys = [
        Job(
            as_recipe(
                name,
                {
                    "general_pipeline.seed": seed,
                    "general_pipeline.num_runs": 1,
                },
            ),
            name,
            {},
            None,
        ).key
        for seed in facts["seeds"]
    ]
    rows = [ROWS[key] for key in keys]
    (row,) = (row for row in rows if row["seed"] == facts["seed"])
    for key in ("key", "dataset", "metric", "val", "test", "split_hash"):
        assert facts[key] == row[key], key
    if facts["metric"] != "mae":
        assert facts["val"] == max(row["val"] for row in rows)
    mean = sum(row["test"] for row in rows) / len(rows)
    assert facts["test_mean"] == pytest.approx(mean)


@each
def test_scores(name, with_data):
    facts = facts_of(name)
    trained = dgl_signgt.load_pretrained(name)
    dataset = load_data(trained.recipe)
    split = recipe_split(trained.recipe, dataset, trained.seed)
    assert split.hash == facts["split_hash"]
    assert score(trained, dataset) == pytest.approx(facts["test"], abs=1e-6)
    assert score(trained, dataset, "val") == pytest.approx(
        facts["val"], abs=1e-6
    )
    count = sum(p.numel() for p in trained.model.parameters())
    assert count == facts["num_parameters"]


@each
def test_example_of_the_card(name, with_data):
    failed, tried = doctest.testfile(
        str(FOLDER / f"{name}.md"), module_relative=False, encoding="utf-8"
    )
    assert (failed, tried) == (0, 5)
