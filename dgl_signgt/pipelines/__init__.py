"""SignGT's pipelines as dglgo sees them."""

from __future__ import annotations

from .apply import ApplyPipeline
from .train import TrainPipeline

__all__ = ["ApplyPipeline", "TrainPipeline", "register_pipelines"]


def register_pipelines() -> None:
    """Register both pipelines, and their use for prediction, with dglgo."""
    from dglgo.utils.factory import ApplyPipelineFactory, PipelineFactory

    for task in ("graph", "node"):
        name = f"signgt-{task}pred"
        PipelineFactory.registry[name] = TrainPipeline(task)
        ApplyPipelineFactory.registry[name] = ApplyPipeline(task)
