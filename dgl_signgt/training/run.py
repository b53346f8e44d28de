"""One seed of a training: its folder, its checkpoints, its result."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ..data import make_split
from ..errors import SignGTError
from .checkpoint import read_checkpoint, write_atomically, write_checkpoint
from .folder import write_json
from .loggers import make_loggers
from .loop import Progress, TrainingError, evaluate, finished, fit
from .memory import forget_peak, peak_memory
from .metrics import Objective
from .recipe import plain
from .report import Screen
from .seeds import seed_everything
from .stop import StopSign
from .tasks import make_task
from .world import World

__all__ = ["Run", "make_objective", "recipe_split"]

# A checkpoint an epoch, but not more often than this and never for more than
# a twentieth of the time: short epochs are repeated faster than saved.
_SAVE_EVERY = 2.0
_SAVE_SHARE = 0.05


class Run:
    """A training with one seed.

    Parameters
    ----------
    recipe : Recipe
        The checked recipe.
    dataset : NodeDataset or GraphDataset
        The data.
    build_model : callable
        ``build_model(dataset)`` gives a new model.
    number : int
        Number of the run, from 0; its seed is the recipe's plus this.
    folder : pathlib.Path
        The training's folder; the run has its own in it.
    world, screen, stop, on_epoch
        The processes, the output, the Ctrl-C and the hook of the training.
    """

    def __init__(
        self,
        recipe: Any,
        dataset: Any,
        build_model: Callable[[Any], torch.nn.Module],
        number: int,
        folder: Path,
        world: World,
        screen: Screen | None,
        stop: StopSign,
        on_epoch: Callable[[int, dict[str, Any]], None] | None = None,
    ) -> None:
        self.recipe, self.dataset = recipe, dataset
        self.build_model = build_model
        self.number = number
        self.seed = recipe.general_pipeline.seed + number
        self.folder = folder / f"seed_{self.seed}"
        self.world, self.screen, self.stop = world, screen, stop
        self.on_epoch = on_epoch
        self._saved_at = time.monotonic()
        self._save_cost = 0.0
        self._best_saved = 0

    @property
    def _result_file(self) -> Path:
        return self.folder / "result.json"

    def __call__(self) -> tuple[torch.nn.Module, dict, list[dict]]:
        """Train, or load what is finished; gives model, result, history."""
        if self.world.first:
            self.folder.mkdir(exist_ok=True)
        seed_everything(self.seed)
        model = self.build_model(self.dataset).to(self.world.device)
        done = self.world.share(self._result_file.exists())
        if done:
            best = read_checkpoint(self.folder / "best.pt")
            model.load_state_dict(best["model"])
            result = json.loads(self._result_file.read_text())
        else:
            result = self._train(model)
        history = self._history() if self.world.first else []
        return model.eval(), result, history

    def _train(self, model: torch.nn.Module) -> dict[str, Any]:
        cfg, world = self.recipe.general_pipeline, self.world
        forget_peak(world.device)
        if world.rank:
            # Other processes draw other dropout masks.
            seed_everything((self.seed + 1_000_003 * world.rank) % 2**31)
        split = self._split()
        task = make_task(self.dataset, split, self.recipe, world, self.seed)
        objective = make_objective(self.recipe, self.dataset, split)
        last = self.folder / "last.pt"
        state = None
        if world.share(last.exists()):
            state = read_checkpoint(last)
            if len(state["rng"]) != world.size:
                raise SignGTError(
                    f"{last}: was trained by {len(state['rng'])} processes, "
                    f"not by {world.size}"
                )
        done = state["progress"]["epoch"] if state else 0
        loggers = []
        if world.first:
            self._cut_history(done)
            write_json(self.folder / "split.json", split.to_dict())
            loggers = make_loggers(cfg.loggers, self.folder, plain(self.recipe))
            self.screen.begin(self.number, cfg.num_runs, cfg.num_epochs, done)
            if done:
                self.screen.say(f"run {self.number + 1}: on from epoch {done}")

        def after_epoch(
            record: dict[str, Any], progress: Progress, state: Callable
        ) -> None:
            if world.first:
                with self._metrics_file.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                for logger in loggers:
                    logger.log(record)
                self.screen.epoch(record, progress, objective)
            self._save(progress, state, objective)
            if self.on_epoch is not None:
                self.on_epoch(self.number, record)
            self.stop.epoch()

        try:
            progress = fit(
                model, task, objective, cfg, world,
                state, after_epoch, self.stop.step,
            )  # fmt: skip
        except TrainingError as error:
            raise TrainingError(f"run {self.number + 1}: {error}") from error
        finally:
            for logger in loggers:
                logger.close()
        _, test = evaluate(model, task, objective, split.test)
        result = {
            "run": self.number,
            "seed": self.seed,
            "metric": objective.metric,
            "val": progress.best_score,
            "test": test,
            "best_epoch": progress.best_epoch,
            "epochs": progress.epoch,
            "seconds": round(progress.seconds, 3),
            "peak_memory_mb": peak_memory(world.device),
            "num_parameters": sum(p.numel() for p in model.parameters()),
            "split_hash": split.hash,
        }
        if world.first:
            self._save_best(progress, objective)
            write_json(self._result_file, result)
        return result

    def _split(self) -> Any:
        return recipe_split(self.recipe, self.dataset, self.seed)

    def _save(
        self, progress: Progress, state: Callable, objective: Objective
    ) -> None:
        since = time.monotonic() - self._saved_at
        due = since > max(_SAVE_EVERY, self._save_cost / _SAVE_SHARE)
        ended = finished(progress, self.recipe.general_pipeline)
        if not self.world.share(due or ended or self.stop.raised):
            return
        began = time.monotonic()
        content = state()
        if self.world.first:
            if self._best_saved != progress.best_epoch:
                self._save_best(progress, objective)
            write_checkpoint(
                self.folder / "last.pt", {**self._about(), **content}
            )
        self._saved_at = time.monotonic()
        self._save_cost = self._saved_at - began

    def _save_best(self, progress: Progress, objective: Objective) -> None:
        if progress.best_model is None:
            return
        content = {
            **self._about(),
            "model": progress.best_model,
            "epoch": progress.best_epoch,
            "metric": objective.metric,
            "val": progress.best_score,
        }
        write_checkpoint(self.folder / "best.pt", content)
        self._best_saved = progress.best_epoch

    def _about(self) -> dict[str, Any]:
        """What it takes to build the model again."""
        dataset = self.dataset
        return {
            "recipe": plain(self.recipe),
            "in_size": dataset.in_size,
            "num_classes": dataset.num_classes,
            "label_kind": dataset.label_kind,
            "fingerprint": dataset.fingerprint,
            "seed": self.seed,
        }

    @property
    def _metrics_file(self) -> Path:
        return self.folder / "metrics.jsonl"

    def _history(self) -> list[dict[str, Any]]:
        lines = self._metrics_file.read_text().splitlines()
        return [json.loads(line) for line in lines]

    def _cut_history(self, epochs: int) -> None:
        """Drop the epochs after the checkpoint: they are trained again."""
        lines = []
        if self._metrics_file.exists():
            lines = self._metrics_file.read_text().splitlines()[:epochs]
        text = "".join(f"{line}\n" for line in lines)
        write_atomically(self._metrics_file, text)


def recipe_split(recipe: Any, dataset: Any, seed: int) -> Any:
    """The split on which a recipe trains the run with this seed."""
    data = recipe.data
    fold = data.split_fold
    split_seed = seed if data.split_seed is None else data.split_seed
    if data.split == "kfold":
        # All folds of one shuffle, so that they cover the data.
        split_seed = data.split_seed or 0
        fold = seed % data.num_folds if fold is None else fold
    split = make_split(
        dataset,
        data.split,
        split_seed,
        data.split_ratio,
        fold,
        data.num_folds,
    )
    for part in ("train", "val", "test"):
        if len(getattr(split, part)) == 0:
            raise SignGTError(
                f"data.split: the {part} part of {data.name} is empty"
            )
    return split


def make_objective(recipe: Any, dataset: Any, split: Any) -> Objective:
    """Loss and metric of a recipe, with class weights from the train part."""
    cfg = recipe.general_pipeline
    weights = None
    if cfg.class_weights == "balanced":
        label = dataset.label[split.train]
        if dataset.label_kind == "multiclass":
            counts = torch.bincount(label, minlength=dataset.num_classes)
            weights = len(label) / (dataset.num_classes * counts.clamp(min=1))
        else:
            ones = label.nansum(0)
            known = (~label.isnan()).sum(0)
            weights = (known - ones) / ones.clamp(min=1)
    elif cfg.class_weights != "none":
        weights = torch.tensor(cfg.class_weights)
        if len(weights) != dataset.num_classes:
            raise SignGTError(
                f"general_pipeline.class_weights: {len(weights)} weights for "
                f"{dataset.num_classes} classes"
            )
    return Objective(dataset.label_kind, cfg.loss, cfg.metric, weights)
