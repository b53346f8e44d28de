"""What must hold whatever the backend: padding, order, extremes, zeros."""

from __future__ import annotations

import oracle
import pytest
import torch
from attention_cases import CASES, FAST, prefix_mask, random_inputs, run

from dgl_signgt.ops import KINDS, attention_weights, signed_attention

pytestmark = pytest.mark.filterwarnings(
    "ignore:flex_attention called without torch.compile"
)


@pytest.mark.parametrize(("backend", "kind"), CASES)
def test_padding_changes_nothing(backend, kind):
    """A graph in a batch gives what it gives alone, whatever the padding."""
    sizes, nodes = [23, 7, 0, 1], 23
    q, k, v, _ = random_inputs(4, 2, nodes, 4)
    mask = prefix_mask(sizes, nodes)
    for x in (q, k, v):
        x.masked_fill_(~mask[:, None, :, None], float("nan"))
    if backend == "reference":  # the plain formula multiplies by zero
        q, k, v = (x.nan_to_num() for x in (q, k, v))
    out = signed_attention(q, k, v, mask, backend=backend, kind=kind)
    for graph, size in enumerate(sizes):
        assert torch.count_nonzero(out[graph, :, size:]) == 0
        if size == 0:
            continue
        alone = signed_attention(
            *(x[graph, :, :size] for x in (q, k, v)),
            backend=backend,
            kind=kind,
        )
        torch.testing.assert_close(out[graph, :, :size], alone)


@pytest.mark.parametrize("backend", ["reference", *FAST])
def test_padding_gets_no_gradient(backend):
    mask = prefix_mask([9, 4], 9)
    for kind in ("signed", "tanh"):
        if backend == "flex" and kind == "tanh":
            continue
        inputs = random_inputs(2, 1, 9, 3)
        for grad in run(backend, kind, inputs, mask)[1:]:
            assert torch.count_nonzero(grad[1, :, 4:]) == 0
            assert torch.count_nonzero(grad[1, :, :4]) > 0


@pytest.mark.parametrize(("backend", "kind"), CASES)
def test_permutation_equivariance(backend, kind):
    q, k, v, _ = random_inputs(1, 2, 40, 4)
    order = torch.randperm(40, generator=torch.Generator().manual_seed(2))
    out = signed_attention(q, k, v, backend=backend, kind=kind)
    moved = signed_attention(
        *(x[:, :, order] for x in (q, k, v)), backend=backend, kind=kind
    )
    torch.testing.assert_close(moved, out[:, :, order])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("backend", ["reference", *FAST])
def test_extreme_scores_stay_finite(backend, dtype):
    # Scores of +-1e4 and 0; the largest take all, half each.
    q = torch.tensor([1e4, -1e4, 0.0, 1e-4], dtype=dtype).reshape(1, 1, 4, 1)
    k = torch.tensor([1.0, -1.0, 0.0, 0.5], dtype=dtype).reshape(1, 1, 4, 1)
    v = torch.tensor([1.0, 3.0, 7.0, 5.0], dtype=dtype).reshape(1, 1, 4, 1)
    results = run(backend, "signed", [q, k, v, torch.ones_like(v)])
    assert all(torch.isfinite(x).all() for x in results)
    out = results[0].flatten()
    torch.testing.assert_close(
        out[:3], torch.tensor([-1.0, 1.0, 0.0], dtype=dtype)
    )


@pytest.mark.parametrize("backend", ["reference", *FAST])
def test_sign_of_zero_is_zero_but_counts_below_the_line(backend):
    q = torch.tensor([[[1.0]]], dtype=torch.float64)
    q = torch.cat([q, q], dim=1)
    k = torch.tensor([[[2.0], [0.0]]], dtype=torch.float64)
    v = torch.tensor([[[1.0], [100.0]]], dtype=torch.float64)
    out = signed_attention(q, k, v, backend=backend)
    share = torch.exp(torch.tensor(2.0, dtype=torch.float64))
    torch.testing.assert_close(out.flatten(), (share / (share + 1)).expand(2))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("backend", ["reference", *FAST])
def test_orthogonal_vectors_have_weight_zero(backend, dtype):
    """Their product is exactly zero, and no rounding gives it a sign."""
    generator = torch.Generator().manual_seed(0)
    shape = (2, 2, 40, 7)  # 1 / sqrt(7) is not a short number
    q, k = (
        torch.randint(-2, 3, shape, generator=generator).to(dtype)
        for _ in range(2)
    )
    values = torch.eye(40, dtype=dtype).expand(2, 2, -1, -1)
    weights = signed_attention(q, k, values, backend=backend)
    orthogonal = (q @ k.transpose(-1, -2)) == 0
    assert orthogonal.sum() > 100
    # FlexAttention's two halves cancel up to rounding.
    nothing = 4 * torch.finfo(dtype).eps if backend == "flex" else 0.0
    assert torch.equal(weights.abs() <= nothing, orthogonal)


def test_row_sums_of_absolute_weights_are_one():
    q, k, _, _ = random_inputs(1, 3, 30, 4)
    q[:, :, 15] = 1.0
    k[:, :, 10] = 1.0
    weights = attention_weights(q[0], k[0], torch.arange(30))
    torch.testing.assert_close(
        weights.abs().sum(-1), torch.ones(3, 30, dtype=torch.float64)
    )
    assert (weights < 0).any()


@pytest.mark.parametrize("kind", KINDS)
def test_attention_weights_are_rows_of_the_oracle(kind):
    q, k, _, _ = random_inputs(1, 2, 21, 4)
    rows = torch.tensor([20, 0, 7])
    found = attention_weights(q[0], k[0], rows, kind=kind)
    for head in range(2):
        full = torch.tensor(
            oracle.weights(q[0, head], k[0, head], kind), dtype=torch.float64
        )
        torch.testing.assert_close(found[head], full[rows])
    mask = torch.arange(21) < 9
    masked = attention_weights(q[0], k[0], rows, mask, kind=kind)
    alone = attention_weights(
        q[0, :, :9], k[0, :, :9], torch.tensor([0, 7]), kind=kind
    )
    torch.testing.assert_close(masked[:, 1:, :9], alone)
    assert torch.count_nonzero(masked[:, 0]) == 0
    assert torch.count_nonzero(masked[:, :, 9:]) == 0
