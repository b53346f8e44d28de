"""The way from flat nodes to a padded block and back."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from dgl_signgt.ops import PaddingIndex


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_round_trip(sizes):
    total = sum(sizes)
    feat = torch.arange(1.0, 2 * total + 1).reshape(total, 2)
    index = PaddingIndex(torch.tensor(sizes))
    block = index.pad(feat)
    assert block.shape == (len(sizes), max(sizes), 2)
    assert torch.equal(index.flatten(block), feat)
    start = 0
    for graph, size in enumerate(sizes):
        assert torch.equal(block[graph, :size], feat[start : start + size])
        assert torch.count_nonzero(block[graph, size:]) == 0
        start += size


def test_mask_is_true_where_real():
    index = PaddingIndex(torch.tensor([2, 3, 0]))
    assert index.mask.tolist() == [
        [True, True, False],
        [True, True, True],
        [False, False, False],
    ]


def test_nothing_is_copied_for_equal_sizes():
    index = PaddingIndex(torch.tensor([4]))
    feat = torch.rand(4, 3)
    assert index.mask is None
    assert index.pad(feat).data_ptr() == feat.data_ptr()


def test_gradient():
    index = PaddingIndex(torch.tensor([2, 1]))
    feat = torch.rand(3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda x: index.flatten(index.pad(x).exp()), (feat,)
    )
