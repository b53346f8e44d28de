"""From the installed wheel to a trained model, as a newcomer goes."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def data(tmp_path):
    """A data folder in which nothing is prepared yet."""
    return {"DGL_DOWNLOAD_DIR": str(tmp_path / "data")}


def test_configure_writes_what_export_accepts(installed, tmp_path, data):
    result = installed.run(
        "dgl",
        *("configure", "signgt-graphpred", "--data", "nci5k"),
        *("--model", "signgt"),
        cwd=tmp_path,
        **data,
    )
    assert (result.returncode, result.stderr) == (0, "")
    name = "signgt-graphpred_nci5k_signgt.yaml"
    text = (tmp_path / name).read_text()
    assert re.search(r"^  num_layers: 2 +# Number of SignGT layers", text, re.M)
    result = installed.run("dgl", "export", "--cfg", name, cwd=tmp_path, **data)
    assert (result.returncode, result.stderr) == (0, "")
    compile((tmp_path / "script.py").read_text(), "script.py", "exec")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_recipe_get_and_train(installed, tmp_path, data):
    recipe = "signgt_nci5k.yaml"
    result = installed.run("dgl", "recipe", "get", recipe, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert "dgl_signgt/recipes" in result.stdout
    result = installed.run(
        "dgl", "train", "--cfg", recipe, cwd=tmp_path, timeout=500, **data
    )
    assert result.returncode == 0, result.stderr
    score = re.search(r"^test accuracy ([\d.]+)%", result.stdout, re.M)
    assert float(score[1]) > 90
    assert (tmp_path / "results").is_dir()
