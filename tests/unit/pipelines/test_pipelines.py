"""What dglgo sees: commented YAML, scripts, descriptions."""

from __future__ import annotations

import ast

import autopep8
import isort
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dgl_signgt.data import dataset_names, dataset_spec
from dgl_signgt.errors import RecipeError
from dgl_signgt.pipelines import ApplyPipeline, TrainPipeline
from dgl_signgt.pipelines.commented import commented_yaml
from dgl_signgt.pipelines.script import train_script
from dgl_signgt.training import check_recipe, plain


@pytest.mark.parametrize("task", ["graph", "node"])
def test_default_recipe_of_every_data_set(task):
    pipeline = TrainPipeline(task)
    for name in dataset_names(task):
        text = pipeline.default_yaml(name, "x.yaml")
        assert text.startswith("# dgl train --cfg x.yaml\n")
        # As dglgo reads it, with all options of the schema in it.
        content = yaml.safe_load(text)
        recipe = check_recipe(content)
        for option in dataset_spec(name).options:
            assert option.name in content["data"]
        assert {**plain(recipe), "search": None} == {
            **content,
            "search": None,
        }


def test_every_option_has_its_meaning_beside_it():
    text = TrainPipeline("graph").default_yaml("nci5k", "x.yaml")
    silent = [
        line
        for line in text.splitlines()
        if "#" not in line and not line.endswith(":")
    ]
    assert [line.strip().partition(":")[0] for line in silent] == [
        "pipeline_name",
        "pipeline_mode",
        "name",
        "name",
        "name",
    ]
    assert "  num_layers: 2                   # Number of SignGT layers" in text


_text = st.text(min_size=1, max_size=40).filter(str.isprintable)


@settings(max_examples=200, deadline=None)
@given(path=_text, low=st.floats(1e-12, 1.0))
def test_any_value_reads_back_from_yaml_and_script(path, low):
    content = {
        "pipeline_name": "signgt-nodepred",
        "data": {"name": "csbm"},
        "model": {"name": "signgt"},
        "general_pipeline": {
            "save_path": path,
            "optimizer": {"name": "SGD", "lr": low},
        },
    }
    recipe = check_recipe(content)
    assert check_recipe(yaml.safe_load(commented_yaml(recipe))) == recipe
    values = plain(recipe, defaults=False)
    source = train_script(values, "SignGTNodeClassifier")
    (literal,) = [
        node for node in ast.parse(source).body if isinstance(node, ast.Assign)
    ]
    assert ast.literal_eval(literal.value) == values


@pytest.mark.parametrize(
    "path",
    [
        "'); __import__('os').system('touch pwned') #",
        '"""\nimport os\n"""'.replace("\n", " "),
        "x == None and import sys",
        "{{ recipe }} {recipe} %s",
        "\\x41\\",
        "a" * 900,
    ],
)
def test_what_dglgo_does_to_the_script_changes_no_value(path):
    content = {
        "pipeline_name": "signgt-graphpred",
        "pipeline_mode": "train",
        "data": {"name": "nci5k"},
        "model": {"name": "signgt"},
        "general_pipeline": {"save_path": path},
    }
    source = TrainPipeline("graph").gen_script(content)
    # The same two calls as in dglgo's train and export commands.
    fixed = isort.code(autopep8.fix_code(source, options={"aggressive": 1}))
    tree = ast.parse(fixed)
    (literal,) = [n for n in tree.body if isinstance(n, ast.Assign)]
    assert ast.literal_eval(literal.value) == content
    calls = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls == {
        "SignGTGraphClassifier",
        "train",
        "exit_codes",
        "main",
        "dict",
    }


def test_scripts_are_short():
    content = {
        "pipeline_name": "signgt-nodepred",
        "data": {"name": "csbm"},
        "model": {"name": "signgt"},
    }
    source = TrainPipeline("node").gen_script(content)
    assert len(source.splitlines()) < 40
    assert max(map(len, source.splitlines())) <= 80


def test_wrong_mode_is_said():
    content = {"pipeline_name": "signgt-nodepred", "pipeline_mode": "apply"}
    content["cpt_path"] = "best.pt"
    with pytest.raises(RecipeError, match="must be train, not 'apply'"):
        TrainPipeline("node").gen_script(content)
    assert "apply(RECIPE)" in ApplyPipeline("node").gen_script(content)


def test_pipelines_register_with_dglgo():
    import dglgo.pipeline  # noqa: F401
    from dglgo.utils.factory import ApplyPipelineFactory, PipelineFactory

    from dgl_signgt.pipelines import register_pipelines

    register_pipelines()
    for name in ("signgt-graphpred", "signgt-nodepred"):
        assert isinstance(PipelineFactory.registry[name], TrainPipeline)
        assert isinstance(ApplyPipelineFactory.registry[name], ApplyPipeline)
        assert "SignGT" in PipelineFactory.registry[name].get_description()
    assert "graphpred" in PipelineFactory.registry
