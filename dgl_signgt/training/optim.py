"""Optimisers and learning-rate schedulers by name, from an allow-list."""

from __future__ import annotations

from typing import Any

import torch
from pydantic import BaseModel, Field, create_model

from .fields import Strict, choice, flag, real, whole

__all__ = [
    "OPTIMIZERS",
    "SCHEDULERS",
    "Schedule",
    "build_optimizer",
    "optimizer_block",
    "scheduler_block",
]

_unit = real(low=0, below=1)
_decay = ("weight_decay", real(low=0, high=1), 1e-4, "L2 penalty or decay")
_eps = ("eps", real(above=0, high=1), 1e-8, "Added to the denominator")
_betas = (
    "betas",
    tuple[_unit, _unit],
    (0.9, 0.999),
    "Decay rates of the two running means",
)
_momentum = ("momentum", _unit, 0.0, "Momentum")
_last = ("gamma", real(above=0, high=1), 0.1, "Factor at each decay")
_eta_min = ("eta_min", real(low=0), 0.0, "Smallest learning rate")

# Name -> the options we accept, as (name, type, default, meaning).
OPTIMIZERS: dict[str, list[tuple[str, Any, Any, str]]] = {
    "AdamW": [_decay, _betas, _eps, ("amsgrad", flag, False, "Use AMSGrad")],
    "Adam": [_decay, _betas, _eps, ("amsgrad", flag, False, "Use AMSGrad")],
    "NAdam": [_decay, _betas, _eps],
    "RAdam": [_decay, _betas, _eps],
    "Adamax": [_decay, _betas, _eps],
    "Adagrad": [_decay],
    "RMSprop": [_decay, _momentum, _eps, ("alpha", _unit, 0.99, "Smoothing")],
    "SGD": [
        _decay,
        _momentum,
        ("nesterov", flag, False, "Nesterov momentum (needs momentum > 0)"),
    ],
}
SCHEDULERS: dict[str, list[tuple[str, Any, Any, str]]] = {
    "StepLR": [
        ("step_size", whole(1), 100, "Epochs between two decays"),
        _last,
    ],
    "MultiStepLR": [
        ("milestones", list[whole(1)], ..., "Epochs of the decays"),
        _last,
    ],
    "ExponentialLR": [
        ("gamma", real(above=0, high=1), 0.99, "Factor at each epoch")
    ],
    "CosineAnnealingLR": [
        ("T_max", whole(1) | None, None, "Epochs to the minimum; null: all"),
        _eta_min,
    ],
    "CosineAnnealingWarmRestarts": [
        ("T_0", whole(1), 50, "Epochs to the first restart"),
        ("T_mult", whole(1, 100), 1, "Growth of the period"),
        _eta_min,
    ],
    "ReduceLROnPlateau": [
        ("factor", real(above=0, below=1), 0.5, "Factor at each decay"),
        ("patience", whole(0), 10, "Evaluations without a gain to wait"),
        ("min_lr", real(low=0), 0.0, "Smallest learning rate"),
    ],
}


def _block(kind: str, name: str, options: list) -> type[BaseModel]:
    fields = {
        option: (type_, Field(default, description=meaning))
        for option, type_, default, meaning in options
    }
    return create_model(
        f"{name}{kind}", __base__=Strict, name=(choice(name), name), **fields
    )


_LR = ("lr", real(above=0, high=10), 1e-3, "Learning rate")
_OPTIMIZER_BLOCKS = {
    name: _block("Optimizer", name, [_LR, *options])
    for name, options in OPTIMIZERS.items()
}
_SCHEDULER_BLOCKS = {
    name: _block("Scheduler", name, options)
    for name, options in SCHEDULERS.items()
}


def optimizer_block(name: str) -> type[BaseModel] | None:
    """The typed options of the optimiser ``name``; None if unknown."""
    return _OPTIMIZER_BLOCKS.get(name)


def scheduler_block(name: str) -> type[BaseModel] | None:
    """The typed options of the scheduler ``name``; None if unknown."""
    return _SCHEDULER_BLOCKS.get(name)


def build_optimizer(
    model: torch.nn.Module, block: BaseModel
) -> torch.optim.Optimizer:
    """The torch optimiser that a recipe's ``optimizer`` block describes."""
    options = block.dict(exclude={"name"})
    return getattr(torch.optim, block.name)(model.parameters(), **options)


class Schedule:
    """The learning rate of each epoch: a linear warm-up, then a scheduler.

    Parameters
    ----------
    optimizer : torch.optim.Optimizer
        Its learning rate is set at the start of each epoch.
    block : pydantic.BaseModel or None
        The recipe's ``lr_scheduler`` block; None keeps the rate constant.
    warmup : int
        Epochs in which the rate grows linearly to the optimiser's own.
    num_epochs : int
        Length of the training, the default period of the cosine.
    maximize : bool
        Whether a plateau is judged on a score that grows.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        block: BaseModel | None,
        warmup: int,
        num_epochs: int,
        maximize: bool = True,
    ) -> None:
        self.optimizer, self.warmup = optimizer, warmup
        self.base = [group["lr"] for group in optimizer.param_groups]
        self.scheduler = None
        if block is None:
            return
        options = block.dict(exclude={"name"})
        if block.name == "CosineAnnealingLR" and options["T_max"] is None:
            options["T_max"] = max(1, num_epochs - warmup)
        if block.name == "ReduceLROnPlateau":
            options["mode"] = "max" if maximize else "min"
        cls = getattr(torch.optim.lr_scheduler, block.name)
        self.scheduler = cls(optimizer, **options)

    def start(self, epoch: int) -> float:
        """Set and return the learning rate of ``epoch`` (from 1)."""
        if epoch <= self.warmup:
            for group, base in zip(self.optimizer.param_groups, self.base):
                group["lr"] = base * epoch / self.warmup
        return self.optimizer.param_groups[0]["lr"]

    def finish(self, epoch: int, score: float | None) -> None:
        """Move on after ``epoch``; ``score`` is None if none was taken."""
        if self.scheduler is None or epoch <= self.warmup:
            return
        if isinstance(
            self.scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau
        ):
            if score is not None:
                self.scheduler.step(score)
        else:
            self.scheduler.step()

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        if self.scheduler is None:
            return {}
        state = self.scheduler.state_dict()
        # A counter of milestones is a subclass of dict, which a
        # weights-only load refuses.
        if "milestones" in state:
            state["milestones"] = dict(state["milestones"])
        return {
            name: value for name, value in state.items() if not callable(value)
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from what :meth:`state_dict` gave."""
        if self.scheduler is None:
            return
        if "milestones" in state:
            counter = type(self.scheduler.milestones)
            state = {**state, "milestones": counter(state["milestones"])}
        self.scheduler.load_state_dict(state)
