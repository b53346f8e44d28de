"""Batches of graphs of like size, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch

__all__ = ["SizeBucketBatchSampler", "pair_share"]


class SizeBucketBatchSampler(torch.utils.data.Sampler[list[int]]):
    """Pool, sort by size, cut into batches, shuffle the batches.

    Attention on a batch computes ``len(batch) * max(size) ** 2`` pairs of
    nodes. Graphs are shuffled, gathered in pools of ``pool`` batches, sorted
    by size in each pool and cut, so that the graphs of a batch are of like
    size while batches still differ from epoch to epoch.

    Parameters
    ----------
    sizes : sequence of int
        Nodes of each graph; position is the index that is yielded.
    batch_size : int
        The most graphs in a batch.
    seed : int, optional
        Seed of all shuffles. Default: 0.
    shuffle : bool, optional
        Shuffle anew in every epoch; otherwise all graphs are one sorted
        pool. Default: True.
    pool : int, optional
        Batches a pool. Default: 16.
    max_pairs : int, optional
        The most padded pairs in a batch; a graph that alone exceeds it is a
        batch of its own. Default: no limit.
    drop_last : bool, optional
        Leave out, by lot, the graphs that would not fill a last batch, and
        the batches that do not suffice for all processes. Default: False.
    rank, world_size : int, optional
        This process and the number of processes. Each gets the same number
        of batches, and batches of like cost at the same step; a batch is
        split where their number does not fit, or, if all are of one graph,
        repeated. Default: 0, 1.

    Examples
    --------
    >>> sampler = SizeBucketBatchSampler([3, 9, 4, 8], batch_size=2)
    >>> sorted(sorted(batch) for batch in sampler)
    [[0, 2], [1, 3]]
    """

    def __init__(
        self,
        sizes: Sequence[int] | torch.Tensor,
        batch_size: int,
        seed: int = 0,
        shuffle: bool = True,
        pool: int = 16,
        max_pairs: int | None = None,
        drop_last: bool = False,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self.sizes = np.asarray(sizes, dtype=np.int64)
        for name, value in (
            ("batch_size", batch_size),
            ("pool", pool),
            ("world_size", world_size),
            ("max_pairs", 1 if max_pairs is None else max_pairs),
        ):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if not 0 <= rank < world_size:
            raise ValueError(
                f"rank must be from 0 to {world_size - 1}, got {rank}"
            )
        if len(self.sizes) < world_size and not drop_last:
            raise ValueError(
                f"{len(self.sizes)} graphs are too few for {world_size} "
                f"processes"
            )
        self.batch_size = batch_size
        self.seed = seed
        self.shuffle = shuffle
        self.pool = pool
        self.max_pairs = max_pairs
        self.drop_last = drop_last
        self.rank = rank
        self.world_size = world_size
        self.epoch = 0
        self._made: tuple[int, list[list[int]]] | None = None

    def set_epoch(self, epoch: int) -> None:
        """Choose the shuffle; the same seed and epoch give the same batches.

        Parameters
        ----------
        epoch : int
            Number of the epoch.
        """
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        yield from self._batches()

    def __len__(self) -> int:
        return len(self._batches())

    def _batches(self) -> list[list[int]]:
        if self._made is None or self._made[0] != self.epoch:
            self._made = (self.epoch, self._make())
        return self._made[1]

    def _make(self) -> list[list[int]]:
        rng = np.random.default_rng([self.seed, self.epoch])
        count = len(self.sizes)
        order = rng.permutation(count) if self.shuffle else np.arange(count)
        if self.drop_last:
            # Before sorting, so that no size of graph is favoured.
            count -= count % self.batch_size
            order = order[:count]
        span = self.batch_size * self.pool if self.shuffle else max(count, 1)
        batches: list[np.ndarray] = []
        for start in range(0, count, span):
            members = order[start : start + span]
            members = members[np.argsort(self.sizes[members], kind="stable")]
            batches.extend(self._cut(members))
        batches = self._share_out(batches, rng)
        return [batch.tolist() for batch in batches]

    def _cut(self, members: np.ndarray) -> list[np.ndarray]:
        """Cut one sorted pool, largest graphs first, within the budget."""
        members = members[::-1]
        batches = []
        start = 0
        while start < len(members):
            take = self.batch_size
            if self.max_pairs is not None:
                largest = int(self.sizes[members[start]])
                take = min(take, max(1, self.max_pairs // largest**2))
            batches.append(members[start : start + take])
            start += take
        return batches

    def _share_out(
        self, batches: list[np.ndarray], rng: np.random.Generator
    ) -> list[np.ndarray]:
        world = self.world_size
        if self.drop_last:
            extra = len(batches) % world
            if extra:
                keep = rng.permutation(len(batches))[extra:]
                batches = [batches[i] for i in np.sort(keep)]
        else:
            while len(batches) % world:
                # Splitting keeps every graph exactly once; only where all
                # batches are of one graph are some repeated.
                widest = max(range(len(batches)), key=lambda i: len(batches[i]))
                batch = batches[widest]
                if len(batch) == 1:
                    extra = -len(batches) % world
                    batches += batches[:extra]
                    break
                batches[widest] = batch[: len(batch) // 2]
                batches.append(batch[len(batch) // 2 :])
        cost = np.array([len(b) * int(self.sizes[b[0]]) ** 2 for b in batches])
        ranked = np.argsort(cost, kind="stable").reshape(-1, world)
        steps = (
            rng.permutation(len(ranked)) if self.shuffle else range(len(ranked))
        )
        chosen = []
        for step in steps:
            # The costliest of a step goes to another process each time.
            row = rng.permutation(world) if self.shuffle else np.arange(world)
            chosen.append(batches[ranked[step][row[self.rank]]])
        return chosen


def pair_share(
    sizes: Sequence[int] | torch.Tensor, batches: Iterable[Sequence[int]]
) -> float:
    """The share of the computed attention pairs that are not padding.

    Parameters
    ----------
    sizes : sequence of int
        Nodes of each graph.
    batches : iterable of sequence of int
        Indices of the graphs of each batch.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> pair_share([1, 2], [[0, 1]])
    0.625
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    real = computed = 0
    for batch in batches:
        members = sizes[np.asarray(batch)]
        real += int((members**2).sum())
        computed += len(members) * int(members.max()) ** 2
    return real / computed
