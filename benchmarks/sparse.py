"""Ways to multiply node features by powers of the normalised adjacency."""

from __future__ import annotations

import dgl
import torch

from benchmarks import shapes
from benchmarks.measure import best_times
from dgl_signgt.khop import khop_graph, khop_operator

__all__ = ["measure_kernels", "measure_routes"]


def random_graph(nodes: int, edges: int) -> dgl.DGLGraph:
    """Undirected, without loops or parallel edges."""
    generator = torch.Generator().manual_seed(0)
    ends = torch.randint(nodes, (2, 2 * edges), generator=generator)
    low, high = ends.min(0).values, ends.max(0).values
    codes = torch.unique((low * nodes + high)[low != high])
    order = torch.randperm(len(codes), generator=generator)[:edges]
    low, high = codes[order] // nodes, codes[order] % nodes
    return dgl.graph(
        (torch.cat([low, high]), torch.cat([high, low])), num_nodes=nodes
    )


def training_step(product, feat: torch.Tensor):
    """A forward and a backward pass through a product."""

    def run():
        out = product(feat)
        torch.autograd.grad(out.sum(), feat)

    return run


def measure_kernels(progress) -> list[dict]:
    """One product with the normalised adjacency, by kernel."""
    rows = []
    for name, (nodes, edges, size) in progress(shapes.SPARSE.items()):
        g = random_graph(nodes, edges)
        feat = torch.rand(nodes, size, requires_grad=True)
        looped = dgl.add_self_loop(g)
        norm = looped.in_degrees().float().rsqrt().unsqueeze(-1)

        def scaled(x, looped=looped, norm=norm):
            return norm * dgl.ops.copy_u_sum(looped, norm * x)

        kernels = {
            "csr": khop_operator(g, 1, kernel="csr"),
            "u_mul_e_sum": khop_operator(g, 1, kernel="dgl"),
            "copy_u_sum": scaled,
        }
        results = {key: kernel(feat) for key, kernel in kernels.items()}
        for result in results.values():
            torch.testing.assert_close(
                result, results["csr"], atol=1e-6, rtol=1e-5
            )
        times = best_times(
            {key: training_step(f, feat) for key, f in kernels.items()}, 2.0
        )
        rows.append({"case": f"{name}: {nodes} × {edges} × {size}", **times})
    return rows


def measure_routes(progress) -> list[dict]:
    """The k-th power: its own entries, or k products."""
    rows = []
    cases = [(name, k) for name in ("Cora", "Squirrel") for k in (2, 3)]
    for name, k in progress(cases):
        nodes, edges, size = shapes.SPARSE[name]
        g = random_graph(nodes, edges)
        feat = torch.rand(nodes, size, requires_grad=True)
        routes = {
            route: khop_operator(g, k, route)
            for route in ("weights", "products")
        }
        times = best_times(
            {key: training_step(f, feat) for key, f in routes.items()}, 2.0
        )
        entries = {
            route: khop_graph(g, k, route).num_edges() for route in routes
        }
        rows.append(
            {
                "case": f"{name}, k = {k}",
                **times,
                "entries_weights": entries["weights"],
                "multiplications_products": k * entries["products"],
                "auto": (
                    "products" if khop_operator(g, k).times > 1 else ("weights")
                ),
            }
        )
    return rows
