"""Training: equal seeds, resumed runs, what is left on disk."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from dgl_signgt.errors import SignGTError
from dgl_signgt.training import TrainingError, load_checkpoint, train
from dgl_signgt.training import folder as folder_module
from dgl_signgt.training import run as run_module
from dgl_signgt.training.checkpoint import read_checkpoint


def _numbers(result) -> list:
    """All that must be equal between two trainings: no times."""
    kept = ("epoch", "lr", "train_loss", "val_loss", "val_score")
    return [
        [[row.get(key) for key in kept] for row in history]
        for history in result.history
    ] + [result.scores]


@pytest.mark.parametrize("kind", ["node", "graph"])
def test_equal_seeds_give_bit_equal_runs(kind, request):
    recipe = request.getfixturevalue(f"{kind}_recipe")
    first = train(recipe, quiet=True, general_pipeline__num_runs=2)
    torch.rand(3)  # the surroundings' generators must not matter
    second = train(recipe, quiet=True, general_pipeline__num_runs=2)
    assert _numbers(first) == _numbers(second)
    assert first.folder.name == "001" and second.folder.name == "002"
    # The second run alone is a training with the next seed.
    alone = train(recipe, quiet=True, general_pipeline__seed=1)
    assert alone.scores == first.scores[1:]
    assert first.history[0] != first.history[1]


class _Kill(Exception):
    pass


@pytest.mark.parametrize("kind", ["node", "graph"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {
            "general_pipeline.lr_scheduler": {
                "name": "MultiStepLR",
                "milestones": [2, 4],
            },
            "general_pipeline.optimizer": {"name": "SGD", "momentum": 0.9},
            "model.norm": "batch",
            "general_pipeline.warmup_epochs": 2,
        },
        {
            "general_pipeline.lr_scheduler": {
                "name": "ReduceLROnPlateau",
                "patience": 0,
            },
            "general_pipeline.grad_clip": 1.0,
        },
        {"general_pipeline.ema_decay": 0.8, "model.norm": "batch"},
    ],
    ids=["plain", "milestones", "plateau", "average"],
)
def test_resume_gives_the_unbroken_numbers(kind, options, request, monkeypatch):
    recipe = request.getfixturevalue(f"{kind}_recipe")
    options = {**options, "general_pipeline.num_runs": 2}
    whole = train(recipe, quiet=True, **options)
    monkeypatch.setattr(run_module, "_SAVE_EVERY", 0.0)
    monkeypatch.setattr(run_module, "_SAVE_SHARE", math.inf)
    seen = []

    def kill(run: int, record: dict) -> None:
        seen.append((run, record["epoch"]))
        if seen.count((run, record["epoch"])) == 1 and record["epoch"] in (
            2,
            5,
        ):
            torch.rand(7)
            raise _Kill

    for _ in range(4):
        with pytest.raises(_Kill):
            if not seen:
                train(recipe, quiet=True, on_epoch=kill, **options)
            else:
                train(resume="results/002", quiet=True, on_epoch=kill)
    broken = train(resume="results/002", quiet=True)
    assert _numbers(broken) == _numbers(whole)
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, broken.model.state_dict()[name]), name


def test_what_a_training_leaves(graph_recipe):
    result = train(graph_recipe, quiet=True, general_pipeline__num_runs=2)
    run = result.folder / "seed_1"
    assert sorted(p.name for p in run.iterdir()) == [
        "best.pt",
        "last.pt",
        "metrics.jsonl",
        "result.json",
        "split.json",
    ]
    saved = yaml.safe_load((result.folder / "recipe.yaml").read_text())
    assert saved["model"]["attention"] == "signed"
    assert saved["general_pipeline"]["num_runs"] == 2
    summary = json.loads((result.folder / "summary.json").read_text())
    assert summary["test_mean"] == np.mean(result.scores)
    assert summary["test_std"] == np.std(result.scores, ddof=1)
    rows = (run / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(row)["epoch"] for row in rows] == [1, 2, 3, 4, 5, 6]
    split = json.loads((run / "split.json").read_text())
    assert (len(split["train"]), len(split["val"])) == (48, 6)
    environment = json.loads((result.folder / "environment.json").read_text())
    assert environment["versions"]["torch"] == torch.__version__
    best = read_checkpoint(run / "best.pt")
    assert best["epoch"] == result.runs[1]["best_epoch"]
    assert best["val"] == result.runs[1]["val"]


def test_score_is_that_of_the_best_validation_epoch(node_recipe):
    result = train(
        node_recipe,
        quiet=True,
        **{"general_pipeline.num_epochs": 30, "data.signal": 0.3},
    )
    history = result.history[0]
    best = max(history, key=lambda row: (row["val_score"], -row["val_loss"]))
    assert result.runs[0]["best_epoch"] == best["epoch"]
    assert result.runs[0]["val"] == best["val_score"]


def test_the_average_of_the_weights_is_scored_and_kept(node_recipe):
    plain = train(node_recipe, quiet=True)
    means, weights = [], []

    def watch(dataset):
        from dgl_signgt import SignGTNodeClassifier

        model = SignGTNodeClassifier(dataset.in_size, dataset.num_classes, 8)

        def note(module, inputs, output):
            rows = weights if module.training else means
            rows.append(module.readout.layers[0].weight.detach().clone())

        # A copy keeps the hook: the average is seen where it is scored.
        model.register_forward_hook(note)
        return model

    result = train(
        node_recipe,
        build_model=watch,
        quiet=True,
        general_pipeline={"ema_decay": 0.75, "early_stop": None},
    )
    epochs = len(result.history[0])
    # Weights are seen before a step, averages after it; the last average is
    # that of the best epoch, scored on the test part.
    assert (len(weights), len(means)) == (epochs, epochs + 1)
    average = weights[1]
    assert torch.equal(means[0], average)
    for before, mean in zip(weights[2:], means[1:]):
        average = 0.75 * average + 0.25 * before
        assert torch.allclose(mean, average, atol=1e-7)
    assert not torch.allclose(means[1], weights[2])
    best = result.runs[0]["best_epoch"]
    assert torch.equal(means[-1], means[best - 1])
    kept = read_checkpoint(result.folder / "seed_0" / "best.pt")["model"]
    assert torch.equal(kept["readout.layers.0.weight"], means[best - 1])
    assert kept.keys() == result.model.state_dict().keys()
    # The last checkpoint, too, gives the weights by which it was scored.
    averaged = train(node_recipe, quiet=True, general_pipeline__ema_decay=0.5)
    path = averaged.folder / "seed_0" / "last.pt"
    state = read_checkpoint(path)
    name = "readout.layers.0.weight"
    loaded = load_checkpoint(path).model.state_dict()
    assert torch.equal(loaded[name], state["average"][f"module.{name}"])
    assert not torch.equal(loaded[name], state["model"][name])
    # Without it, the weights themselves.
    last = read_checkpoint(plain.folder / "seed_0" / "last.pt")
    assert last["average"] is None


def test_early_stop_counts_epochs(node_recipe):
    result = train(
        node_recipe,
        quiet=True,
        general_pipeline={
            "num_epochs": 500,
            "eval_period": 2,
            "early_stop": {"patience": 4},
        },
    )
    row = result.runs[0]
    assert row["epochs"] == row["best_epoch"] + 4 < 500


def test_nan_names_epoch_and_batch(graph_recipe):
    def explode(dataset):
        from dgl_signgt import SignGTGraphClassifier

        model = SignGTGraphClassifier(
            dataset.in_size, dataset.num_classes, 8, 1, 2
        )
        steps = iter(range(100))

        def spoil(module, inputs, output):
            if not module.training:
                return output
            return output * (float("nan") if next(steps) == 8 else 1)

        model.register_forward_hook(spoil)
        return model

    with pytest.raises(
        TrainingError, match="run 1: the loss is nan in epoch 2, batch 3: try"
    ):
        train(graph_recipe, build_model=explode, quiet=True)


def test_user_errors_are_one_line(node_recipe, graph_recipe):
    cases = {
        "device: cuda is not available here": {"device": "cuda"},
        "class_weights: 1 weights for 2 classes": {
            "general_pipeline.class_weights": [1.0]
        },
        "has no public split": {"data.split": "public"},
        "the val part of csbm is empty": {"data.split_ratio": [0.9, 0.0, 0.1]},
        "cannot write to": {"general_pipeline.save_path": "/proc/no"},
        "float16 needs a GPU": {
            "device": "auto",
            "general_pipeline.amp": "float16",
        },
    }
    if torch.cuda.is_available():
        del cases["device: cuda is not available here"]
        del cases["float16 needs a GPU"]
    for message, overrides in cases.items():
        with pytest.raises(SignGTError, match=message) as caught:
            train(node_recipe, quiet=True, **overrides)
        assert "\n" not in str(caught.value)
    kinds = {
        "data.node_feat": "categorical",
        "model.pooled_layers": "features",
    }
    with pytest.raises(SignGTError, match="those of tu are categorical: use"):
        train(graph_recipe, quiet=True, **kinds)
    numbers = {**kinds, "data.node_feat": "onehot"}
    model = train(graph_recipe, quiet=True, **numbers).model
    # Three kinds of atoms; the projected input and two layers of eight.
    assert model.readout.layers[-1].in_features == 3 + 3 * 8


def test_resume_finds_the_unfinished_one(node_recipe):
    def kill(run, record):
        if record["epoch"] == 2:
            raise _Kill

    train(node_recipe, quiet=True)
    with pytest.raises(SignGTError, match="nothing to resume"):
        train(node_recipe, resume=True, quiet=True)
    with pytest.raises(_Kill):
        train(node_recipe, quiet=True, on_epoch=kill)
    assert train(node_recipe, resume=True, quiet=True).folder == Path(
        "results/002"
    )


def test_resume_of_a_folder_older_than_an_option(node_recipe):
    def stop(run, record):
        raise _Kill

    whole = train(node_recipe, quiet=True)
    for resume in ("results/002", True):
        with pytest.raises(_Kill):
            train(node_recipe, quiet=True, on_epoch=stop)
        saved = Path("results/002/recipe.yaml")
        content = yaml.safe_load(saved.read_text())
        del content["general_pipeline"]["ema_decay"]
        saved.write_text(yaml.safe_dump(content))
        again = (
            train(node_recipe, resume=True, quiet=True)
            if resume is True
            else train(resume=resume, quiet=True)
        )
        assert again.folder == Path("results/002")
        assert _numbers(again) == _numbers(whole)
        shutil.rmtree(again.folder)


def test_mixed_precision_trains(node_recipe):
    full = train(node_recipe, quiet=True)
    mixed = train(node_recipe, quiet=True, general_pipeline__amp="bfloat16")
    losses = [r.history[0][0]["train_loss"] for r in (full, mixed)]
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], rel=0.05)


def test_balanced_class_weights(node_recipe):
    result = train(
        node_recipe, quiet=True, general_pipeline__class_weights="balanced"
    )
    assert len(result.scores) == 1


def test_tensorboard_logs_every_epoch(node_recipe):
    events = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    )
    result = train(
        node_recipe, quiet=True, general_pipeline__loggers=["tensorboard"]
    )
    log = events.EventAccumulator(
        str(result.folder / "seed_0" / "tensorboard")
    ).Reload()
    values = [event.value for event in log.Scalars("val_score")]
    expected = [row["val_score"] for row in result.history[0]]
    assert values == pytest.approx(expected)


def test_wandb_gets_every_epoch(node_recipe, monkeypatch):
    import types

    logged, finished = [], []
    run = types.SimpleNamespace(
        log=lambda record, step: logged.append((step, record["val_score"])),
        finish=lambda: finished.append(True),
    )
    fake = types.SimpleNamespace(init=lambda **options: run)
    monkeypatch.setitem(__import__("sys").modules, "wandb", fake)
    result = train(node_recipe, quiet=True, general_pipeline__loggers=["wandb"])
    expected = [(r["epoch"], r["val_score"]) for r in result.history[0]]
    assert logged == expected and finished == [True]


def test_missing_logger_says_what_to_install(node_recipe, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "wandb", None)
    with pytest.raises(SignGTError, match="pip install wandb"):
        train(node_recipe, quiet=True, general_pipeline__loggers=["wandb"])


def test_kfold_tests_every_node_once(node_recipe):
    result = train(
        node_recipe,
        quiet=True,
        data={"split": "kfold", "num_folds": 3},
        general_pipeline={"num_runs": 3, "num_epochs": 1},
    )
    tested = []
    for seed in range(3):
        file = result.folder / f"seed_{seed}" / "split.json"
        tested += json.loads(file.read_text())["test"]
    assert sorted(tested) == list(range(60))


def test_environment_names_what_decides_the_rounding(monkeypatch):
    info = {"model name": "Some CPU", "flags": "fpu avx2 amx_bf16"}
    monkeypatch.setattr(folder_module, "_cpuinfo", info.get)
    monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    machine = folder_module.environment("cpu")["machine"]
    assert machine["processor"] == "Some CPU"
    wanted = ["avx2", "amx_bf16", "ONEDNN_MAX_CPU_ISA=AVX2"]
    assert machine["instructions"] == wanted
