"""Every backend against the oracle: values and gradients."""

from __future__ import annotations

import oracle
import pytest
import torch
from attention_cases import (
    CASES,
    TOLERANCE,
    error,
    prefix_mask,
    random_inputs,
    run,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from dgl_signgt.ops import signed_attention

pytestmark = pytest.mark.filterwarnings(
    "ignore:flex_attention called without torch.compile"
)


@pytest.mark.parametrize(("backend", "kind"), CASES)
def test_values_are_the_papers(backend, kind):
    q, k, v, _ = random_inputs(2, 2, 37, 5)
    found = signed_attention(q, k, v, backend=backend, kind=kind)
    for graph in range(2):
        for head in range(2):
            expected = oracle.attention(
                q[graph, head], k[graph, head], v[graph, head], kind
            )
            assert error(found[graph, head], expected) < 1e-12


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("masked", ["none", "prefix", "scattered"])
@pytest.mark.parametrize(("backend", "kind"), CASES[3:])
def test_backends_agree_with_reference(backend, kind, masked, dtype):
    nodes = 45
    inputs = random_inputs(3, 2, nodes, 6)
    mask = None
    if masked != "none":
        mask = prefix_mask([nodes, 20, 1], nodes)
    if masked == "scattered":
        order = torch.randperm(
            nodes, generator=torch.Generator().manual_seed(1)
        )
        mask = mask[:, order]
    expected = run("reference", kind, inputs, mask)
    found = run(backend, kind, inputs, mask, dtype)
    for result, truth in zip(found, expected, strict=True):
        assert result.dtype == dtype
        assert error(result, truth) < TOLERANCE[dtype]


@settings(max_examples=80, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=4),
    heads=st.integers(1, 3),
    size=st.integers(1, 9),
    spread=st.sampled_from([2.0**-10, 1.0, 32.0]),
    case=st.sampled_from(CASES[3:]),
    dtype=st.sampled_from([torch.float64, torch.float32]),
    seed=st.integers(0, 1000),
)
def test_property_agreement(sizes, heads, size, spread, case, dtype, seed):
    backend, kind = case
    nodes = max(1, *sizes)
    shape = (len(sizes), heads, nodes, size)
    generator = torch.Generator().manual_seed(seed)
    # Small whole numbers: their products are exact in either type, so that
    # no score near zero changes its sign by rounding. Many are zero.
    q, k = (
        torch.randint(-3, 4, shape, generator=generator).to(dtype)
        for _ in range(2)
    )
    v, upper = (torch.randn(shape, generator=generator) for _ in range(2))
    inputs = [spread * q, k, v.to(dtype), upper.to(dtype)]
    mask = prefix_mask(sizes, nodes)
    expected = run("reference", kind, inputs, mask, torch.float64)
    found = run(backend, kind, inputs, mask)
    # Where one weight is all but 1 the gradient of the scores is a
    # difference of equal numbers: its error is that of its terms.
    terms = float(spread * k.abs().max() * v.abs().max() * upper.abs().max())
    for result, truth in zip(found, expected, strict=True):
        assert torch.isfinite(result).all()
        scale = max(1.0, float(truth.abs().max()), terms)
        assert (result - truth).abs().max() <= TOLERANCE[dtype] * scale


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("backend", "kind"), CASES)
def test_gradcheck(backend, kind, masked):
    generator = torch.Generator().manual_seed(3)
    q, k, v = (
        torch.randn(
            2, 2, 5, 3, generator=generator, dtype=torch.float64
        ).requires_grad_()
        for _ in range(3)
    )
    mask = prefix_mask([5, 3], 5) if masked else None
    assert torch.autograd.gradcheck(
        lambda *x: signed_attention(*x, mask, backend=backend, kind=kind),
        (q, k, v),
    )
