"""The training loop: one run, from its seed to its test score."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from ..errors import SignGTError
from .memory import keep_freed_memory
from .metrics import Objective
from .optim import Schedule, build_optimizer
from .seeds import rng_state, set_rng_state
from .tasks import GraphTask, NodeTask
from .world import World

__all__ = ["Progress", "TrainingError", "evaluate", "finished", "fit"]


class TrainingError(SignGTError):
    """Training cannot go on; the message says where and what to try."""


@dataclass
class Progress:
    """How far a run is; all that is needed to go on is in a checkpoint."""

    epoch: int = 0
    best_epoch: int = 0
    best_score: float | None = None
    best_loss: float = math.inf
    best_model: dict[str, torch.Tensor] | None = None
    seconds: float = 0.0


def fit(
    model: torch.nn.Module,
    task: NodeTask | GraphTask,
    objective: Objective,
    cfg: Any,
    world: World,
    state: dict[str, Any] | None = None,
    after_epoch: Callable[[dict, Progress, Callable], None] | None = None,
    stop: Callable[[], None] = lambda: None,
) -> Progress:
    """Train a model and leave it at its best validation epoch.

    Parameters
    ----------
    model : torch.nn.Module
        Called as ``model(graph, feat)``.
    task : NodeTask or GraphTask
        The batches to train on and the parts to score.
    objective : Objective
        Loss and metric.
    cfg : GeneralPipeline
        The recipe's ``general_pipeline`` block.
    world : World
        Device and processes.
    state : dict, optional
        What an earlier call gave through ``after_epoch``, to go on from.
    after_epoch : callable, optional
        Called as ``after_epoch(record, progress, state)`` at the end of each
        epoch, where ``record`` is a flat dict for the log and ``state()``
        gives all that is needed to go on from here.
    stop : callable, optional
        Called after each step; raises to stop the training.

    Returns
    -------
    Progress
        The best epoch and its validation score.
    """
    keep_freed_memory()
    optimizer = build_optimizer(model, cfg.optimizer)
    schedule = Schedule(
        optimizer,
        cfg.lr_scheduler,
        cfg.warmup_epochs,
        cfg.num_epochs,
        objective.maximize,
    )
    scaler = torch.amp.GradScaler(
        world.device.type, enabled=cfg.amp == "float16"
    )
    average = None
    if cfg.ema_decay is not None:
        average = AveragedModel(
            model, multi_avg_fn=get_ema_multi_avg_fn(cfg.ema_decay)
        )
    # What is validated, tested and kept.
    scored = model if average is None else average.module
    progress = Progress()
    if state is not None:
        model.load_state_dict(state["model"])
        if average is not None:
            average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        scaler.load_state_dict(state["scaler"])
        progress = Progress(**state["progress"])
        set_rng_state(state["rng"][world.rank])
    parallel = world.wrap(model)

    def everything() -> dict[str, Any]:
        return {
            "model": model.state_dict(),
            "average": None if average is None else average.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "scaler": scaler.state_dict(),
            "progress": asdict(progress),
            "rng": world.gather(rng_state()),
        }

    def after_step() -> None:
        if average is not None:
            average.update_parameters(model)
        stop()

    while not finished(progress, cfg):
        began = time.perf_counter()
        epoch = progress.epoch + 1
        record = {"epoch": epoch, "lr": schedule.start(epoch)}
        record["train_loss"] = _train_epoch(
            parallel,
            task,
            objective,
            optimizer,
            scaler,
            cfg,
            world,
            epoch,
            after_step,
        )
        score = None
        if epoch % cfg.eval_period == 0 or epoch == cfg.num_epochs:
            loss, score = evaluate(scored, task, objective, task.split.val)
            record |= {"val_loss": loss, "val_score": score}
            if math.isnan(score):
                raise TrainingError(
                    f"the validation {objective.metric} is not a number in "
                    f"epoch {epoch}: the labels of the validation part do "
                    f"not allow it; choose another metric or split"
                )
            # Small validation sets tie often; the loss then decides.
            if objective.better(score, progress.best_score) or (
                score == progress.best_score and loss < progress.best_loss
            ):
                progress.best_epoch = epoch
                progress.best_score, progress.best_loss = score, loss
                progress.best_model = {
                    name: value.detach().clone()
                    for name, value in scored.state_dict().items()
                }
        schedule.finish(epoch, score)
        progress.epoch = epoch
        record["seconds"] = time.perf_counter() - began
        progress.seconds += record["seconds"]
        if after_epoch is not None:
            after_epoch(record, progress, everything)
    model.load_state_dict(progress.best_model)
    return progress


def finished(progress: Progress, cfg: Any) -> bool:
    """Whether all epochs are done, or too many brought no better score."""
    patience = cfg.early_stop.patience if cfg.early_stop else math.inf
    waited = progress.epoch - progress.best_epoch
    return progress.epoch >= cfg.num_epochs or waited >= patience


def _train_epoch(
    model: torch.nn.Module,
    task: NodeTask | GraphTask,
    objective: Objective,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    cfg: Any,
    world: World,
    epoch: int,
    after_step: Callable[[], None],
) -> float:
    """One pass over the training part; returns the mean loss."""
    model.train()
    total, count = 0.0, 0
    for number, (graph, feat, label, rows) in enumerate(task.steps(epoch), 1):
        with torch.autocast(
            world.device.type,
            getattr(torch, cfg.amp, None),
            enabled=cfg.amp != "none",
        ):
            logits = model(graph, feat)
            loss = objective.loss(
                logits if rows is None else logits[rows], label
            )
        value = loss.item()
        if not math.isfinite(value):
            raise TrainingError(
                f"the loss is {value} in epoch {epoch}, batch {number}: try a "
                f"lower lr, grad_clip, or warmup_epochs"
            )
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        if cfg.grad_clip is not None:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.grad_clip)
        scaler.step(optimizer)
        scaler.update()
        total += value * len(label)
        count += len(label)
        after_step()
    shares = world.gather((total, count))
    return sum(t for t, _ in shares) / sum(n for _, n in shares)


def evaluate(
    model: torch.nn.Module,
    task: NodeTask | GraphTask,
    objective: Objective,
    index: torch.Tensor,
) -> tuple[float, float]:
    """Loss and score of the items in ``index``, in eval mode."""
    logits, label = task.logits(model, index), task.labels(index)
    return (
        objective.loss(logits, label).item(),
        objective.score(logits, label),
    )
