"""``train``: from a recipe to trained models, scores and a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
import yaml

from ..data import load
from ..errors import SignGTError
from .blocks import DataBlock
from .checkpoint import write_atomically
from .folder import (
    environment,
    find_unfinished,
    holds_recipe,
    new_folder,
    write_json,
)
from .library import find_recipe
from .models import MODELS, ModelBlock, make_model
from .recipe import check_recipe, merge, plain, read_yaml
from .report import Screen
from .result import TrainResult
from .run import Run, make_objective
from .schema import Recipe, data_options
from .seeds import deterministic
from .stop import Interrupted, StopSign, lock_folder
from .world import World

__all__ = ["as_recipe", "load_data", "load_data_for", "train"]


def as_recipe(
    recipe: str | os.PathLike | Mapping[str, Any] | Recipe,
    overrides: Mapping[str, Any] | None = None,
) -> Recipe:
    """Read, override and check a recipe for training.

    Parameters
    ----------
    recipe : path-like, mapping or Recipe
        A YAML file, the name of a recipe that comes with the package, or
        the content of one.
    overrides : mapping, optional
        Values to replace; see :func:`~dgl_signgt.training.merge`.

    Returns
    -------
    Recipe
        The checked recipe.
    """
    source = "recipe"
    if isinstance(recipe, Recipe):
        content: Any = plain(recipe)
    elif isinstance(recipe, Mapping):
        content = recipe
    else:
        path = find_recipe(recipe)
        content, source = read_yaml(path), str(path)
    checked = check_recipe(merge(content, overrides or {}), source)
    if not isinstance(checked, Recipe):
        raise SignGTError(
            f"{source}: pipeline_mode is apply; use the apply command"
        )
    return checked


def load_data(recipe: Recipe) -> Any:
    """The data set of a recipe, with Â^k where the model needs it."""
    return load_data_for(recipe.model, recipe.data)


def load_data_for(model: ModelBlock, data: DataBlock) -> Any:
    """A data set with the graphs that a recipe's model needs."""
    return load(
        data.name,
        transforms=data.transforms,
        **model.graph_options(),
        **data_options(data),
    )


def train(
    recipe: str | os.PathLike | Mapping[str, Any] | Recipe | None = None,
    *,
    resume: str | os.PathLike | bool | None = None,
    folder: str | os.PathLike | None = None,
    dataset: Any = None,
    build_model: Callable[[Any], torch.nn.Module] | None = None,
    on_epoch: Callable[[int, dict[str, Any]], None] | None = None,
    quiet: bool = False,
    **overrides: Any,
) -> TrainResult:
    """Train SignGT, or a baseline, as a recipe says.

    Each run has the seed of the recipe plus its number; its test score is
    that of the epoch with the best validation score. All that a result
    depends on is saved in a new folder below the recipe's ``save_path``.

    Parameters
    ----------
    recipe : path-like or mapping
        A YAML file, the name of a recipe that comes with the package
        (``"signgt_nci5k"``), or the content of one.
    resume : path-like or bool, optional
        The folder of an unfinished training to go on with (its recipe is
        used); True finds the newest of this recipe.
    folder : path-like, optional
        The new folder to use. Default: the next number in ``save_path``.
    dataset : NodeDataset or GraphDataset, optional
        Data to use instead of loading what the recipe names.
    build_model : callable, optional
        ``build_model(dataset)`` gives the model of a run. Default:
        the one that the recipe names.
    on_epoch : callable, optional
        Called as ``on_epoch(run, record)`` after each epoch, where
        ``record`` is a row of the history; raise in it to stop.
    quiet : bool, optional
        Show nothing. Default: False.
    **overrides
        Values to replace in the recipe: ``model__k=2``,
        ``general_pipeline={"num_runs": 1}``, or
        ``**{"model.k": 2}``.

    Returns
    -------
    TrainResult
        Model, scores, history and folder.

    Examples
    --------
    >>> result = train("signgt_digits", general_pipeline__num_runs=2)
    >>> result.mean > 0.9
    True
    """
    if resume and not isinstance(resume, bool):
        if recipe is not None or overrides:
            raise SignGTError(
                "resume: a folder to resume brings its own recipe; "
                "leave out the recipe and the overrides"
            )
        folder = Path(resume)
        checked = as_recipe(folder / "recipe.yaml")
    elif recipe is None:
        raise SignGTError("train: a recipe is needed")
    else:
        checked = as_recipe(recipe, overrides)
    world = World(checked.device)
    try:
        if resume is True:
            folder = find_unfinished(
                checked.general_pipeline.save_path, plain(checked)
            )
        return _train(
            checked, world, folder, dataset, build_model, on_epoch, quiet
        )
    finally:
        world.close()


def _train(
    recipe: Recipe,
    world: World,
    folder: str | os.PathLike | None,
    dataset: Any,
    build_model: Callable[[Any], torch.nn.Module] | None,
    on_epoch: Callable[[int, dict[str, Any]], None] | None,
    quiet: bool,
) -> TrainResult:
    cfg = recipe.general_pipeline
    if world.size > 1 and recipe.task == "node":
        raise SignGTError(
            "torchrun: node-level recipes train the whole graph in one "
            "step; run them in one process"
        )
    if cfg.amp == "float16" and world.device.type == "cpu":
        raise SignGTError(
            "general_pipeline.amp: float16 needs a GPU; use bfloat16"
        )
    build_model = build_model or (
        lambda dataset: make_model(recipe, dataset.in_size, dataset.num_classes)
    )
    with ExitStack() as stack:
        stack.enter_context(deterministic(cfg.num_threads))
        folder = _prepare(recipe, world, folder, stack)
        screen = None
        if world.first:
            screen = Screen(folder / "log.txt", quiet)
            stack.callback(screen.close)
            screen.say(_greeting(recipe, world))
        if dataset is None:
            # The first process fills the cache that the others read.
            dataset = load_data(recipe) if world.first else None
            world.share(None)
            dataset = dataset or load_data(recipe)
        if dataset.task != recipe.task:
            raise SignGTError(
                f"data.name: {recipe.data.name} has a {dataset.task} task; "
                f"use the pipeline signgt-{dataset.task}pred"
            )
        pooled = getattr(recipe.model, "pooled_layers", None)
        if pooled == "features" and not isinstance(dataset.in_size, int):
            # Only the data tell whether their features are numbers.
            raise SignGTError(
                f"model.pooled_layers: features must be numbers to be pooled, "
                f"and those of {recipe.data.name} are categorical: use all, or "
                f"another data.node_feat"
            )
        stop = StopSign()
        if world.size == 1:
            stack.enter_context(stop)
        outcomes = []
        try:
            for number in range(cfg.num_runs):
                run = Run(
                    recipe, dataset, build_model, number,
                    folder, world, screen, stop, on_epoch,
                )  # fmt: skip
                outcomes.append(run())
        except KeyboardInterrupt:
            if screen is not None:
                screen.say(
                    f"stopped; to go on: python -m dgl_signgt train "
                    f"--resume {folder}"
                )
            raise Interrupted(str(folder)) from None
        models, runs, history = zip(*outcomes)
        objective = make_objective(recipe, dataset, run._split())
        best = max(
            range(len(runs)),
            key=lambda i: runs[i]["val"] * (1 if objective.maximize else -1),
        )
        result = TrainResult(
            models[best], [*runs], [*history], objective.metric, folder
        )
        if world.first:
            write_json(folder / "summary.json", result.summary())
            screen.say(result.table(objective))
        return result


def _prepare(
    recipe: Recipe,
    world: World,
    folder: str | os.PathLike | None,
    stack: ExitStack,
) -> Path:
    """Make or take the folder, lock it, and write what the run depends on."""
    if world.first:
        if folder is None:
            folder = new_folder(recipe.general_pipeline.save_path)
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        stack.enter_context(lock_folder(folder))
        saved = folder / "recipe.yaml"
        text = yaml.safe_dump(plain(recipe), sort_keys=False)
        if not saved.exists():
            write_atomically(saved, text)
        elif not holds_recipe(folder, plain(recipe)):
            raise SignGTError(f"{folder}: holds a training of another recipe")
        if not (folder / "environment.json").exists():
            write_json(
                folder / "environment.json", environment(str(world.device))
            )
    return Path(world.share(folder))


def _greeting(recipe: Recipe, world: World) -> str:
    cfg = recipe.general_pipeline
    where = str(world.device)
    if world.device.type == "cpu":
        threads = torch.get_num_threads()
        where += f" ({threads} thread{'s' * (threads > 1)})"
    if world.size > 1:
        where += f" in {world.size} processes"
    return (
        f"{MODELS[recipe.model.name].title} on {recipe.data.name}: "
        f"{cfg.num_runs} "
        f"run{'s' * (cfg.num_runs > 1)} of up to {cfg.num_epochs} epochs, "
        f"{where}"
    )
