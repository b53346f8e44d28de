"""Node-level and graph-level tasks behind one small interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ..data import SizeBucketBatchSampler
from .world import World

__all__ = ["GraphTask", "NodeTask", "make_task"]


class NodeTask:
    """All nodes of one graph in one step.

    Parameters
    ----------
    dataset : NodeDataset
        Graph, features and labels.
    split : Split
        Which nodes train, validate and test.
    device : torch.device
        Where to compute.
    """

    def __init__(self, dataset: Any, split: Any, device: torch.device) -> None:
        self.split = split
        self.graph = dataset.graph.to(device)
        self.feat = dataset.feat.to(device)
        self.label = dataset.label.to(device)
        self.train = split.train.to(device)

    def steps(self, epoch: int) -> Iterator[tuple[Any, ...]]:
        """The training batches of ``epoch``: the whole graph, once."""
        yield self.graph, self.feat, self.label[self.train], self.train

    @torch.no_grad()
    def logits(
        self, model: torch.nn.Module, index: torch.Tensor
    ) -> torch.Tensor:
        """Outputs for the nodes in ``index``, in eval mode, on the CPU."""
        model.eval()
        return model(self.graph, self.feat).float().cpu()[index]

    def labels(self, index: torch.Tensor) -> torch.Tensor:
        """Labels of the nodes in ``index``, on the CPU."""
        return self.label.cpu()[index]


class GraphTask:
    """Batches of graphs.

    Parameters
    ----------
    dataset : GraphDataset
        Graphs and labels.
    split : Split
        Which graphs train, validate and test.
    world : World
        The processes that share each step.
    seed : int
        Seed of the order of the batches.
    train_batch_size, eval_batch_size : int
        Graphs a batch; that of training is shared by the processes.
    size_pool : int, optional
        Batches that are sorted by size together. Default: 1, a plain
        shuffle: the attention itself groups the graphs of a batch by size.
    max_pairs : int, optional
        The most padded pairs of nodes in a batch.
    """

    def __init__(
        self,
        dataset: Any,
        split: Any,
        world: World,
        seed: int,
        train_batch_size: int,
        eval_batch_size: int,
        size_pool: int = 1,
        max_pairs: int | None = None,
    ) -> None:
        self.dataset, self.split, self.world = dataset, split, world
        self.eval_batch_size, self.max_pairs = eval_batch_size, max_pairs
        self.sampler = SizeBucketBatchSampler(
            dataset.sizes[split.train],
            max(1, train_batch_size // world.size),
            seed=seed,
            pool=size_pool,
            max_pairs=max_pairs,
            rank=world.rank,
            world_size=world.size,
        )

    def steps(self, epoch: int) -> Iterator[tuple[Any, ...]]:
        """The training batches of ``epoch`` for this process."""
        self.sampler.set_epoch(epoch)
        device = self.world.device
        for batch in self.sampler:
            graph, label = self.dataset.batch(self.split.train[batch])
            graph = graph.to(device)
            yield graph, graph.ndata["feat"], label.to(device), None

    @torch.no_grad()
    def logits(
        self, model: torch.nn.Module, index: torch.Tensor
    ) -> torch.Tensor:
        """Outputs for the graphs in ``index``, in eval mode, on the CPU."""
        model.eval()
        world = self.world
        world.same_buffers(model)
        batches = SizeBucketBatchSampler(
            self.dataset.sizes[index],
            self.eval_batch_size,
            shuffle=False,
            max_pairs=self.max_pairs,
        )
        parts = []
        for number, batch in enumerate(batches):
            if number % world.size != world.rank:
                continue
            graph, _ = self.dataset.batch(index[batch])
            graph = graph.to(world.device)
            output = model(graph, graph.ndata["feat"]).float().cpu()
            parts.append((batch, output))
        result: torch.Tensor | None = None
        for share in world.gather(parts):
            for batch, output in share:
                if result is None:
                    result = output.new_empty(len(index), *output.shape[1:])
                result[batch] = output
        return result

    def labels(self, index: torch.Tensor) -> torch.Tensor:
        """Labels of the graphs in ``index``, on the CPU."""
        return self.dataset.label[index]


def make_task(
    dataset: Any, split: Any, recipe: Any, world: World, seed: int
) -> NodeTask | GraphTask:
    """The task that a recipe trains."""
    if dataset.task == "node":
        return NodeTask(dataset, split, world.device)
    cfg = recipe.general_pipeline
    return GraphTask(
        dataset,
        split,
        world,
        seed,
        cfg.train_batch_size,
        cfg.eval_batch_size,
        cfg.size_pool,
        cfg.max_pairs,
    )
