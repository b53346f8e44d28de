"""Every backend against the oracle: values, gradients, padding, extremes."""

from __future__ import annotations

import copy

import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dgl_signgt.ops import (
    BACKENDS,
    KINDS,
    _buckets,
    _tiles,
    attention_weights,
    choose_backend,
    signed_attention,
)

FAST = ("dense", "tiled", "flex")
# Which kinds a backend computes by itself (softmax is torch's own).
CASES = [
    ("reference", "signed"),
    ("reference", "softmax"),
    ("reference", "tanh"),
    ("dense", "signed"),
    ("dense", "tanh"),
    ("tiled", "signed"),
    ("tiled", "tanh"),
    ("flex", "signed"),
    ("auto", "softmax"),
]
TOLERANCE = {torch.float64: 1e-10, torch.float32: 2e-5}

pytestmark = pytest.mark.filterwarnings(
    "ignore:flex_attention called without torch.compile"
)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Tiles of 16 rows, so that small tests cross their borders."""
    monkeypatch.setattr(_tiles, "_TILE_BYTES", 1)


def random_inputs(batch, heads, nodes, size, dtype=torch.float64, seed=0):
    """Queries, keys, values and an upper gradient, with exact zeros."""
    generator = torch.Generator().manual_seed(seed)
    shape = (4, batch, heads, nodes, size)
    q, k, v, upper = torch.randn(
        shape, generator=generator, dtype=torch.float64
    ).unbind(0)
    q[:, :, nodes // 2] = 0.0
    k[:, :, nodes // 3] = 0.0
    return [x.to(dtype) for x in (q, k, v, upper)]


def prefix_mask(sizes, nodes):
    return torch.arange(nodes)[None] < torch.tensor(sizes)[:, None]


def run(backend, kind, inputs, mask=None, dtype=None):
    """Output and gradients of one backend."""
    q, k, v, upper = (x.to(dtype or x.dtype) for x in inputs)
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    out = signed_attention(q, k, v, mask, backend=backend, kind=kind)
    return [out.detach(), *torch.autograd.grad(out, (q, k, v), upper)]


def error(found, expected):
    """Largest difference, relative to the scale of what is expected."""
    scale = expected.abs().max().clamp(min=1e-30)
    return float((found.double() - expected.double()).abs().max() / scale)


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


@pytest.mark.parametrize("backend", ["dense", "tiled", "flex", "auto"])
def test_bfloat16_and_autocast(backend):
    q, k, v, upper = random_inputs(1, 2, 40, 8, torch.float32)
    q[:, :, 20], k[:, :, 13] = 1.0, 1.0
    half = [x.bfloat16() for x in (q, k, v, upper)]
    exact = run("reference", "signed", [x.double() for x in half])
    found = run(backend, "signed", half)
    for result, truth in zip(found, exact, strict=True):
        assert result.dtype == torch.bfloat16
        assert error(result, truth) < 2**-7
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = signed_attention(q, k, v, backend=backend)
    plain = signed_attention(q, k, v, backend=backend)
    assert torch.equal(out, plain)


@pytest.mark.parametrize("backend", ["reference", *FAST])
def test_no_grad(backend):
    q, k, v, _ = random_inputs(1, 1, 33, 4)
    with torch.no_grad():
        out = signed_attention(q.requires_grad_(), k, v, backend=backend)
    assert not out.requires_grad
    torch.testing.assert_close(
        out, signed_attention(q.detach(), k, v, backend="reference")
    )


def test_tiles_keep_no_square_matrix():
    """Autograd holds four (N, d) tensors, nothing of N x N."""
    nodes = 300
    q, k, v, _ = random_inputs(1, 1, nodes, 4, torch.float32)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: kept.append(x.numel()) or x, lambda x: x
    ):
        signed_attention(q.requires_grad_(), k, v, backend="tiled")
    assert kept
    assert max(kept) <= nodes * 4


def test_dense_keeps_one_square_matrix():
    nodes = 64
    q, k, v, _ = random_inputs(2, 3, nodes, 4, torch.float32)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: kept.append(x.numel()) or x, lambda x: x
    ):
        signed_attention(q.requires_grad_(), k, v, backend="dense")
    assert sum(size >= 6 * nodes * nodes for size in kept) == 1


def test_one_graph_without_batch_dimension():
    q, k, v, _ = random_inputs(1, 2, 9, 4)
    torch.testing.assert_close(
        signed_attention(q[0], k[0], v[0]), signed_attention(q, k, v)[0]
    )
    mask = torch.arange(9) < 5
    torch.testing.assert_close(
        signed_attention(q[0], k[0], v[0], mask),
        signed_attention(q, k, v, mask[None])[0],
    )


def test_values_may_have_another_size():
    q, k, v, _ = random_inputs(2, 2, 20, 4)
    wide = torch.cat([v, v, v], dim=-1)
    for backend in ("reference", *FAST):
        out = signed_attention(q, k, wide, backend=backend)
        assert out.shape == wide.shape
        once = signed_attention(q, k, v, backend="reference")
        torch.testing.assert_close(out[..., 4:8], once)


def test_scale():
    q, k, v, _ = random_inputs(1, 1, 20, 4)
    for backend in ("reference", *FAST):
        found = signed_attention(q, k, v, scale=2.0, backend=backend)
        expected = signed_attention(4.0 * q, k, v)
        torch.testing.assert_close(found, expected)


def test_blocks_are_found_anew_when_the_mask_changes():
    q, k, v, _ = random_inputs(3, 2, 12, 4)
    mask = prefix_mask([12, 5, 3], 12)
    signed_attention(q, k, v, mask, backend="dense")
    for changed in (mask, copy.deepcopy(mask)):
        changed[1, 5:9] = True
        found = signed_attention(q, k, v, changed, backend="dense")
        expected = signed_attention(q, k, v, changed, backend="reference")
        torch.testing.assert_close(found, expected)
    with torch.inference_mode():
        mask = prefix_mask([12, 5, 3], 12)
        signed_attention(q, k, v, mask, backend="dense")
        mask[1, 5:9] = True
        found = signed_attention(q, k, v, mask, backend="dense")
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("backend", ["dense", "tiled"])
def test_a_mask_changed_before_backward(backend):
    """Right gradients or an error, never wrong ones."""
    q, k, v, upper = random_inputs(2, 1, 9, 3)
    mask = prefix_mask([9, 4], 9)
    expected = run("reference", "signed", [q, k, v, upper], mask.clone())[1]
    out = signed_attention(q.requires_grad_(), k, v, mask, backend=backend)
    mask[1] = True
    try:
        (grad,) = torch.autograd.grad(out, q, upper)
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
    else:
        torch.testing.assert_close(grad, expected)


def test_blocks_compute_few_padded_pairs():
    """Of a skewed batch, most pairs that are computed are real."""
    sizes = [8] * 40 + [20] * 60 + [30] * 20 + [60] * 6 + [111]
    blocks = _buckets.buckets(prefix_mask(sizes, 111), (127, 4, 111, 8))
    computed = sum(len(block.graphs) * block.size**2 for block in blocks)
    real = sum(size**2 for size in sizes)
    assert sum(len(block.graphs) for block in blocks) == len(sizes)
    assert real / computed > 0.8
    assert len(blocks) < 8


def test_auto_is_a_table():
    assert choose_backend("cpu", 111) == "dense"
    assert choose_backend("cpu", 19717) == "tiled"
    assert choose_backend("cuda", 111) == "dense"
    assert choose_backend("mps", 10**6) in BACKENDS


def test_empty_input():
    empty = torch.zeros(0, 2, 5, 3)
    assert signed_attention(empty, empty, empty).shape == (0, 2, 5, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "sined"}, "kind must be one of"),
        ({"backend": "tile"}, "backend must be one of"),
        ({"dropout": 1.5}, "dropout must be from 0 to 1"),
        ({"k": torch.zeros(1, 1, 4, 3)}, "same shape"),
        ({"v": torch.zeros(1, 1, 4, 2)}, "v must have the shape"),
        ({"mask": torch.ones(1, 5)}, "mask must be boolean"),
        ({"mask": torch.ones(5, dtype=torch.bool)}, "mask must be boolean"),
        ({"backend": "flex", "dropout": 0.1}, "without dropout"),
        ({"q": torch.zeros(1, 1, 5, 2).double()}, "one floating-point type"),
        (dict.fromkeys("qkv", torch.zeros(1, 1, 5, 2).int()), "floating-point"),
        (dict.fromkeys("qkv", torch.zeros(1, 1, 5, 0)), "no features"),
    ],
)
def test_bad_arguments(change, message):
    arguments = {name: torch.zeros(1, 1, 5, 2) for name in "qkv"}
    with pytest.raises(ValueError, match=message):
        signed_attention(**{**arguments, **change})
