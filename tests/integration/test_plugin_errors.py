"""What a user gets wrong: one line on stderr and exit code 2."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

TRAIN = "pipeline_name: signgt-graphpred\npipeline_mode: train\n"
MODEL = "model: {name: signgt}\n"
CASES = {
    "missing file": (None, "cfg.yaml: No such file or directory"),
    "not YAML": ("a: [1\nb: 2\n", "cfg.yaml, line 2: not valid YAML: "),
    "a list": ("- a\n- b\n", "cfg.yaml: a recipe is a YAML mapping; "),
    "no pipeline": ("data: {}\n", "cfg.yaml: pipeline_name is missing; "),
    "unknown pipeline": (
        "pipeline_name: signgt-graphpredd\n",
        "cfg.yaml: unknown pipeline 'signgt-graphpredd' "
        "(did you mean 'signgt-graphpred'?); there are nodepred, ",
    ),
    "unknown key": (
        TRAIN + "data: {name: nci5k}\nmodel: {name: signgt, num_layer: 2}\n",
        "cfg.yaml: model.num_layer: unknown key (did you mean 'num_layers'?)",
    ),
    "wrong type": (
        TRAIN + "data: {name: nci5k}\nmodel: {name: signgt, k: three}\n",
        "cfg.yaml: model.k: must be ",
    ),
    "unknown data": (
        TRAIN + "data: {name: nci5kk}\n" + MODEL,
        "cfg.yaml: data.name: ",
    ),
    "apply recipe": (
        TRAIN.replace("train", "apply") + "data: {name: nci5k}\n",
        "cfg.yaml: a recipe with pipeline_mode apply is for 'dgl apply', "
        "not 'dgl train'",
    ),
    "dglgo's own": (
        "pipeline_name: nodepred\npipeline_mode: train\n"
        "data: {name: cora}\nmodel: {name: gcn, num_layers: many}\n",
        "cfg.yaml: model.num_layers: value is not a valid integer",
    ),
}


COMMON = [
    "missing file",
    "a list",
    "unknown pipeline",
    "unknown key",
    "wrong type",
]


@pytest.fixture
def application(tmp_path, monkeypatch):
    """The commands in this process, as starting ``dgl`` takes seconds."""
    from dgl_signgt.plugin import application

    monkeypatch.chdir(tmp_path)
    app = application()
    return lambda *arguments: CliRunner().invoke(app, [*arguments])


@pytest.mark.parametrize("case", COMMON)
def test_dgl_train_says_it_in_one_line(dgl, tmp_path, case):
    content, expected = CASES[case]
    if content is not None:
        (tmp_path / "cfg.yaml").write_text(content)
    result = dgl("train", "--cfg", "cfg.yaml")
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(f"error: {expected}")


@pytest.mark.parametrize("case", CASES)
def test_train_says_it_in_one_line(application, tmp_path, case):
    content, expected = CASES[case]
    if content is not None:
        (tmp_path / "cfg.yaml").write_text(content)
    result = application("train", "--cfg", "cfg.yaml")
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert result.output.startswith(f"error: {expected}")


@pytest.mark.parametrize("command", ["apply", "export"])
def test_other_commands_say_it_too(application, command):
    result = application(command, "--cfg", "absent.yaml")
    assert result.exit_code == 2
    assert result.output == "error: absent.yaml: No such file or directory\n"


def test_export_needs_a_mode(application, tmp_path):
    (tmp_path / "cfg.yaml").write_text("pipeline_name: nodepred\n")
    result = application("export")
    assert result.exit_code == 2
    assert result.output == (
        "error: cfg.yaml: pipeline_mode is train or apply, not None\n"
    )


def test_unknown_recipe_is_answered_with_the_nearest(application):
    result = application("recipe", "get", "signgt_nci5.yaml")
    assert result.exit_code == 2
    assert result.output == (
        "error: no recipe 'signgt_nci5.yaml' (did you mean "
        "'signgt_nci5k.yaml'?); 'dgl recipe list' shows all\n"
    )


def test_a_changed_recipe_is_not_overwritten(application, tmp_path):
    name = "nodepred_cora_gcn.yaml"
    assert application("recipe", "get", name).exit_code == 0
    copied = (tmp_path / name).read_text()
    assert copied.startswith("# Accuracy across")
    again = application("recipe", "get", name)
    assert again.exit_code == 0
    assert "is already in" in again.output
    (tmp_path / name).write_text("mine: 1\n")
    refused = application("recipe", "get", name)
    assert refused.exit_code == 2
    assert refused.output == (
        f"error: {tmp_path / name} exists and differs; move it away first\n"
    )
    assert (tmp_path / name).read_text() == "mine: 1\n"
