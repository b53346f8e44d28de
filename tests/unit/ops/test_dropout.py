"""Dropout from few random bits: rate, scale, gradient, repeatability."""

from __future__ import annotations

import pytest
import torch

from dgl_signgt.ops import dropout
from dgl_signgt.ops.dropout import draw_mask


@pytest.mark.parametrize("p", [0.0001, 0.1, 0.5, 0.9])
def test_rate_and_scale(p):
    torch.manual_seed(0)
    count = 1_000_001
    out = dropout(torch.ones(count), p)
    kept = out != 0
    share = float(kept.float().mean())
    assert abs(share - (1 - p)) < 5 * (p * (1 - p) / count) ** 0.5 + 2e-5
    assert torch.allclose(out[kept], torch.tensor(1 / (1 - p)), rtol=2e-4)


def test_neighbours_are_independent():
    """Four elements share one draw, but not its bits."""
    torch.manual_seed(0)
    kept = (dropout(torch.ones(400_000), 0.5) != 0).float().view(-1, 4)
    correlation = torch.corrcoef(kept.t()) - torch.eye(4)
    assert correlation.abs().max() < 0.02


def test_ends():
    x = torch.rand(7)
    assert dropout(x, 0.0) is x
    assert dropout(x, 0.5, training=False) is x
    assert torch.count_nonzero(dropout(x, 1.0)) == 0
    with pytest.raises(ValueError, match="from 0 to 1"):
        dropout(x, 1.5)


def test_gradient_has_the_same_mask():
    x = torch.rand(5, 7, dtype=torch.float64, requires_grad=True)
    out = dropout(x, 0.4)
    (grad,) = torch.autograd.grad(out.sum(), x)
    torch.testing.assert_close(grad * x, out)


def test_repeatable():
    x = torch.rand(1000)
    torch.manual_seed(3)
    first = dropout(x, 0.5)
    torch.manual_seed(3)
    assert torch.equal(dropout(x, 0.5), first)
    a = draw_mask(torch.empty(5, 3), 0.5, seed=1)
    b = draw_mask(torch.empty(5, 3), 0.5, seed=1)
    c = draw_mask(torch.empty(50, 3), 0.5, seed=2)
    assert torch.equal(a, b)
    assert set(c.unique().tolist()) == {0.0, 2.0}
