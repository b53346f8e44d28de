"""Signed attention against torch's SDPA (softmax) and the eager formula."""

from __future__ import annotations

import json
import sys

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from benchmarks import shapes
from benchmarks.measure import best_times, peak_memory, report_peak
from dgl_signgt.ops import signed_attention

__all__ = [
    "measure_attention",
    "measure_batches",
    "measure_crossing",
    "measure_growth",
    "measure_precision",
]

METHODS = ("sdpa", "signed", "eager")


def attend(method: str, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None):
    """One of the competitors on the same inputs."""
    if method == "sdpa":
        keys = None if mask is None else mask[:, None, None, :]
        return scaled_dot_product_attention(q, k, v, keys)
    backend = "auto" if method == "signed" else "reference"
    return signed_attention(q, k, v, mask, backend=backend)


def inputs(
    heads: int, size: int, sizes: list[int]
) -> tuple[list[Tensor], Tensor | None, Tensor]:
    """Queries, keys and values, the mask and an upper gradient."""
    generator = torch.Generator().manual_seed(0)
    nodes = max(sizes)
    shape = (len(sizes), heads, nodes, size)
    q, k, v, upper = (torch.randn(shape, generator=generator) for _ in range(4))
    mask = torch.arange(nodes)[None] < torch.tensor(sizes)[:, None]
    tensors = [x.requires_grad_() for x in (q, k, v)]
    return tensors, None if mask.all() else mask, upper


def compare(
    heads: int, size: int, sizes: list[int], methods: tuple[str, ...]
) -> dict[str, dict[str, float]]:
    """Seconds forward, seconds forward and backward, added megabytes."""
    tensors, mask, upper = inputs(heads, size, sizes)

    def forward(method: str):
        def run():
            with torch.no_grad():
                attend(method, *tensors, mask)

        return run

    def both(method: str):
        def run():
            out = attend(method, *tensors, mask)
            torch.autograd.grad(out, tensors, upper)

        return run

    once = best_times({name: forward(name) for name in methods})
    twice = best_times({name: both(name) for name in methods})
    case = {"heads": heads, "size": size, "sizes": sizes}
    return {
        name: {
            "forward_s": once[name],
            "forward_backward_s": twice[name],
            "added_mb": peak_memory(
                "benchmarks.attention", {**case, "method": name}
            ),
        }
        for name in methods
    }


def affordable(heads: int, nodes: int) -> tuple[str, ...]:
    """All methods, but for the eager one where it wants too much memory."""
    # The formula and its gradient hold about nine matrices at once.
    needed = 9 * 4 * heads * nodes**2
    return METHODS if needed < 12e9 else METHODS[:2]


def measure_attention(progress) -> list[dict]:
    """Whole graphs."""
    rows = []
    for heads, nodes, size in progress(shapes.ATTENTION):
        methods = affordable(heads, nodes)
        result = compare(heads, size, [nodes], methods)
        rows.append({"case": f"{heads} × {nodes} × {size}", **result})
    return rows


def measure_batches(progress) -> list[dict]:
    """Padded batches of small graphs."""
    rows = []
    for name, (heads, size, sizes) in progress(shapes.BATCHES.items()):
        result = compare(heads, size, sizes, METHODS)
        rows.append({"case": f"{name}, {heads} × {size}", **result})
    return rows


def measure_growth(progress) -> list[dict]:
    """One head of 64 on ever larger graphs."""
    rows = []
    for nodes in progress(shapes.GROWTH):
        result = compare(1, 64, [nodes], METHODS[:2])
        rows.append({"case": f"1 × {nodes} × 64", **result})
    return rows


def measure_crossing(progress) -> list[dict]:
    """The dense and the tiled backend on graphs of equal size."""
    rows = []
    for num_graphs, nodes in progress(shapes.CROSSING):
        tensors, _, upper = inputs(4, 32, [nodes] * num_graphs)

        def step(backend: str, tensors=tensors, upper=upper):
            def run():
                out = signed_attention(*tensors, backend=backend)
                torch.autograd.grad(out, tensors, upper)

            return run

        times = best_times({b: step(b) for b in ("dense", "tiled")}, 2.0)
        rows.append({"case": f"{num_graphs} × 4 × {nodes} × 32", **times})
    return rows


def measure_precision(progress) -> list[dict]:
    """Training steps with inputs of float32 and of bfloat16."""
    rows = []
    for heads, nodes, size in progress(shapes.PRECISION):
        tensors, _, upper = inputs(heads, size, [nodes])

        def step(method: str, dtype: torch.dtype, given=tensors, upper=upper):
            narrow = [x.detach().to(dtype).requires_grad_() for x in given]
            above = upper.to(dtype)

            def run():
                out = attend(method, *narrow, None)
                torch.autograd.grad(out, narrow, above)

            return run

        steps = {
            f"{method}_{name}": step(method, getattr(torch, name))
            for method in ("signed", "sdpa")
            for name in ("float32", "bfloat16")
        }
        case = f"{heads} × {nodes} × {size}"
        rows.append({"case": case, **best_times(steps)})
    return rows


def main() -> None:
    """Memory of one case, in this process alone."""
    case = json.loads(sys.argv[1])
    method = case.pop("method")
    small, mask, upper = inputs(1, 4, [8])
    torch.autograd.grad(attend(method, *small, mask), small, upper)
    tensors, mask, upper = inputs(**case)
    report_peak(
        lambda: torch.autograd.grad(
            attend(method, *tensors, mask), tensors, upper
        )
    )


if __name__ == "__main__":
    main()
