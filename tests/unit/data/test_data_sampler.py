"""Batches of like size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgl_signgt.data import SizeBucketBatchSampler, pair_share


@settings(max_examples=80, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 60), min_size=8, max_size=120),
    batch_size=st.integers(1, 16),
    world=st.integers(1, 4),
    max_pairs=st.one_of(st.none(), st.integers(1, 20_000)),
    shuffle=st.booleans(),
)
def test_every_graph_once_within_the_budget(
    sizes, batch_size, world, max_pairs, shuffle
):
    ranks = []
    for rank in range(world):
        sampler = SizeBucketBatchSampler(
            sizes,
            batch_size,
            shuffle=shuffle,
            pool=3,
            max_pairs=max_pairs,
            rank=rank,
            world_size=world,
        )
        batches = [*sampler]
        assert len(sampler) == len(batches)
        ranks.append(batches)
    assert len({len(batches) for batches in ranks}) == 1
    seen = [i for batches in ranks for batch in batches for i in batch]
    assert set(seen) == set(range(len(sizes)))
    if any(len(batch) > 1 for batches in ranks for batch in batches):
        assert len(seen) == len(sizes)
    else:
        assert len(seen) < len(sizes) + world
    for batch in (batch for batches in ranks for batch in batches):
        assert 1 <= len(batch) <= batch_size
        if max_pairs is not None and len(batch) > 1:
            largest = max(sizes[i] for i in batch)
            assert len(batch) * largest**2 <= max_pairs


def test_same_seed_and_epoch_same_batches():
    sizes = np.random.default_rng(0).integers(5, 80, 500)
    one = SizeBucketBatchSampler(sizes, 16, seed=5)
    other = SizeBucketBatchSampler(sizes, 16, seed=5)
    assert [*one] == [*other]
    one.set_epoch(1)
    assert [*one] != [*other]
    other.set_epoch(1)
    assert [*one] == [*other]
    assert [*SizeBucketBatchSampler(sizes, 16, seed=6)] != [
        *SizeBucketBatchSampler(sizes, 16, seed=5)
    ]


def test_drop_last_leaves_only_full_batches_and_no_size_out():
    sizes = list(range(1, 104))
    left_out = set()
    for seed in range(20):
        sampler = SizeBucketBatchSampler(sizes, 10, seed=seed, drop_last=True)
        batches = [*sampler]
        assert {len(b) for b in batches} == {10}
        assert len(batches) == 10
        left_out |= set(range(103)) - {i for b in batches for i in b}
    assert max(left_out) > 80
    assert min(left_out) < 20


def test_drop_last_gives_processes_equal_shares():
    shares = [
        len(
            SizeBucketBatchSampler(
                [5] * 70, 10, drop_last=True, rank=r, world_size=3
            )
        )
        for r in range(3)
    ]
    assert shares == [2, 2, 2]


def test_processes_work_on_batches_of_like_cost():
    sizes = np.random.default_rng(1).integers(5, 200, 2000)
    ranks = [
        [*SizeBucketBatchSampler(sizes, 20, rank=r, world_size=2)]
        for r in range(2)
    ]
    costs = np.array(
        [[len(b) * sizes[b].max() ** 2 for b in rank] for rank in ranks]
    )
    # Each step waits for the slower process.
    waited = costs.max(axis=0).sum() / costs.mean(axis=0).sum()
    assert waited < 1.1


def test_sorting_saves_padding():
    sizes = np.random.default_rng(2).integers(5, 100, 4000)
    chance = np.random.default_rng(0).permutation(4000).reshape(-1, 100)
    assert pair_share(sizes, chance) < 0.5
    assert pair_share(sizes, SizeBucketBatchSampler(sizes, 100)) > 0.8


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"batch_size": 2, "max_pairs": 0}, "max_pairs must be at least 1"),
        ({"batch_size": 2, "rank": 2, "world_size": 2}, "from 0 to 1"),
        ({"batch_size": 2, "world_size": 9}, "too few for 9 processes"),
    ],
)
def test_wrong_arguments(options, said):
    with pytest.raises(ValueError, match=said):
        SizeBucketBatchSampler([1, 2, 3], **options)
