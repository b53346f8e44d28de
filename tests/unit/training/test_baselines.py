"""Baselines in recipes: the same splits, loop, commands and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
import yaml

from dgl_signgt.data import load
from dgl_signgt.errors import RecipeError, SignGTError
from dgl_signgt.nn import (
    GraphBaseline,
    NodeBaseline,
    SignGTGraphClassifier,
    SignGTNodeClassifier,
)
from dgl_signgt.pipelines import ApplyPipeline, TrainPipeline
from dgl_signgt.training import (
    apply,
    as_recipe,
    check_recipe,
    load_checkpoint,
    load_data,
    plain,
    predict,
    train,
)
from dgl_signgt.training.campaign import campaign
from dgl_signgt.training.models import MODELS, model_names
from dgl_signgt.training.search import search

BASELINES = [
    (task, name)
    for task in ("node", "graph")
    for name in model_names(task)
    if name != "signgt"
]


@pytest.fixture
def recipe(request, home):
    """The tiny recipe of a task, with another model."""

    def make(task: str, name: str, **options) -> dict:
        content = request.getfixturevalue(f"{task}_recipe")
        content["model"] = {"name": name, "hidden_size": 8, **options}
        content["general_pipeline"]["num_epochs"] = 3
        return content

    return make


def test_which_models_there_are():
    graph = ["signgt", "gcn", "gat", "sage", "gin", "transformer"]
    assert model_names("graph") == graph
    assert model_names("node") == [*graph[:3], "sgc", *graph[3:]]


@pytest.mark.parametrize(("task", "name"), BASELINES)
def test_training_checkpoint_and_prediction(task, name, recipe, capsys):
    content = recipe(task, name)
    result = train(content)
    title = MODELS[name].title
    assert capsys.readouterr().out.startswith(f"{title} on ")
    cls = {
        "node": SignGTNodeClassifier if name == "transformer" else NodeBaseline,
        "graph": (
            SignGTGraphClassifier if name == "transformer" else GraphBaseline
        ),
    }[task]
    assert type(result.model) is cls
    # Nothing of Â^k was computed, nor is it in the data.
    cached = [path.name for path in Path("data").glob("**/*-k*-*")]
    assert cached == []
    data = load_data(check_recipe(content))
    assert data.khop is None
    checkpoint = result.folder / "seed_0" / "best.pt"
    split = json.loads((checkpoint.parent / "split.json").read_text())
    test = torch.tensor(split["test"])
    right = predict(checkpoint, indices=test).classes == data.label[test]
    assert right.float().mean().item() == pytest.approx(result.runs[0]["test"])
    # The splits are those of SignGT.
    signgt = {**content, "model": {"name": "signgt", "hidden_size": 8}}
    other = train(signgt, quiet=True, general_pipeline__num_epochs=1)
    assert other.runs[0]["split_hash"] == result.runs[0]["split_hash"]


@pytest.mark.parametrize(("task", "name"), BASELINES)
def test_exported_script_gives_the_same_numbers(task, name, recipe):
    content = recipe(task, name)
    result = train(content, quiet=True)
    source = TrainPipeline(task).gen_script(content)
    assert source.startswith(f'"""Trains {MODELS[name].title};')
    assert max(map(len, source.splitlines())) <= 80
    scope: dict = {"__name__": "script"}
    exec(compile(source, "script.py", "exec"), scope)
    again = scope["main"]()
    assert [row["train_loss"] for row in again.history[0]] == [
        row["train_loss"] for row in result.history[0]
    ]


@pytest.mark.parametrize(("task", "name"), BASELINES)
def test_default_recipe_has_the_models_own_options(task, name):
    data = {"node": "csbm", "graph": "nci5k"}[task]
    text = TrainPipeline(task).default_yaml(data, "x.yaml", name)
    content = yaml.safe_load(text)
    assert plain(check_recipe(content))["model"] == content["model"]
    options = {*content["model"]}
    special = {
        "gat": {"num_heads"},
        "sgc": {"k"},
        "sage": {"aggregator"},
        "transformer": {"num_heads"},
    }
    own = special.get(name, set())
    assert options & {"num_heads", "k", "aggregator"} == own
    assert options & {"conv", "attention", "khop_route"} == set()
    assert ("pooling" in options) == (task == "graph")
    assert {"name", "hidden_size", "dropout", "input_drop"} <= options
    layers = {"num_layers", "norm", "activation", "readout_layers"}
    # A Transformer's residuals are no option, its attention's backend is.
    assert ("backend" in options) == (name == "transformer")
    assert ("residual" in options) == (name not in ("sgc", "transformer"))
    # SGC is linear: there is nothing to choose between its hops.
    assert options & layers == (set() if name == "sgc" else layers)


@pytest.mark.parametrize("task", ["node", "graph"])
def test_transformer_is_softmax_attention_without_edges(task, recipe):
    content = recipe(task, "transformer")
    named = train(content, quiet=True)
    content["model"] |= {"name": "signgt", "attention": "softmax", "k": 0}
    spelt = train(content, quiet=True)
    for key in ("val", "test", "num_parameters"):
        assert named.runs[0][key] == spelt.runs[0][key]
    for row, other in zip(named.history[0], spelt.history[0], strict=True):
        assert row["train_loss"] == other["train_loss"]


def test_sgc_is_linear(recipe):
    content = recipe("node", "sgc", k=3, dropout=0.0)
    result = train(content, quiet=True)
    data = load_data(check_recipe(content))
    model, zero = result.model, torch.zeros_like(data.feat)
    with torch.no_grad():
        shift = model(data.graph, zero)
        once = model(data.graph, data.feat) - shift
        twice = model(data.graph, 2 * data.feat) - shift
    torch.testing.assert_close(twice, 2 * once, atol=1e-4, rtol=1e-4)


def test_apply(recipe, home, capsys):
    result = train(recipe("node", "gcn"), quiet=True)
    checkpoint = str(result.folder / "seed_0" / "best.pt")
    pipeline = ApplyPipeline("node")
    text, data, model = pipeline.default_yaml(checkpoint, None)
    assert (data, model) == ("csbm", "gcn")
    path = apply(yaml.safe_load(text))
    assert len(path.read_text().splitlines()) == 61
    # Other data of the same shape come without Â^k, too.
    other = {"name": "csbm", "num_nodes": 40}
    path = apply({**yaml.safe_load(text), "data": other})
    assert len(path.read_text().splitlines()) == 41


def test_a_model_of_links_is_for_its_own_graph(recipe, home):
    content = recipe("node", "signgt")
    content["data"]["transforms"] = ["adjacency-pe"]
    folder = train(content, quiet=True).folder
    trained = load_checkpoint(folder / "seed_0" / "best.pt")
    own = load_data(trained.recipe)
    assert len(predict(trained, own).ids) == own.graph.num_nodes()
    # As many nodes, but others.
    content["data"]["seed"] = 7
    other = load_data(as_recipe(content))
    assert other.in_size == own.in_size
    with pytest.raises(SignGTError, match="is not the graph the checkpoint"):
        predict(trained, other)


def test_colours_and_all_layers_train_and_predict(recipe, home):
    content = recipe(
        "graph", "signgt", pooled_layers="all", readout_norm="batch"
    )
    content["data"]["transforms"] = [{"wl-pe": {"size": 16, "hops": 2}}]
    result = train(content, quiet=True)
    trained = load_checkpoint(result.folder / "seed_0" / "best.pt")
    data = load_data(trained.recipe)
    assert data.feat_kind == "sparse"
    rows = predict(trained, data)
    assert len(rows.ids) == len(data)
    graph, _ = data.batch(range(len(data)))
    with torch.no_grad():
        logits = trained.model.eval()(graph, graph.ndata["feat"])
    torch.testing.assert_close(
        rows.probabilities, logits.softmax(1), atol=1e-5, rtol=1e-4
    )


def test_apply_to_other_data_keeps_the_transforms(recipe, home):
    content = recipe("node", "signgt")
    content["data"]["transforms"] = [{"random-walk-pe": {"size": 4}}]
    trained = train(content, quiet=True).folder / "seed_0" / "best.pt"
    text, *_ = ApplyPipeline("node").default_yaml(str(trained), "csbm")
    other = yaml.safe_load(text)
    assert other["data"]["transforms"] == [{"random-walk-pe": {"size": 4}}]
    other["data"]["num_nodes"] = 40
    assert len(apply(other).read_text().splitlines()) == 41
    other["data"]["transforms"] = []
    said = "expects 36 .its data had the transforms .*random-walk-pe"
    with pytest.raises(SignGTError, match=said):
        apply(other)
    # Options without a default are written for the user to fill in.
    text, *_ = ApplyPipeline("node").default_yaml(str(trained), "csv")
    assert yaml.safe_load(text)["data"]["data_path"] == "NAME"


def test_data_with_khop_weights_are_refused(recipe):
    trained = train(recipe("node", "gcn"), quiet=True).folder
    trained = load_checkpoint(trained / "seed_0" / "best.pt")
    with pytest.raises(ValueError, match="a baseline takes the raw graph"):
        predict(trained, load("csbm", num_nodes=60, k=2))


def test_campaign_and_search(recipe):
    content = recipe("node", "sgc")
    Path("tiny.yaml").write_text(yaml.safe_dump(content))
    entry = {
        "recipes": ["tiny.yaml"],
        "overrides": [{}, {"model": {"name": "signgt", "hidden_size": 8}}],
        "grid": {"model.k": [1, 2]},
    }
    Path("plan.yaml").write_text(
        yaml.safe_dump({"folder": "campaign", "entries": [entry]})
    )
    rows = campaign("plan.yaml", say=lambda text: None)
    assert [row["status"] for row in rows] == ["done"] * 4
    assert len({row["key"] for row in rows}) == 4
    assert len({row["split_hash"] for row in rows}) == 1
    pytest.importorskip("optuna")
    content["search"] = {"model.k": [1, 2, 3], "model.dropout": [0.0, 0.5]}
    best = search(content, trials=3)
    assert best["model"]["name"] == "sgc"
    content = recipe("node", "gcn")
    content["search"] = {"model.num_layers": [1, 2]}
    assert search(content, 2, "other")["model"]["name"] == "gcn"


def test_a_shipped_recipe_with_another_model():
    recipe = as_recipe("signgt_cora", {"model.name": "gcn"})
    assert plain(recipe, defaults=False)["model"] == {"name": "gcn"}
    # Of the search, what both models have is left.
    assert {*recipe.search} == {
        "model.num_layers",
        "model.hidden_size",
        "model.dropout",
        "model.input_drop",
        "model.norm",
        "general_pipeline.optimizer.lr",
        "general_pipeline.optimizer.weight_decay",
    }
    sgc = as_recipe("signgt_cora", {"model": {"name": "sgc", "k": 3}})
    assert {"model.k", "model.hidden_size"} <= {*sgc.search}
    assert "model.num_layers" not in sgc.search
    assert "model.k" in as_recipe("signgt_cora", {"model.k": 2}).search
    with pytest.raises(RecipeError, match="model.name: unknown 'gnc'"):
        as_recipe("signgt_cora", {"model.name": "gnc"})
    with pytest.raises(RecipeError, match="model.name: unknown"):
        as_recipe("signgt_cora", {"model.name": ["gcn"]})


@pytest.mark.parametrize("task", ["node", "graph"])
def test_report(task, recipe):
    pytest.importorskip("matplotlib")
    from dgl_signgt.cli.report import write_report

    folders = [
        train(recipe(task, "gcn"), quiet=True).folder,
        train(recipe(task, "signgt"), quiet=True).folder,
    ]
    text = write_report(folders[:1], "alone").read_text()
    names = {path.stem for path in Path("alone/figures").iterdir()}
    assert names == {"loss", "validation", "confusion", "tsne"}
    assert "<h1>GCN on " in text
    text = write_report(folders, "both").read_text()
    assert "<h1>GCN, SignGT on " in text
    names = {path.stem for path in Path("both/figures").iterdir()}
    assert {"negative_share", "spectral_gain_0", "tsne_run2"} <= names
    assert "k_sweep" not in names


def test_report_without_attention(recipe):
    pytest.importorskip("matplotlib")
    from dgl_signgt.cli.report import write_report

    options = {"model.attention": "none"}
    folder = train(recipe("node", "signgt"), quiet=True, **options).folder
    assert "<h1>SignGT on " in write_report([folder], "one").read_text()
    names = {path.stem for path in Path("one/figures").iterdir()}
    assert "tsne" in names
    assert not names & {"negative_share", "spectral_gain_0"}


def test_report_on_a_transformer(recipe):
    pytest.importorskip("matplotlib")
    from dgl_signgt.cli.report import write_report

    folders = [
        train(recipe("node", name), quiet=True).folder
        for name in ("transformer", "gcn")
    ]
    text = write_report(folders, "both").read_text()
    assert "<h1>Transformer, GCN on " in text
    # The name stands for options that its recipe does not have.
    assert "<td>transformer</td><td>softmax</td><td>0</td>" in text
    assert "<td>gcn</td><td>–</td><td>–</td>" in text
    names = {path.stem for path in Path("both/figures").iterdir()}
    assert "spectral_gain_0" in names
