"""The powers of the normalised adjacency against dense matrices."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dgl_signgt.ops import khop_weights, normalized_adjacency
from dgl_signgt.ops.csr import csr_tensor
from dgl_signgt.ops.propagation import propagate


def dense_adjacency(src, dst, num_nodes, symmetric=True):
    """D^-1/2 (A + I) D^-1/2, entry by entry."""
    adjacency = torch.eye(num_nodes, dtype=torch.float64)
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        adjacency[v, u] = 1.0
        if symmetric:
            adjacency[u, v] = 1.0
    degree = adjacency.sum(1)
    return adjacency / torch.sqrt(degree[:, None] * degree[None, :])


def to_dense(row, col, weight, num_nodes):
    dense = torch.zeros(num_nodes, num_nodes, dtype=weight.dtype)
    dense[row, col] = weight
    return dense


@st.composite
def edges(draw):
    num_nodes = draw(st.integers(1, 12))
    node = st.integers(0, num_nodes - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=30))
    src = torch.tensor([u for u, _ in pairs], dtype=torch.int64)
    dst = torch.tensor([v for _, v in pairs], dtype=torch.int64)
    return src, dst, num_nodes


@settings(max_examples=60, deadline=None)
@given(
    graph=edges(),
    k=st.integers(0, 5),
    route=st.sampled_from(["auto", "weights", "products"]),
    symmetric=st.booleans(),
)
def test_power(graph, k, route, symmetric):
    src, dst, num_nodes = graph
    *entries, times = khop_weights(
        src, dst, num_nodes, k, route, symmetric, torch.float64
    )
    base = dense_adjacency(src, dst, num_nodes, symmetric)
    expected = torch.linalg.matrix_power(base, k)
    found = torch.linalg.matrix_power(to_dense(*entries, num_nodes), times)
    torch.testing.assert_close(found, expected, atol=1e-12, rtol=1e-12)
    assert times == {"weights": min(k, 1), "products": k}.get(route, times)


@given(graph=edges())
def test_entries_are_sorted_and_unique(graph):
    src, dst, num_nodes = graph
    row, col, _ = normalized_adjacency(src, dst, num_nodes)
    codes = row * num_nodes + col
    assert torch.equal(codes, torch.unique(codes))


def test_loops_and_parallel_edges_count_once():
    plain = normalized_adjacency(torch.tensor([0]), torch.tensor([1]), 3)
    messy = normalized_adjacency(
        torch.tensor([0, 0, 1, 1, 2]), torch.tensor([1, 1, 0, 1, 2]), 3
    )
    for a, b in zip(plain, messy, strict=True):
        assert torch.equal(a, b)


def test_isolated_node_keeps_its_value():
    row, col, weight = normalized_adjacency(
        torch.tensor([0]), torch.tensor([1]), 3
    )
    assert weight[(row == 2) & (col == 2)].tolist() == [1.0]


def test_auto_counts_entries():
    # A star: its square is full, 26 ** 2 entries; twice 76 is less.
    hub, leaves = torch.zeros(25, dtype=torch.int64), torch.arange(1, 26)
    row, _, _, times = khop_weights(hub, leaves, 26, 2)
    assert (row.numel(), times) == (76, 2)
    # A triangle: its square has no more entries than itself.
    src, dst = torch.tensor([0, 1, 2]), torch.tensor([1, 2, 0])
    row, _, _, times = khop_weights(src, dst, 3, 2)
    assert (row.numel(), times) == (9, 1)


@pytest.mark.parametrize("k", [-1, 1.5, True])
def test_bad_k(k):
    with pytest.raises(ValueError, match="k must be a whole number"):
        khop_weights(torch.tensor([0]), torch.tensor([0]), 1, k)


def test_bad_route():
    with pytest.raises(ValueError, match="route must be one of"):
        khop_weights(torch.tensor([0]), torch.tensor([0]), 1, 1, "fast")


def test_propagate_gradient_of_an_asymmetric_matrix():
    dense = torch.tensor([[0.0, 2.0], [3.0, 1.0]], dtype=torch.float64)
    parts = dense.to_sparse_csr()
    matrix = csr_tensor(
        parts.crow_indices(), parts.col_indices(), parts.values(), (2, 2)
    )
    parts = dense.t().contiguous().to_sparse_csr()
    transposed = csr_tensor(
        parts.crow_indices(), parts.col_indices(), parts.values(), (2, 2)
    )
    feat = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda x: propagate(x, matrix, transposed, 3), (feat,)
    )
    torch.testing.assert_close(
        propagate(feat, matrix, transposed, 3),
        dense @ dense @ dense @ feat,
    )
