"""The recipe: every key, its type, its bounds, its default, its meaning.

A recipe is dglgo's YAML shape. The blocks that depend on a name (the data
set's options, the model's, the optimiser's) are built from that thing's own
signature, so they cannot drift from the code.
"""

from __future__ import annotations

from typing import Any, ClassVar, Optional, Union

from pydantic import BaseModel, Field, validator
from pydantic.error_wrappers import ErrorWrapper, ValidationError

from .blocks import SplitBlock, data_block
from .fields import Strict, Text, choice, real, unknown_name, whole
from .metrics import LOSSES, METRICS
from .models import MODELS, model_block, model_names
from .optim import OPTIMIZERS, SCHEDULERS, optimizer_block, scheduler_block

__all__ = [
    "PIPELINES",
    "ApplyRecipe",
    "GraphRecipe",
    "NodeRecipe",
    "Recipe",
    "data_options",
    "named_block",
]


def named_block(value: Any, find: Any, names: list[str]) -> BaseModel:
    """Check a mapping with a ``name`` against the block of that name."""
    if isinstance(value, BaseModel):
        return value
    if not isinstance(value, dict):
        raise TypeError("must be a mapping with the key 'name'")
    name = value.get("name")
    try:
        block = find(name) if isinstance(name, str) else None
        if "name" not in value:
            raise ValueError("is missing; one of " + ", ".join(names))
        if block is None:
            raise ValueError(unknown_name(name, names))
    except ValueError as error:
        problem = ErrorWrapper(error, loc="name")
        raise ValidationError([problem], Strict) from error
    return block.parse_obj(value)


class EarlyStop(Strict):
    """When to stop before the last epoch."""

    patience: whole(1) = Field(
        50, description="Epochs without a better validation score to wait"
    )


class GeneralPipeline(Strict):
    """How to train; the same for both pipelines."""

    num_runs: whole(1, 10_000) = Field(
        1, description="Number of runs; run i has the seed seed + i"
    )
    seed: whole(0, 2**31 - 1 - 10_000) = Field(
        0, description="Seed of the first run"
    )
    num_epochs: whole(1, 1_000_000) = Field(200, description="Most epochs")
    eval_period: whole(1) = Field(
        1, description="Epochs between two evaluations"
    )
    early_stop: Optional[EarlyStop] = Field(
        EarlyStop(), description="null: train all epochs"
    )
    optimizer: Any = Field(
        {"name": "AdamW"}, description=f"One of {', '.join(OPTIMIZERS)}"
    )
    lr_scheduler: Any = Field(
        None, description=f"null, or one of {', '.join(SCHEDULERS)}"
    )
    warmup_epochs: whole(0) = Field(
        0, description="Epochs in which the learning rate grows to its value"
    )
    loss: choice("auto", *LOSSES) = Field(
        "auto", description="auto: by the kind of label"
    )
    metric: choice("auto", *METRICS) = Field(
        "auto",
        description=f"auto: by the kind of label; or {', '.join(METRICS)}",
    )
    class_weights: Union[choice("none", "balanced"), list[real(low=0)]] = Field(
        "none", description="none, balanced, or a list of weights"
    )
    grad_clip: Optional[real(above=0)] = Field(
        None, description="Largest norm of the gradient; null: any"
    )
    ema_decay: Optional[real(above=0, below=1)] = Field(
        None,
        description="Score and keep a running mean of the weights, which "
        "holds on to this share of itself at each step; null: the weights",
    )
    amp: choice("none", "bfloat16", "float16") = Field(
        "none", description="Mixed precision: none, bfloat16 or float16"
    )
    num_threads: Optional[whole(1, 1024)] = Field(
        None, description="Threads of torch on the CPU; null: torch's choice"
    )
    save_path: Text = Field(
        "results", description="Each training makes a new folder in here"
    )
    loggers: list[choice("tensorboard", "wandb")] = Field(
        [], description="Any of tensorboard, wandb"
    )

    @validator("optimizer", always=True, pre=True)
    def _optimizer(cls, value: Any) -> BaseModel:
        return named_block(value, optimizer_block, [*OPTIMIZERS])

    @validator("lr_scheduler", always=True, pre=True)
    def _scheduler(cls, value: Any) -> Optional[BaseModel]:
        if value is None:
            return None
        return named_block(value, scheduler_block, [*SCHEDULERS])


class GraphPipeline(GeneralPipeline):
    """How to train a graph-level task."""

    num_epochs: whole(1, 1_000_000) = Field(100, description="Most epochs")
    train_batch_size: whole(1, 1_000_000) = Field(
        128, description="Graphs a step, over all processes"
    )
    eval_batch_size: whole(1, 1_000_000) = Field(
        256, description="Graphs a batch in evaluation"
    )
    size_pool: whole(1, 1_000_000) = Field(
        1,
        description="Batches that are sorted by size together; 1 is a plain "
        "shuffle, more pad less but mix sizes less",
    )
    max_pairs: Optional[whole(1, 2**62)] = Field(
        None,
        description="Most padded node pairs a batch (bounds memory); "
        "null: any",
    )


class ApplyPipeline(Strict):
    """How to predict."""

    batch_size: whole(1, 1_000_000) = Field(
        256, description="Graphs a batch (graph-level tasks)"
    )
    save_path: Text = Field(
        "apply_results", description="Each use makes a new folder in here"
    )


class _Top(Strict):
    version: Optional[Text] = Field("0.0.2", description="dglgo's version")
    pipeline_name: str
    pipeline_mode: str
    device: Text = Field(
        "cpu", description="Torch device: cpu, cuda, cuda:0, or auto"
    )

    @validator("device")
    def _device(cls, value: str) -> str:
        kind, _, number = value.partition(":")
        if value not in ("cpu", "auto", "cuda") and not (
            kind == "cuda" and number.isascii() and number.isdigit()
        ):
            raise ValueError("must be cpu, cuda, cuda:N or auto")
        return value


class Recipe(_Top):
    """A checked recipe for training; see :class:`GraphRecipe`."""

    task: ClassVar[str]
    pipeline_mode: choice("train") = "train"
    data: Any = Field(...)
    model: Any = Field(...)
    search: Optional[dict[str, Any]] = Field(
        None, description="Search space of `python -m dgl_signgt search`"
    )

    @validator("data", pre=True)
    def _data(cls, value: Any) -> BaseModel:
        return _check_data(value, cls.task, split=True)

    @validator("model", pre=True)
    def _model(cls, value: Any) -> BaseModel:
        return named_block(
            value,
            lambda n: _find_model(n, cls.task),
            model_names(cls.task),
        )


class GraphRecipe(Recipe):
    """Train a graph-level task: ``signgt-graphpred``."""

    task: ClassVar[str] = "graph"
    pipeline_name: choice("signgt-graphpred") = "signgt-graphpred"
    general_pipeline: GraphPipeline = GraphPipeline()


class NodeRecipe(Recipe):
    """Train a node-level task: ``signgt-nodepred``."""

    task: ClassVar[str] = "node"
    pipeline_name: choice("signgt-nodepred") = "signgt-nodepred"
    general_pipeline: GeneralPipeline = GeneralPipeline()


PIPELINES: dict[str, type[Recipe]] = {
    "signgt-graphpred": GraphRecipe,
    "signgt-nodepred": NodeRecipe,
}


class ApplyRecipe(_Top):
    """Predict with a checkpoint."""

    pipeline_name: choice(*PIPELINES)
    pipeline_mode: choice("apply") = "apply"
    cpt_path: Text = Field(..., description="Checkpoint to load (best.pt)")
    data: Optional[Any] = Field(
        None, description="null: the data the checkpoint was trained on"
    )
    general_pipeline: ApplyPipeline = ApplyPipeline()

    @validator("data", pre=True)
    def _data(cls, value: Any, values: dict[str, Any]) -> Optional[BaseModel]:
        name = values.get("pipeline_name")
        if value is None or name is None:
            return None
        return _check_data(value, PIPELINES[name].task, split=False)


def _check_data(value: Any, task: str, split: bool) -> BaseModel:
    from ..data import dataset_names

    names = dataset_names(task)
    return named_block(value, lambda n: data_block(n, task, split), names)


def _find_model(name: str, task: str) -> type[BaseModel] | None:
    block = model_block(name, task)
    if block is None and name in MODELS:
        raise ValueError(
            f"{name} is for {' and '.join(MODELS[name].classes)} tasks only; "
            f"one of {', '.join(model_names(task))}"
        )
    return block


def data_options(data: BaseModel) -> dict[str, Any]:
    """The options of a ``data`` block that belong to the data set itself."""
    return data.dict(exclude={*SplitBlock.__fields__})
