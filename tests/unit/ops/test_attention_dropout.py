"""Dropout of attention weights."""

from __future__ import annotations

import pytest
import torch
from attention_cases import prefix_mask, random_inputs

from dgl_signgt.ops import _buckets, signed_attention

pytestmark = pytest.mark.filterwarnings(
    "ignore:flex_attention called without torch.compile"
)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("kind", ["signed", "tanh"])
@pytest.mark.parametrize("backend", ["dense", "tiled"])
def test_gradcheck_with_dropout(backend, kind, masked):
    generator = torch.Generator().manual_seed(4)
    shape, options = (2, 1, 19, 3), {"dtype": torch.float64}
    q, k, v = (
        torch.randn(shape, generator=generator, **options).requires_grad_()
        for _ in range(3)
    )
    mask = prefix_mask([19, 4], 19) if masked else None

    def attend(*inputs):
        torch.manual_seed(0)
        return signed_attention(
            *inputs, mask, dropout=0.4, backend=backend, kind=kind
        )

    assert torch.autograd.gradcheck(attend, (q, k, v))


@pytest.mark.parametrize("backend", ["reference", "dense", "tiled"])
def test_dropout_acts_on_normalised_weights(backend):
    nodes, rate = 200, 0.25
    q, k, _, _ = random_inputs(1, 1, nodes, 4)
    identity = torch.eye(nodes, dtype=torch.float64)[None, None]
    full = signed_attention(q, k, identity, backend="reference")
    torch.manual_seed(1)
    once = signed_attention(q, k, identity, None, rate, backend=backend)
    torch.manual_seed(1)
    again = signed_attention(q, k, identity, None, rate, backend=backend)
    assert torch.equal(once, again)
    kept = once != 0
    torch.testing.assert_close(once[kept], full[kept] / (1 - rate))
    share = kept.sum() / (full != 0).sum()
    assert abs(float(share) - (1 - rate)) < 0.01
    dropped = signed_attention(q, k, identity, None, 1.0, backend=backend)
    assert torch.count_nonzero(dropped) == 0


@pytest.mark.parametrize("backend", ["dense", "tiled"])
def test_dropout_masks_differ_between_parts(backend, monkeypatch):
    """Tiles and blocks, heads and graphs: none repeats another's draw."""
    monkeypatch.setattr(_buckets, "_MOST_PAIRS", 1)
    ones = torch.ones(3, 2, 48, 16)
    out = signed_attention(
        ones, ones, torch.eye(48).expand(3, 2, -1, -1), None, 0.5,
        backend=backend,
    )  # fmt: skip
    kept = (out != 0).view(3 * 2 * 3, -1).double()
    correlation = torch.corrcoef(kept) - torch.eye(len(kept))
    assert correlation.abs().max() < 0.2
