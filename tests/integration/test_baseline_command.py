"""A baseline by the real ``dgl``: configure, train, export, apply."""

from __future__ import annotations

import json
import subprocess
import sys

import yaml


def test_a_baseline_by_dgl(dgl, tmp_path):
    data = {"DGL_DOWNLOAD_DIR": str(tmp_path / "data")}
    done = dgl("configure", "signgt-nodepred", "--data", "csbm")
    assert done.returncode == 0, done.stderr
    path = tmp_path / "signgt-nodepred_csbm_signgt.yaml"
    assert yaml.safe_load(path.read_text())["model"]["name"] == "signgt"
    done = dgl(
        "configure", "signgt-nodepred", "--data", "csbm", "--model", "gat"
    )
    assert done.returncode == 0, done.stderr
    path = tmp_path / "signgt-nodepred_csbm_gat.yaml"
    text = path.read_text().replace("num_epochs: 200", "num_epochs: 2")
    path.write_text(text.replace("num_nodes: 1000", "num_nodes: 60"))
    done = dgl("train", "--cfg", path.name, env=data)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("GAT on csbm: 1 run of up to 2 epochs")
    first = json.loads((tmp_path / "results/001/summary.json").read_text())
    done = dgl("export", "--cfg", path.name, "--output", "s.py")
    assert done.returncode == 0, done.stderr
    code = (
        f"import os; os.environ.update({data!r})\n"
        "import runpy; runpy.run_path('s.py', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    again = json.loads((tmp_path / "results/002/summary.json").read_text())
    assert again["runs"][0]["test"] == first["runs"][0]["test"]
    assert again["runs"][0]["val"] == first["runs"][0]["val"]
    cpt = "results/001/seed_0/best.pt"
    done = dgl("configure-apply", "signgt-nodepred", "--cpt", cpt)
    assert done.returncode == 0, done.stderr
    done = dgl(
        "apply", "--cfg", "apply_signgt-nodepred_csbm_gat.yaml", env=data
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("60 predictions in apply_results/")


def test_a_model_of_another_task_is_one_line(dgl, tmp_path):
    content = {
        "pipeline_name": "signgt-graphpred",
        "pipeline_mode": "train",
        "data": {"name": "nci5k"},
        "model": {"name": "sgc"},
    }
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(content))
    done = dgl("train", "--cfg", "r.yaml")
    assert done.returncode == 2
    assert done.stderr == (
        "error: r.yaml: model.name: sgc is for node tasks only; one of "
        "signgt, gcn, gat, sage, gin, transformer\n"
    )
