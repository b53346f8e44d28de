"""Trained models from checkpoints, and their predictions."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..data.transforms import check_transforms
from ..errors import SignGTError, nearest
from .checkpoint import read_checkpoint
from .experiment import load_data
from .loop import evaluate
from .metrics import to_probability
from .models import make_model
from .recipe import check_recipe
from .run import make_objective, recipe_split
from .schema import Recipe
from .tasks import GraphTask, NodeTask, make_task
from .world import World

__all__ = [
    "Predictions",
    "TrainedModel",
    "load_checkpoint",
    "predict",
    "score",
]


@dataclass
class TrainedModel:
    """A model from a checkpoint, with what it was trained on.

    Parameters
    ----------
    model : torch.nn.Module
        The model, in eval mode.
    recipe : Recipe
        The recipe it was trained with.
    label_kind : str
        ``"multiclass"``, ``"multilabel"`` or ``"regression"``.
    in_size : int or list of int
        Size of the input features.
    num_classes : int
        Size of the output.
    seed : int
        The seed of its run, which also made its split.
    fingerprint : str
        That of the data it was trained on.
    """

    model: torch.nn.Module
    recipe: Recipe
    label_kind: str
    in_size: Any
    num_classes: int
    seed: int
    fingerprint: str


@dataclass
class Predictions:
    """What a model says about each node or graph.

    Parameters
    ----------
    ids : torch.Tensor
        Number of the node or graph, shape ``(n,)``.
    classes : torch.Tensor or None
        The likeliest class, shape ``(n,)``; a 0 or 1 a task for multi-label
        sets, shape ``(n, tasks)``; None for regression.
    probabilities : torch.Tensor
        Shape ``(n, classes)``; for regression the values themselves.
    """

    ids: torch.Tensor
    classes: torch.Tensor | None
    probabilities: torch.Tensor

    def to_csv(self, path: str | os.PathLike) -> None:
        """Write a row an item: id, predicted class, probabilities."""
        tasks = range(self.probabilities.shape[1])
        head = ["id"]
        columns = [self.ids[:, None]]
        if self.classes is None:
            head += [f"value_{i}" for i in tasks]
        else:
            single = self.classes.ndim == 1
            head += (
                ["predicted"] if single else [f"predicted_{i}" for i in tasks]
            )
            head += [f"probability_{i}" for i in tasks]
            columns.append(self.classes[:, None] if single else self.classes)
        rows = zip(torch.cat(columns, 1).tolist(), self.probabilities.tolist())
        with Path(path).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(head)
            for left, right in rows:
                writer.writerow([*left, *(f"{value:.6g}" for value in right)])


def load_checkpoint(
    path: str | os.PathLike, device: str = "cpu"
) -> TrainedModel:
    """Load a trained model; nothing in the file is executed.

    Parameters
    ----------
    path : path-like
        The ``best.pt`` or ``last.pt`` of a run; of the latter, too, the
        weights that were scored: their running mean, where there is one.
    device : str, optional
        Where to put the model. Default: cpu.

    Returns
    -------
    TrainedModel
        The model and its recipe.

    Examples
    --------
    >>> trained = load_checkpoint("results/nci5k/001/seed_0/best.pt")
    >>> predictions = predict(trained)
    """
    content = read_checkpoint(path)
    try:
        recipe = check_recipe(content["recipe"], f"{path}: recipe")
        model = make_model(recipe, content["in_size"], content["num_classes"])
        model.load_state_dict(_scored_weights(content))
    except (KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise SignGTError(
            f"{path}: does not fit this version of dgl_signgt ({reason})"
        ) from error
    return TrainedModel(
        model.to(World(device).device).eval(),
        recipe,
        content["label_kind"],
        content["in_size"],
        content["num_classes"],
        content["seed"],
        content["fingerprint"],
    )


def _scored_weights(content: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The weights of a checkpoint by which its epoch was scored."""
    average = content.get("average")
    if average is None:
        return content["model"]
    start = "module."
    return {
        name.removeprefix(start): value
        for name, value in average.items()
        if name.startswith(start)
    }


def predict(
    trained: TrainedModel | str | os.PathLike,
    dataset: Any = None,
    batch_size: int = 256,
    indices: torch.Tensor | None = None,
) -> Predictions:
    """Predict the class of every node or graph.

    Parameters
    ----------
    trained : TrainedModel or path-like
        A model, or the checkpoint to load it from.
    dataset : NodeDataset or GraphDataset, optional
        The data. Default: what the model was trained on.
    batch_size : int, optional
        Graphs a batch. Default: 256.
    indices : torch.Tensor, optional
        Which nodes or graphs. Default: all.

    Returns
    -------
    Predictions
        Ids, classes and probabilities; ``.to_csv(path)`` writes them.
    """
    if not isinstance(trained, TrainedModel):
        trained = load_checkpoint(trained)
    dataset = _fitting(trained, dataset)
    model = trained.model
    device = next(model.parameters()).device
    if dataset.task == "node":
        count = dataset.graph.num_nodes()
    else:
        count = len(dataset)
    ids = torch.arange(count) if indices is None else torch.as_tensor(indices)
    everything = _Everything(ids)
    if dataset.task == "node":
        task: Any = NodeTask(dataset, everything, device)
    else:
        world = World(str(device))
        task = GraphTask(dataset, everything, world, 0, 1, batch_size)
    logits = task.logits(model, ids)
    values = to_probability(logits, trained.label_kind)
    classes = None
    if trained.label_kind == "multiclass":
        classes = values.argmax(1)
    elif trained.label_kind == "multilabel":
        classes = (values > 0.5).long()
    return Predictions(ids, classes, values)


def score(
    trained: TrainedModel | str | os.PathLike,
    dataset: Any = None,
    part: str = "test",
) -> float:
    """Score a model on a part of the split that it was trained with.

    Parameters
    ----------
    trained : TrainedModel or path-like
        A model, or the checkpoint to load it from.
    dataset : NodeDataset or GraphDataset, optional
        The data, if they are loaded already. Default: load what the model
        was trained on.
    part : str, optional
        ``"train"``, ``"val"`` or ``"test"``. Default: ``"test"``.

    Returns
    -------
    float
        The recipe's metric, computed as at the end of the training.

    Examples
    --------
    >>> round(score(load_pretrained("signgt_csbm_low")), 3)
    0.925
    """
    if part not in ("train", "val", "test"):
        raise SignGTError(
            f"part: {part!r} is not train, val or test"
            f"{nearest(part, ('train', 'val', 'test'))}"
        )
    if not isinstance(trained, TrainedModel):
        trained = load_checkpoint(trained)
    dataset = _fitting(trained, dataset)
    recipe, model = trained.recipe, trained.model
    split = recipe_split(recipe, dataset, trained.seed)
    world = World(str(next(model.parameters()).device))
    task = make_task(dataset, split, recipe, world, trained.seed)
    objective = make_objective(recipe, dataset, split)
    return evaluate(model, task, objective, getattr(split, part))[1]


def _fitting(trained: TrainedModel, dataset: Any) -> Any:
    """The given data, or those of the recipe, if the model can take them."""
    recipe = trained.recipe
    if dataset is None:
        dataset = load_data(recipe)
    if dataset.task != recipe.task:
        raise SignGTError(
            f"data: {dataset.name} has a {dataset.task} task, the checkpoint "
            f"a {recipe.task} task"
        )
    if dataset.in_size != trained.in_size:
        raise SignGTError(
            f"data: {dataset.name} has features of size {dataset.in_size}, "
            f"the checkpoint expects {trained.in_size}{_transforms(recipe)}"
        )
    names = [name for name, _ in check_transforms(recipe.data.transforms)]
    if "adjacency-pe" in names and dataset.fingerprint != trained.fingerprint:
        raise SignGTError(
            f"data: {dataset.name} is not the graph the checkpoint was trained "
            f"on, whose nodes its features name (transform adjacency-pe)"
        )
    return dataset


def _transforms(recipe: Any) -> str:
    """A hint at the transforms that the features had in training."""
    steps = recipe.data.transforms
    return f" (its data had the transforms {steps})" if steps else ""


@dataclass
class _Everything:
    """A split with all items in the training part, as tasks expect one."""

    train: torch.Tensor
