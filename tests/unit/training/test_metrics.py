"""Losses, scores and schedules against values worked out by hand."""

from __future__ import annotations

import math

import pytest
import torch
from sklearn import metrics as sk

from dgl_signgt.errors import RecipeError
from dgl_signgt.training.metrics import Objective
from dgl_signgt.training.optim import (
    OPTIMIZERS,
    SCHEDULERS,
    Schedule,
    build_optimizer,
    optimizer_block,
    scheduler_block,
)

LOGITS = torch.tensor([[2.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.0, 3.0]])
LABEL = torch.tensor([0, 1, 1, 1])


def test_multiclass():
    objective = Objective("multiclass")
    assert objective.metric == "accuracy"
    assert objective.score(LOGITS, LABEL) == 0.75
    expected = torch.nn.functional.cross_entropy(LOGITS, LABEL).item()
    assert objective.loss(LOGITS, LABEL).item() == expected
    # Class 1 is scored 0.5, 0.73, 0.38, 0.95 against 0, 1, 1, 1.
    assert Objective("multiclass", metric="roc_auc").score(
        LOGITS, LABEL
    ) == pytest.approx(1.0)
    f1 = Objective("multiclass", metric="f1_macro").score(LOGITS, LABEL)
    assert f1 == pytest.approx((2 / 3 + 0.8) / 2)


def test_many_classes_rank_one_against_the_rest():
    torch.manual_seed(0)
    logits, label = torch.randn(40, 3), torch.randint(0, 3, (40,))
    score = Objective("multiclass", metric="roc_auc").score(logits, label)
    expected = sk.roc_auc_score(
        label, logits.softmax(1), multi_class="ovr", average="macro"
    )
    assert score == pytest.approx(expected)


def test_multilabel_leaves_out_unknown_labels():
    objective = Objective("multilabel")
    nan = math.nan
    logits = torch.tensor([[1.0, -1.0, 0.0], [-1.0, 2.0, 1.0], [0.0, 3.0, 2.0]])
    label = torch.tensor([[1.0, nan, 1.0], [0.0, 0.0, 1.0], [nan, 1.0, 1.0]])
    known = [
        (1.0, 1),
        (-1.0, 0),
        (2.0, 0),
        (3.0, 1),
        (0.0, 1),
        (1.0, 1),
        (2, 1),
    ]
    expected = [math.log1p(math.exp(-x if y else x)) for x, y in known]
    assert objective.loss(logits, label).item() == pytest.approx(
        sum(expected) / 7
    )
    # The third task has one class only and is not ranked.
    assert objective.score(logits, label) == 1.0


def test_regression():
    objective = Objective("regression")
    logits, label = torch.tensor([[1.0], [4.0]]), torch.tensor([2.0, 2.0])
    assert objective.score(logits, label) == 1.5
    assert objective.loss(logits, label).item() == 1.5
    assert not objective.maximize and objective.better(1.0, 1.5)
    squares = Objective("regression", loss="MSELoss")
    assert squares.loss(logits, label).item() == 2.5


def test_what_does_not_fit_is_said():
    with pytest.raises(RecipeError, match="'mae' does not fit multiclass"):
        Objective("multiclass", metric="mae")


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_steps(name):
    model = torch.nn.Linear(2, 1)
    before = model.weight.detach().clone()
    optimizer = build_optimizer(model, optimizer_block(name)(name=name))
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert not torch.equal(model.weight, before)
    assert type(optimizer).__name__ == name


def _rates(block, epochs=6, warmup=0):
    model = torch.nn.Linear(1, 1)
    optimizer = build_optimizer(model, optimizer_block("SGD")(lr=1.0))
    schedule = Schedule(optimizer, block, warmup, epochs)
    rates = []
    for epoch in range(1, epochs + 1):
        rates.append(schedule.start(epoch))
        optimizer.step()
        schedule.finish(epoch, 0.5)
    return rates


def test_schedules():
    step = scheduler_block("StepLR")(step_size=2, gamma=0.5)
    assert _rates(step) == [1, 1, 0.5, 0.5, 0.25, 0.25]
    assert _rates(None, 4, warmup=2) == [0.5, 1, 1, 1]
    assert _rates(step, warmup=2) == [0.5, 1, 1, 1, 0.5, 0.5]
    cosine = _rates(scheduler_block("CosineAnnealingLR")())
    expected = [(1 + math.cos(math.pi * e / 6)) / 2 for e in range(6)]
    assert cosine == pytest.approx(expected)
    plateau = scheduler_block("ReduceLROnPlateau")(patience=1, factor=0.1)
    assert _rates(plateau) == pytest.approx([1, 1, 1, 0.1, 0.1, 0.01])


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_schedule_survives_a_checkpoint(name, tmp_path):
    required = {"MultiStepLR": {"milestones": [2, 4]}}.get(name, {})
    block = scheduler_block(name)(name=name, **required)

    def fresh():
        model = torch.nn.Linear(1, 1)
        optimizer = build_optimizer(model, optimizer_block("SGD")(lr=1.0))
        return optimizer, Schedule(optimizer, block, 1, 8)

    def go(optimizer, schedule, epochs):
        rates = []
        for epoch in epochs:
            rates.append(schedule.start(epoch))
            optimizer.step()
            schedule.finish(epoch, 0.5)
        return rates

    whole = go(*fresh(), range(1, 9))
    optimizer, schedule = fresh()
    first = go(optimizer, schedule, range(1, 4))
    torch.save(
        [optimizer.state_dict(), schedule.state_dict()], tmp_path / "s.pt"
    )
    states = torch.load(tmp_path / "s.pt", weights_only=True)
    optimizer, schedule = fresh()
    optimizer.load_state_dict(states[0])
    schedule.load_state_dict(states[1])
    assert first + go(optimizer, schedule, range(4, 9)) == whole
