"""Recipes: what is valid, what is said of what is not."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dgl_signgt.errors import RecipeError
from dgl_signgt.training import (
    check_recipe,
    find_recipe,
    merge,
    parse_overrides,
    plain,
    read_yaml,
    recipe_folder,
    shipped_recipes,
)

GRAPH = {
    "pipeline_name": "signgt-graphpred",
    "pipeline_mode": "train",
    "data": {"name": "nci5k"},
    "model": {"name": "signgt"},
}
NODE = {
    **GRAPH,
    "pipeline_name": "signgt-nodepred",
    "data": {"name": "csbm", "homophily": 0.3, "transforms": ["standardize"]},
    "general_pipeline": {
        "num_epochs": 7,
        "optimizer": {"name": "SGD", "lr": "1e-2", "momentum": 0.5},
        "lr_scheduler": {"name": "StepLR", "step_size": 3},
        "early_stop": None,
    },
    "search": {
        "model.k": [1, 2],
        "general_pipeline.optimizer.lr": {
            "low": 1e-4,
            "high": 0.1,
            "log": True,
        },
    },
}


@pytest.mark.parametrize("name", shipped_recipes())
def test_shipped_recipe_is_valid(name):
    path = recipe_folder() / name
    recipe = check_recipe(read_yaml(path), name)
    # Each opens with the command that runs it.
    first = path.read_text().splitlines()[0]
    assert first == f"# dgl train --cfg recipes/{name}"
    # What is saved with a run reads back to the same.
    assert check_recipe(plain(recipe)) == recipe


def test_there_is_a_recipe_for_every_data_set():
    from dgl_signgt.data import dataset_names

    used = {
        read_yaml(recipe_folder() / name)["data"]["name"]
        for name in shipped_recipes()
    }
    own = {"csv", "tu"}  # one's own data, of any name
    assert used == set(dataset_names()) - own


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("model.num_layer", 2, "unknown key (did you mean 'num_layers'?)"),
        ("model.num_layers", "2", "must be a whole number, not '2'"),
        ("model.num_layers", True, "must be a whole number, not True"),
        ("model.num_layers", 0, "must be >= 1, not 0"),
        ("model.dropout", 1.0, "must be < 1, not 1.0"),
        ("model.dropout", float("nan"), "must be a finite number, not nan"),
        (
            "model.attention",
            "sofmax",
            "must be one of signed, softmax, tanh, none (did you mean "
            "'softmax'?), not 'sofmax'",
        ),
        (
            "model.name",
            "signgtt",
            "model.name: unknown 'signgtt' (did you mean 'signgt'?); one of "
            "signgt, gcn, gat, sage, gin, transformer",
        ),
        ("model.name", "GCN", "unknown 'GCN' (did you mean 'gcn'?)"),
        (
            "model.name",
            "sgc",
            "model.name: sgc is for node tasks only; one of signgt, gcn, ",
        ),
        (
            "model",
            {"name": "gcn", "num_heads": 2},
            "model.num_heads: unknown key",
        ),
        ("model", {"name": "gat", "num_heads": 3}, "3 heads do not divide"),
        ("model", {"name": "sage", "aggregator": "lstm"}, "mean, pool, gcn"),
        ("modell", {}, "unknown key (did you mean 'model'?)"),
        ("device", "gpu", "must be cpu, cuda, cuda:N or auto, not 'gpu'"),
        ("data.homophily", 0.5, "unknown key"),
        ("data.split_ratio", [1, 2], "must be a list of 3 values, not [1, 2]"),
        ("data.transforms", ["row-norm"], "unknown transform 'row-norm'"),
        (
            "general_pipeline.optimizer.name",
            "Adamw",
            "unknown 'Adamw' (did you mean 'AdamW'?); one of AdamW, Adam, ",
        ),
        (
            "general_pipeline.optimizer",
            {"name": "AdamW", "lrr": 1},
            "general_pipeline.optimizer.lrr: unknown key (did you mean 'lr'?)",
        ),
        ("general_pipeline.save_path", "a\0b", "printable characters"),
        ("general_pipeline.save_path", 3, "must be a string, not 3"),
        ("general_pipeline.early_stop", 3, "must be a mapping, not 3"),
        ("general_pipeline.loggers", ["x"], "one of tensorboard, wandb"),
        ("general_pipeline.class_weights", "all", "or must be a list"),
        # Conflicts.
        ("model.num_heads", 3, "3 heads do not divide hidden_size 128"),
        ("general_pipeline.warmup_epochs", 101, "more than num_epochs 100"),
        ("general_pipeline.loss", "L1Loss", "does not fit multiclass labels"),
        ("general_pipeline.amp", "float16", "float16 needs a GPU"),
        ("data.split_ratio", [0.5, 0.2, 0.2], "add up to 0.9, not to 1"),
        ("data.split_fold", 3, "only for the splits public, kfold"),
        ("search", {"num_layers": [1]}, "must be a key of the recipe"),
        ("search", {"model.layers": [1]}, "search.model.layers: search: model"),
        ("search", {"model.k": [1, -1]}, "must be >= 0, not -1"),
        ("search", {"model.k": {"low": 2, "high": 1}}, "low below high"),
        ("search", {"model.k": {1: 2}}, "search.model.k.low: "),
        (
            "search",
            {"model.k": {"low": 1, "high": 2, 3: 4}},
            "search.model.k.3: ",
        ),
    ],
)
def test_error_names_path_and_remedy(key, value, message):
    content = merge(GRAPH, {})
    *blocks, last = key.split(".")
    block = content
    for name in blocks:
        block = block.setdefault(name, {})
    block[last] = value
    with pytest.raises(RecipeError) as caught:
        check_recipe(content, "my.yaml")
    assert str(caught.value).startswith(f"my.yaml: {key.split('.')[0]}")
    assert message in str(caught.value)


def test_all_errors_are_shown_together():
    bad = merge(GRAPH, {"model.kk": 1, "data.splitt": 2, "device": 4})
    with pytest.raises(RecipeError) as caught:
        check_recipe(bad)
    first, *rest = str(caught.value).splitlines()
    assert first == "recipe: 3 errors:"
    assert [line.strip().partition(":")[0] for line in rest] == [
        "device",
        "data.splitt",
        "model.kk",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is empty"),
        ("- a", "this is a list"),
        ("a: [", "line 1: not valid YAML"),
        ("a: 1\na: 2", "line 2: not valid YAML: key 'a' is given twice"),
        ("a: !!python/name:os.system", "not valid YAML"),
        ("a: 2000-99-99", "not valid YAML"),
        ("[" * 5000, "not valid YAML"),
        ("\0", "not valid YAML"),
    ],
)
def test_unreadable_file_is_one_line(tmp_path, text, message):
    path = tmp_path / "r.yaml"
    path.write_text(text)
    with pytest.raises(RecipeError) as caught:
        read_yaml(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_and_binary_files(tmp_path):
    with pytest.raises(RecipeError, match="no such recipe.*signgt_cora"):
        find_recipe("signgt_coraa.yaml")
    (tmp_path / "r.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecipeError, match="not valid YAML"):
        read_yaml(tmp_path / "r.yaml")
    with pytest.raises(RecipeError, match="Is a directory"):
        read_yaml(tmp_path)


def test_overrides():
    parsed = parse_overrides(["model.k=2", "a.b=[1, null]", "c=x=y", "lr=1e-3"])
    assert parsed == {
        "model.k": 2,
        "a.b": [1, None],
        "c": "x=y",
        "lr": "1e-3",
    }
    with pytest.raises(RecipeError, match="expected key=value"):
        parse_overrides(["model.k"])
    base = {"model": {"name": "signgt", "k": 1}, "o": {"name": "A", "x": 1}}
    assert merge(base, {"model__k": 3})["model"]["k"] == 3
    assert merge(base, {"o": {"name": "B", "y": 2}})["o"] == {
        "name": "B",
        "y": 2,
    }
    assert base["o"] == {"name": "A", "x": 1}
    # What comes with a new name stays, whichever of them comes first.
    for later in ({"o.y": 2, "o.name": "B"}, {"o.y": 2, "o": {"name": "B"}}):
        assert merge(base, later)["o"] == {"name": "B", "y": 2}
    # YAML 1.1 reads 1e-3 as a string; it is a number all the same.
    override = {"general_pipeline.optimizer": {"name": "SGD", "lr": "1e-3"}}
    recipe = check_recipe(merge(GRAPH, override))
    assert recipe.general_pipeline.optimizer.lr == 0.001


_odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        [
            "signgt",
            "gcn",
            "sgc",
            "nci5k",
            "AdamW",
            "auto",
            "__import__('os').system('touch x')",
            "'); import os; os.remove('x') #",
            "{{ 7 * 7 }}",
            "../../outside",
            10**400,
            [],
            {},
            [[]],
            {"name": "signgt"},
            {"name": {"name": 1}},
            b"bytes",
            {1: 2},
        ]
    ),
    st.lists(st.integers() | st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)


def _paths(value: Any, prefix: tuple = ()) -> list[tuple]:
    found = [prefix] if prefix else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += _paths(item, (*prefix, key))
    return found


_known = [
    *_paths(plain(check_recipe(NODE))),
    *_paths(plain(check_recipe(GRAPH))),
]


@st.composite
def _mutated(draw: Any) -> dict:
    content = merge(draw(st.sampled_from([GRAPH, NODE])), {})
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(_known))
        key = path[-1]
        change = draw(st.sampled_from(["replace", "replace", "drop", "rename"]))
        block: Any = content
        for name in path[:-1]:
            block = block.setdefault(name, {}) if isinstance(block, dict) else 0
        if not isinstance(block, dict):
            continue
        if change == "replace":
            block[key] = draw(_odd)
        elif change == "drop":
            block.pop(key, None)
        else:
            block[f"{key}{draw(st.text(max_size=2))}"] = block.pop(key, 1)
    return content


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Come back to the folder of before after each test."""
    monkeypatch.chdir(os.getcwd())


def _no_surprise(content: dict, folder: Path) -> None:
    """Valid, or a clean error; and what is exported is one plain literal."""
    from dgl_signgt.pipelines.script import apply_script, train_script

    os.chdir(folder)
    before = sorted(os.listdir(folder))
    try:
        recipe = check_recipe(content)
    except RecipeError as error:
        assert str(error).startswith("recipe: ")
    else:
        values = plain(recipe, defaults=False)
        if recipe.pipeline_mode == "train":
            source = train_script(values, "SignGTNodeClassifier")
        else:
            source = apply_script(values)
        tree = ast.parse(source)
        (literal,) = [n for n in tree.body if isinstance(n, ast.Assign)]
        assert ast.literal_eval(literal.value) == values
        assert check_recipe(values) == recipe
    assert sorted(os.listdir(folder)) == before


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[*HealthCheck],
)
@given(content=_mutated())
def test_mutated_recipes(content, tmp_path_factory):
    _no_surprise(content, tmp_path_factory.getbasetemp())


@pytest.mark.slow
@settings(
    max_examples=10_000, deadline=None, suppress_health_check=[*HealthCheck]
)
@given(content=_mutated())
def test_ten_thousand_mutated_recipes(content, tmp_path_factory):
    _no_surprise(content, tmp_path_factory.getbasetemp())
