"""Inputs and measures that the tests of attention share."""

from __future__ import annotations

import torch

from dgl_signgt.ops import signed_attention

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
