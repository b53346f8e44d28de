"""Models that ship: made from a campaign, loaded by name."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
import torch
import yaml

import dgl_signgt
from dgl_signgt import (
    load_checkpoint,
    load_pretrained,
    pretrained_names,
    train,
)
from dgl_signgt.errors import SignGTError
from dgl_signgt.training import load_data, predict, score
from dgl_signgt.training.campaign import campaign, read_results
from results import pretrained as maker


@pytest.fixture
def shipped(home, monkeypatch) -> Path:
    """An empty folder in place of the package's."""
    folder = home / "shipped"
    folder.mkdir()
    monkeypatch.setattr(dgl_signgt.pretrained, "_FOLDER", folder)
    return folder


def run_campaign(recipe, seeds=3):
    recipe["general_pipeline"]["num_epochs"] = 2
    Path("tiny.yaml").write_text(yaml.safe_dump(recipe))
    entry = {
        "recipes": ["tiny.yaml"],
        "seeds": seeds,
        "overrides": [{}, {"model.attention": "softmax"}],
    }
    Path("plan.yaml").write_text(
        yaml.safe_dump({"folder": "campaign", "entries": [entry]})
    )
    campaign("plan.yaml", say=lambda text: None)
    rows = read_results("campaign/results.jsonl")
    return [row for row in rows if not row["overrides"]]


def make(shipped):
    return maker.main(["campaign", "tiny.yaml", "--output", str(shipped)])


def front_matter(card):
    return yaml.safe_load(card.read_text().split("---\n")[1])


@pytest.mark.parametrize("kind", ["node", "graph"])
def test_from_campaign_to_predictions(kind, request, shipped, capsys):
    rows = run_campaign(request.getfixturevalue(f"{kind}_recipe"))
    assert make(shipped) == 0
    assert "tiny.pt and its card" in capsys.readouterr().out
    assert pretrained_names() == ["tiny"]
    best = max(rows, key=lambda row: row["val"])
    facts = front_matter(shipped / "tiny.md")
    for key in ("key", "seed", "val", "test", "split_hash", "versions"):
        assert facts[key] == best[key]
    scores = torch.tensor([row["test"] for row in rows], dtype=torch.float64)
    assert facts["test_mean"] == pytest.approx(scores.mean().item())
    assert facts["test_std"] == pytest.approx(scores.std().item())
    content = (shipped / "tiny.pt").read_bytes()
    assert facts["sha256"] == hashlib.sha256(content).hexdigest()

    trained = load_pretrained("tiny")
    assert not trained.model.training
    assert (trained.seed, trained.recipe.task) == (best["seed"], kind)
    assert score(trained) == facts["test"]
    assert score(trained, part="val") == facts["val"]
    train = Path(f"campaign/runs/{best['key']}/train/seed_{best['seed']}")
    test = json.loads((train / "split.json").read_text())["test"]
    data = load_data(trained.recipe)
    right = (predict(trained).classes == data.label)[test].double().mean()
    assert right.item() == facts["test"]

    original = load_checkpoint(train / "best.pt")
    if kind == "node":
        graph, feat = data.graph, data.feat
    else:
        graph, _ = data.batch(torch.arange(20))
        feat = graph.ndata["feat"]
    with torch.no_grad():
        assert torch.equal(
            trained.model(graph, feat), original.model(graph, feat)
        )


def test_only_what_is_needed_is_kept(node_recipe, shipped):
    run_campaign(node_recipe, 1)
    make(shipped)
    path = shipped / "tiny.pt"
    content = torch.load(path, weights_only=True)
    assert {*content} == {
        "format",
        "recipe",
        "in_size",
        "num_classes",
        "label_kind",
        "fingerprint",
        "seed",
        "model",
    }
    assert {v.dtype for v in content["model"].values()} == {torch.float32}
    text = (shipped / "tiny.md").read_text()
    assert "one seed only" in text
    assert front_matter(shipped / "tiny.md")["test_std"] is None
    before = path.read_bytes()
    make(shipped)
    assert path.read_bytes() == before


def test_validation_alone_decides(node_recipe, shipped):
    """Were the test scores looked at, another run would be chosen."""
    run_campaign(node_recipe)
    file = Path("campaign/results.jsonl")
    rows = read_results(file)
    for row in rows:
        row["test"] = float(row["seed"])
        row["val"] = {0: 0.5, 1: 0.7, 2: 0.7}[row["seed"]]
        row["val"] += bool(row["overrides"])
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(SignGTError) as caught:
        maker.make_pretrained("campaign", "tiny.yaml", shipped)
    # The changed scores are not those of the run, which it notices; it
    # chose the first of the best two, and none with overrides.
    (chosen,) = re.findall(r"run (\w+): val score", str(caught.value))
    (row,) = (row for row in rows if row["key"] == chosen)
    assert (row["seed"], row["overrides"]) == (1, {})
    assert not [*shipped.iterdir()]


def test_too_large_is_refused(node_recipe, shipped, capsys):
    node_recipe["model"]["hidden_size"] = 400
    run_campaign(node_recipe, 1)
    assert make(shipped) == 2
    error = capsys.readouterr().err
    assert re.search(r"^error: .*best\.pt: [1-9]\.\d\d MB .* 1 MB\n$", error)
    assert not [*shipped.iterdir()]


def test_a_recipe_without_runs(node_recipe, shipped, capsys):
    run_campaign(node_recipe, 1)
    assert maker.main(["campaign", "signgt_nci5k"]) == 2
    assert maker.main(["nowhere", "signgt_nci5k"]) == 2
    error = capsys.readouterr().err.splitlines()
    assert "no finished run of signgt_nci5k" in error[0]
    assert error[0].endswith("there are runs of tiny")
    assert error[1] == ("error: nowhere: no results.jsonl with results in it")
    # A recipe that was changed since has no runs, either.
    node_recipe["model"]["hidden_size"] = 4
    Path("tiny.yaml").write_text(yaml.safe_dump(node_recipe))
    assert make(shipped) == 2


def test_unknown_names():
    with pytest.raises(SignGTError) as caught:
        load_pretrained("signgt_nci5")
    assert str(caught.value) == (
        "no pretrained model 'signgt_nci5' (did you mean 'signgt_nci5k'?); "
        f"there are: {', '.join(pretrained_names())}"
    )
    for name in ("", "../pretrained/signgt_nci5k", "signgt_nci5k.pt"):
        with pytest.raises(SignGTError, match="no pretrained model"):
            load_pretrained(name)


def test_unknown_part():
    with pytest.raises(SignGTError, match="part: 'tst' is not .*'test'"):
        score(load_pretrained("signgt_csbm_low"), part="tst")


def test_training_gives_what_the_campaign_gives(graph_recipe, shipped, capsys):
    graph_recipe["general_pipeline"]["num_threads"] = 1
    run_campaign(graph_recipe)
    assert make(shipped) == 0
    files = [shipped / "tiny.pt", shipped / "tiny.md"]
    expected = [front_matter(files[1]), load_pretrained("tiny")]
    trained = train("tiny.yaml", quiet=True, general_pipeline__num_runs=3)
    command = [str(trained.folder), "tiny.yaml", "--output", str(shipped)]
    assert maker.main(command) == 0
    facts = front_matter(files[1])
    for key in ("key", "seed", "seeds", "val", "test", "test_mean"):
        assert facts[key] == expected[0][key]
    weights = expected[1].model.state_dict()
    for name, value in load_pretrained("tiny").model.state_dict().items():
        assert torch.equal(value, weights[name]), name
