"""What is particular to backends: types, memory, blocks, choice, errors."""

from __future__ import annotations

import copy
import platform
from types import SimpleNamespace

import pytest
import torch
from attention_cases import FAST, error, prefix_mask, random_inputs, run

from dgl_signgt.ops import (
    BACKENDS,
    _buckets,
    attention,
    choose_backend,
    signed_attention,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore:flex_attention called without torch.compile"
)


@pytest.mark.parametrize("backend", ["dense", "tiled", "flex", "auto"])
def test_bfloat16_and_autocast(backend):
    q, k, v, upper = random_inputs(1, 2, 40, 8, torch.float32)
    q[:, :, 20], k[:, :, 13] = 1.0, 1.0
    half = [x.bfloat16() for x in (q, k, v, upper)]
    exact = run("reference", "signed", [x.double() for x in half])
    found = run(backend, "signed", half)
    for result, truth in zip(found, exact, strict=True):
        assert result.dtype == torch.bfloat16
        # Tiles also round the products, the others the results alone.
        tiles = backend == "tiled"
        assert error(result, truth) < (2**-6 if tiles else 2**-7)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = signed_attention(q, k, v, backend=backend)
    plain = signed_attention(q, k, v, backend=backend)
    assert torch.equal(out, plain)


@pytest.mark.parametrize("size", [1.0, 30.0], ids=["calm", "shifted"])
@pytest.mark.parametrize("kind", ["signed", "tanh"])
def test_tiles_of_bfloat16_over_several_blocks(kind, size):
    """Products are rounded, but sums over many keys are not."""
    q, k, v, upper = random_inputs(1, 1, 1000, 16, torch.float32)
    k[:, :, 7] = 0.0  # scores of zero, whose sign must stay zero
    half = [x.bfloat16() for x in (q * size, k, v, upper)]
    exact = run("reference", kind, [x.double() for x in half])
    for result, truth in zip(run("tiled", kind, half), exact, strict=True):
        assert result.dtype == torch.bfloat16
        assert error(result, truth) < 2**-6
        wrong = (result.double() - truth).norm() / truth.norm()
        assert wrong < 0.02
    grad_k = run("tiled", "signed", half)[2]
    assert torch.equal(grad_k[:, :, 7], torch.zeros_like(grad_k[:, :, 7]))


def test_rounded_products_cancel_as_exact_ones_do():
    """Scores of one sign and values far from zero: dS is a difference."""
    q, k, v, upper = random_inputs(1, 1, 1000, 16, torch.float32)
    half = [x.bfloat16() for x in (q.abs(), k.abs(), v + 3, upper)]
    exact = run("reference", "signed", [x.double() for x in half])
    for result, truth in zip(run("tiled", "signed", half), exact, strict=True):
        wrong = (result.double() - truth).norm() / truth.norm()
        assert wrong < 0.02


def test_bfloat16_is_widened_where_its_products_are_slow(monkeypatch):
    inputs = [x.bfloat16() for x in random_inputs(1, 1, 50, 8, torch.float32)]
    monkeypatch.setattr(attention, "multiplies_bfloat16", lambda x: False)
    found = run("tiled", "signed", inputs)
    wide = run("tiled", "signed", [x.float() for x in inputs])
    for result, truth in zip(found, wide, strict=True):
        assert torch.equal(result, truth.bfloat16())


@pytest.mark.parametrize(
    ("machine", "torch_says", "avx512_bf16", "amx", "fast"),
    [
        # torch says yes of every processor with AVX-512.
        ("x86_64", True, False, False, False),
        ("x86_64", True, True, False, True),
        ("AMD64", True, False, True, True),
        ("x86_64", False, True, True, False),
        ("aarch64", True, False, False, True),
        ("aarch64", False, False, False, False),
        # An older torch lacks the tests, or knows nothing at all.
        ("x86_64", True, None, None, False),
        ("x86_64", True, None, True, True),
        ("aarch64", None, None, None, False),
    ],
)
def test_bfloat16_products_need_instructions(
    monkeypatch, machine, torch_says, avx512_bf16, amx, fast
):
    ops = SimpleNamespace()
    if torch_says is not None:
        ops._is_mkldnn_bf16_supported = lambda: torch_says
    monkeypatch.setattr(torch.ops, "mkldnn", ops)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    for name, has in (("avx512_bf16", avx512_bf16), ("amx_tile", amx)):
        name = f"_is_{name}_supported"
        monkeypatch.delattr(torch.cpu, name, raising=False)
        if has is not None:
            monkeypatch.setattr(
                torch.cpu, name, lambda has=has: has, raising=False
            )
    half = torch.zeros(1, dtype=torch.bfloat16)
    assert attention.multiplies_bfloat16(half) is fast
    assert not attention.multiplies_bfloat16(half.float())
    # What is no CPU has them.
    assert attention.multiplies_bfloat16(half.to("meta"))


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
