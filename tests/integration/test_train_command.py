"""Training through the real commands, in processes of their own."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from dgl_signgt.training import read_yaml, recipe_folder, shipped_recipes

# Long enough that no signal comes too late on a busy machine.
RECIPE = {
    "pipeline_name": "signgt-nodepred",
    "pipeline_mode": "train",
    "data": {"name": "csbm", "num_nodes": 100},
    "model": {"name": "signgt", "hidden_size": 16, "num_heads": 2},
    "general_pipeline": {
        "num_epochs": 200,
        "num_runs": 2,
        "early_stop": None,
        "save_path": "out",
    },
}


def _env(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return {**kept, "OMP_NUM_THREADS": "1", "DGLBACKEND": "pytorch", **more}


def _signgt(*arguments: str, cwd: Path, **options: Any) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "dgl_signgt", *arguments],
        cwd=cwd,
        env=_env(DGL_DOWNLOAD_DIR=str(cwd / "data")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def _numbers(folder: Path) -> list:
    """Every number of a training but the times."""
    found = []
    for seed in sorted(folder.glob("seed_*")):
        for line in (seed / "metrics.jsonl").read_text().splitlines():
            row = json.loads(line)
            row.pop("seconds")
            found.append(row)
        result = json.loads((seed / "result.json").read_text())
        found.append([result["test"], result["val"], result["best_epoch"]])
    return found


def _write(folder: Path, content: dict) -> Path:
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory) -> Path:
    """A training by the ``dgl`` command that nothing disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    _write(folder, RECIPE)
    done = subprocess.run(
        [
            Path(sys.executable).with_name("dgl"),
            "train",
            "--cfg",
            "recipe.yaml",
        ],
        cwd=folder,
        env=_env(DGL_DOWNLOAD_DIR=str(folder / "data")),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"test accuracy \d+\.\d+% ± ", done.stdout)
    assert "saved in out/001" in done.stdout
    return folder / "out/001"


def test_exported_script_agrees_with_dgl_train(dgl, tmp_path, unbroken):
    _write(tmp_path, RECIPE)
    exported = dgl("export", "--cfg", "recipe.yaml", "--output", "s.py")
    assert exported.returncode == 0, exported.stderr
    alone = subprocess.run(
        [sys.executable, "s.py"],
        cwd=tmp_path,
        env=_env(DGL_DOWNLOAD_DIR=str(tmp_path / "data")),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert alone.returncode == 0, alone.stderr
    assert _numbers(tmp_path / "out/001") == _numbers(unbroken)


def _short(name: str) -> dict:
    content = read_yaml(recipe_folder() / name)
    content["general_pipeline"] |= {
        "num_runs": 1,
        "num_epochs": 2,
        "warmup_epochs": 0,
        "save_path": "out",
    }
    return content


def _embedded() -> list[str]:
    from dgl_signgt.data import dataset_spec

    return [
        name
        for name in shipped_recipes()
        if dataset_spec(
            read_yaml(recipe_folder() / name)["data"]["name"]
        ).origin
        == "embedded"
    ]


@pytest.mark.parametrize("name", _embedded())
def test_embedded_recipe_trains(name, dgl, tmp_path):
    _write(tmp_path, _short(name))
    done = dgl("train", "--cfg", "recipe.yaml")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out/001/summary.json").read_text())
    assert summary["runs"][0]["epochs"] == 2
    assert 0 < summary["test_mean"] <= 1


@pytest.mark.parametrize("name", ["signgt_nci1.yaml", "signgt_cora.yaml"])
def test_benchmark_recipe_trains(name, dgl, tmp_path, real_data_dir):
    _write(tmp_path, _short(name))
    done = dgl("train", "--cfg", "recipe.yaml")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out/001/summary.json").read_text())
    assert summary["runs"][0]["epochs"] == 2
    # Better than chance after two epochs, on real data.
    assert summary["test_mean"] > 0.3


def test_predictions_through_dgl(dgl, tmp_path):
    small = {**RECIPE, "general_pipeline": {"num_epochs": 2, "save_path": "o"}}
    _write(tmp_path, small)
    assert dgl("train", "--cfg", "recipe.yaml").returncode == 0
    made = dgl(
        "configure-apply", "signgt-nodepred", "--cpt", "o/001/seed_0/best.pt",
        "--cfg", "apply.yaml",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "num_nodes: 100" in (tmp_path / "apply.yaml").read_text()
    done = dgl("apply", "--cfg", "apply.yaml")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "apply_results/001/predictions.csv").read_text()
    assert lines.splitlines()[0] == "id,predicted,probability_0,probability_1"
    assert len(lines.splitlines()) == 101


def test_configured_recipe_is_accepted_as_it_is(dgl, tmp_path):
    made = dgl(
        "configure", "signgt-nodepred", "--data", "csbm", "--model", "signgt"
    )
    assert made.returncode == 0, made.stderr
    path = tmp_path / "signgt-nodepred_csbm_signgt.yaml"
    text = path.read_text().replace("num_epochs: 200", "num_epochs: 1  ")
    path.write_text(text)
    done = dgl("train", "--cfg", path.name)
    assert done.returncode == 0, done.stderr


def test_errors_exit_with_2_and_no_traceback(tmp_path):
    _write(tmp_path, {**RECIPE, "modle": 1})
    process = _signgt("train", "--cfg", "recipe.yaml", cwd=tmp_path)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 2, (out, error)
    assert error == (
        "error: recipe.yaml: modle: unknown key (did you mean 'model'?)\n"
    )


def _wait_for_epochs(folder: Path, count: int, process: Any) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        lines = 0
        for file in folder.glob("seed_*/metrics.jsonl"):
            lines += file.read_text().count("\n")
        if lines >= count:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("no progress")


def test_ctrl_c_saves_and_resumes(tmp_path, unbroken):
    _write(tmp_path, RECIPE)
    # What is started in the background of a shell ignores Ctrl-C, and so
    # does all that it starts.
    broken = _signgt(
        "train", "--cfg", "recipe.yaml", cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    folder = tmp_path / "out/001"
    _wait_for_epochs(folder, 205, broken)
    broken.send_signal(signal.SIGINT)
    out, error = broken.communicate(timeout=120)
    assert broken.returncode == 130, (out, error)
    hint = "python -m dgl_signgt train --resume out/001"
    assert hint in out and "Traceback" not in error
    saved = (folder / "seed_1/metrics.jsonl").read_text()
    on = _signgt("train", "--resume", "out/001", cwd=tmp_path)
    out, error = on.communicate(timeout=240)
    assert on.returncode == 0, error
    # It goes on from the last finished epoch.
    epoch = json.loads(saved.splitlines()[-1])["epoch"]
    assert f"run 2: on from epoch {epoch}" in out
    assert _numbers(folder) == _numbers(unbroken)


def _kill_and_resume(folder: Path, kills: int, longest: float) -> Path:
    """Kill a training at random moments until it may end."""
    rng = random.Random(0)
    training = folder / "out/001"
    command = ["train", "--cfg", "recipe.yaml"]
    for _ in range(kills):
        process = _signgt(*command, cwd=folder)
        if (training / "recipe.yaml").exists():
            time.sleep(rng.uniform(0, longest))
        else:
            _wait_for_epochs(training, rng.randrange(1, 100), process)
        process.kill()
        process.communicate()
        command = ["train", "--resume", "out/001"]
    last = _signgt(*command, cwd=folder)
    _, error = last.communicate(timeout=400)
    assert last.returncode == 0, error
    return training


def test_killed_training_ends_with_the_same_numbers(tmp_path, unbroken):
    _write(tmp_path, RECIPE)
    assert _numbers(_kill_and_resume(tmp_path, 1, 1)) == _numbers(unbroken)


@pytest.mark.slow
def test_ten_kills_end_with_the_same_numbers(tmp_path):
    content = {**RECIPE, "data": {"name": "csbm", "num_nodes": 300}}
    # Long enough for checkpoints between the kills.
    content["general_pipeline"] = {
        **RECIPE["general_pipeline"],
        "num_epochs": 400,
    }
    for name in ("whole", "broken"):
        (tmp_path / name).mkdir()
        _write(tmp_path / name, content)
    whole = _signgt("train", "--cfg", "recipe.yaml", cwd=tmp_path / "whole")
    assert whole.wait(400) == 0
    broken = _kill_and_resume(tmp_path / "broken", 10, 12)
    assert _numbers(broken) == _numbers(tmp_path / "whole/out/001")


def test_two_processes_train_like_one(tmp_path):
    sys.path.insert(0, str(Path(__file__).parents[1] / "unit/training"))
    try:
        from conftest import write_tiny_tu
    finally:
        sys.path.pop(0)
    write_tiny_tu(tmp_path / "data", graphs=160)
    _write(
        tmp_path,
        {
            "pipeline_name": "signgt-graphpred",
            "pipeline_mode": "train",
            "data": {"name": "tu", "dataset": "TINY"},
            "model": {
                "name": "signgt",
                "hidden_size": 16,
                "num_heads": 2,
                "norm": "batch",
            },
            "general_pipeline": {
                "num_epochs": 10,
                "train_batch_size": 16,
                "optimizer": {"name": "AdamW", "lr": 0.01},
                "ema_decay": 0.5,
                "save_path": "out",
            },
        },
    )
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node",
        "2", "--no-python", str(Path(sys.executable).with_name("dgl")),
        "train", "--cfg", "recipe.yaml",
    ]  # fmt: skip
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=_env(DGL_DOWNLOAD_DIR=str(tmp_path / "data")),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "in 2 processes" in done.stdout
    one = _signgt("train", "--cfg", "recipe.yaml", cwd=tmp_path)
    assert one.wait(240) == 0
    scores = [
        json.loads((tmp_path / f"out/{n}/summary.json").read_text())[
            "test_mean"
        ]
        for n in ("001", "002")
    ]
    # The classes are easy to tell apart: both learn them.
    assert min(scores) > 0.9
    for n in ("001", "002"):
        rows = (tmp_path / f"out/{n}/seed_0/metrics.jsonl").read_text()
        losses = [json.loads(row)["train_loss"] for row in rows.splitlines()]
        assert losses[-1] < losses[0] / 2
