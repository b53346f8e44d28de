"""Checkpoints: atomic, safe to load, and enough to predict."""

from __future__ import annotations

import csv
import pickle

import pytest
import torch

from dgl_signgt.errors import SignGTError
from dgl_signgt.training import (
    apply,
    load_checkpoint,
    predict,
    rng_state,
    seed_everything,
    set_rng_state,
    train,
)
from dgl_signgt.training.checkpoint import (
    read_checkpoint,
    write_atomically,
    write_checkpoint,
)


def test_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.pt"
    write_checkpoint(path, {"x": 1})
    with pytest.raises((AttributeError, pickle.PicklingError, TypeError)):
        write_checkpoint(path, {"x": lambda: 0})
    assert read_checkpoint(path)["x"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a.pt"]


class _Evil:
    def __reduce__(self):
        return (open, ("stolen", "w"))


def test_no_code_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.save(_Evil(), "evil.pt")
    for name, content in (("text.pt", b"hello"), ("empty.pt", b"")):
        write_atomically(tmp_path / name, content)
    torch.save({"model": {}}, "other.pt")
    for name in ("evil.pt", "text.pt", "empty.pt", "other.pt", "none.pt"):
        with pytest.raises(SignGTError) as caught:
            read_checkpoint(name)
        assert str(caught.value).startswith(name)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "stolen").exists()


def test_generators_go_on_where_they_were(tmp_path):
    import random

    import numpy as np

    seed_everything(5)
    torch.save(rng_state(), tmp_path / "rng.pt")
    first = (random.random(), np.random.rand(), torch.rand(1).item())
    set_rng_state(torch.load(tmp_path / "rng.pt", weights_only=True))
    assert first == (random.random(), np.random.rand(), torch.rand(1).item())


@pytest.mark.parametrize("kind", ["node", "graph"])
def test_predictions_reproduce_the_test_score(kind, request, home, capsys):
    recipe = request.getfixturevalue(f"{kind}_recipe")
    result = train(recipe, quiet=True)
    checkpoint = result.folder / "seed_0" / "best.pt"
    trained = load_checkpoint(checkpoint)
    predictions = predict(trained)
    assert torch.allclose(
        predictions.probabilities.sum(1), torch.ones(60), atol=1e-5
    )
    import json

    from dgl_signgt.training import load_data

    split = json.loads((result.folder / "seed_0" / "split.json").read_text())
    label = load_data(trained.recipe).label
    right = (predictions.classes == label)[split["test"]].float().mean()
    assert right.item() == pytest.approx(result.scores[0])

    path = apply(
        {
            "pipeline_name": f"signgt-{kind}pred",
            "pipeline_mode": "apply",
            "cpt_path": str(checkpoint),
        }
    )
    assert str(path) == "apply_results/001/predictions.csv"
    assert f"60 predictions in {path}" in capsys.readouterr().out
    rows = [*csv.DictReader(path.open())]
    assert [int(row["predicted"]) for row in rows] == (
        predictions.classes.tolist()
    )
    assert [row["id"] for row in rows] == [str(i) for i in range(60)]
    assert float(rows[7]["probability_1"]) == pytest.approx(
        predictions.probabilities[7, 1].item(), rel=1e-5
    )


def test_other_data_must_fit(node_recipe):
    result = train(node_recipe, quiet=True)
    checkpoint = str(result.folder / "seed_0" / "best.pt")
    recipe = {
        "pipeline_name": "signgt-nodepred",
        "pipeline_mode": "apply",
        "cpt_path": checkpoint,
        "data": {"name": "csbm", "num_nodes": 30, "seed": 9},
    }
    assert len(apply(recipe).read_text().splitlines()) == 31
    with pytest.raises(SignGTError, match="size 7, the checkpoint expects 32"):
        apply(recipe, data__feat_size=7)
    with pytest.raises(SignGTError, match="trained by signgt-nodepred"):
        apply(recipe, pipeline_name="signgt-graphpred", data=None)
    with pytest.raises(SignGTError, match="use the apply command"):
        train(recipe)
