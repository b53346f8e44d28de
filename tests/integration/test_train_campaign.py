"""A campaign with several workers, some of them killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml


def _worker(folder: Path) -> subprocess.Popen:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.Popen(
        [sys.executable, "-m", "dgl_signgt", "campaign", "plan.yaml"],
        cwd=folder,
        env=kept | {"OMP_NUM_THREADS": "1", "DGLBACKEND": "pytorch"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_killed_workers_lose_nothing(tmp_path):
    recipe = {
        "pipeline_name": "signgt-nodepred",
        "pipeline_mode": "train",
        "data": {"name": "csbm", "num_nodes": 200},
        "model": {"name": "signgt", "hidden_size": 16, "num_heads": 2},
        "general_pipeline": {"num_epochs": 150, "early_stop": None},
    }
    plan = {"folder": "out", "entries": [{"recipes": ["r.yaml"], "seeds": 8}]}
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(recipe))
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan))
    for pause in (5.0, 6.5):
        workers = [_worker(tmp_path), _worker(tmp_path)]
        time.sleep(pause)
        workers[0].kill()
        time.sleep(0.7)
        workers[1].kill()
        for worker in workers:
            worker.communicate()
    workers = [_worker(tmp_path), _worker(tmp_path)]
    for worker in workers:
        _, error = worker.communicate(timeout=240)
        assert worker.returncode == 0, error
    # A worker may end while another holds the last run; one more sees all.
    last = _worker(tmp_path)
    out, error = last.communicate(timeout=240)
    assert "8 of 8 runs finished, 0 failed" in out, error
    lines = (tmp_path / "out/results.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert sorted(row["seed"] for row in rows) == list(range(8))
    # Every number is that of an undisturbed training.
    from dgl_signgt.training import train

    whole = train(
        recipe,
        quiet=True,
        general_pipeline={"num_runs": 8, "save_path": str(tmp_path / "w")},
    )
    found = {row["seed"]: row["test"] for row in rows}
    assert [found[seed] for seed in range(8)] == whole.scores
