"""k-hop weights that travel with a graph."""

from __future__ import annotations

import copy
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import dgl
import pytest
import torch

from dgl_signgt.khop import (
    KHOP_WEIGHT,
    is_khop_graph,
    khop_graph,
    khop_operator,
)


def random_graph(num_nodes, num_edges, seed):
    generator = torch.Generator().manual_seed(seed)
    ends = torch.randint(num_nodes, (2, num_edges), generator=generator)
    return dgl.graph((ends[0], ends[1]), num_nodes=num_nodes)


def dense_power(g, k):
    adjacency = torch.eye(g.num_nodes(), dtype=torch.float64)
    src, dst = g.edges()
    adjacency[src, dst] = 1.0
    adjacency[dst, src] = 1.0
    scale = adjacency.sum(1).rsqrt()
    return torch.linalg.matrix_power(
        scale[:, None] * adjacency * scale[None, :], k
    )


@pytest.mark.parametrize("kernel", ["csr", "dgl"])
@pytest.mark.parametrize("route", ["weights", "products", "auto"])
@pytest.mark.parametrize("k", [0, 1, 2, 4])
def test_operator_is_the_power(k, route, kernel):
    g = random_graph(20, 35, seed=k)
    feat = torch.rand(20, 3, dtype=torch.float64, requires_grad=True)
    upper = torch.rand(20, 3, dtype=torch.float64)
    out = khop_operator(g, k, route, torch.float64, kernel)(feat)
    power = dense_power(g, k)
    torch.testing.assert_close(out, power @ feat)
    (grad,) = torch.autograd.grad(out, feat, upper)
    torch.testing.assert_close(grad, power.t() @ upper)


def test_kernels_agree_in_float32():
    g = random_graph(300, 2000, seed=0)
    feat = torch.rand(300, 16)
    csr = khop_operator(g, 3, kernel="csr")(feat)
    messages = khop_operator(g, 3, kernel="dgl")(feat)
    torch.testing.assert_close(csr, messages, atol=1e-6, rtol=1e-6)


def test_survives_batch_and_unbatch():
    graphs = [random_graph(6, 9, 0), random_graph(3, 2, 1)]
    khops = [khop_graph(g, 2, route="weights") for g in graphs]
    batch = dgl.batch(khops)
    assert is_khop_graph(batch)
    feat = torch.rand(9, 4)
    out = khop_operator(batch, 2)(feat)
    expected = khop_operator(dgl.batch(graphs), 2)(feat)
    torch.testing.assert_close(out, expected)
    first, second = dgl.unbatch(batch)
    torch.testing.assert_close(khop_operator(first, 2)(feat[:6]), out[:6])
    torch.testing.assert_close(khop_operator(second, 2)(feat[6:]), out[6:])


def test_survives_saving(tmp_path):
    g = khop_graph(random_graph(6, 9, 0), 3)
    dgl.save_graphs(str(tmp_path / "g.bin"), [g])
    (loaded,), _ = dgl.load_graphs(str(tmp_path / "g.bin"))
    feat = torch.rand(6, 2)
    torch.testing.assert_close(
        khop_operator(loaded, 3)(feat), khop_operator(g, 3)(feat)
    )


def test_batched_input_keeps_batch_and_node_data():
    batch = dgl.batch([random_graph(6, 9, 0), random_graph(3, 2, 1)])
    batch.ndata["feat"] = torch.rand(9, 2)
    out = khop_graph(batch, 2, route="weights")
    assert out.batch_num_nodes().tolist() == [6, 3]
    assert int(out.batch_num_edges().sum()) == out.num_edges()
    assert torch.equal(out.ndata["feat"], batch.ndata["feat"])
    one, _ = dgl.unbatch(out)
    alone = khop_graph(random_graph(6, 9, 0), 2, route="weights")
    torch.testing.assert_close(one.edata[KHOP_WEIGHT], alone.edata[KHOP_WEIGHT])


def test_computed_once_and_again_after_a_change():
    g = random_graph(6, 9, 0)
    first = khop_operator(g, 2)
    assert khop_operator(g, 2) is first
    assert khop_operator(g, 3) is not first
    g.add_edges([0], [5])
    changed = khop_operator(g, 2)
    assert changed is not first
    feat = torch.eye(6, dtype=torch.float64)
    torch.testing.assert_close(
        khop_operator(g, 2, dtype=torch.float64)(feat), dense_power(g, 2)
    )


def test_wrong_order_is_said():
    g = khop_graph(random_graph(6, 9, 0), 2)
    with pytest.raises(ValueError, match="2 hops, but the model has k = 3"):
        khop_operator(g, 3)


@pytest.mark.parametrize("kernel", ["csr", "dgl"])
def test_routes_may_differ_within_a_batch(kernel):
    graphs = [random_graph(n, 2 * n, seed=n) for n in (6, 9, 4)]
    routes = ("weights", "products", "weights")
    batch = dgl.batch(
        [
            khop_graph(g, 3, route=route, dtype=torch.float64)
            for g, route in zip(graphs, routes, strict=True)
        ]
    )
    feat = torch.rand(19, 2, dtype=torch.float64)
    out = khop_operator(batch, 3, dtype=torch.float64, kernel=kernel)(feat)
    expected = dense_power(dgl.batch(graphs), 3) @ feat
    torch.testing.assert_close(out, expected)


def test_mixed_orders_are_said():
    graphs = [khop_graph(random_graph(6, 9, 0), k) for k in (1, 2)]
    with pytest.raises(ValueError, match="mixes k-hop graphs of different k"):
        khop_operator(dgl.batch(graphs), 2)


def test_a_khop_graph_is_not_taken_for_a_raw_one():
    with pytest.raises(ValueError, match="carries k-hop weights already"):
        khop_graph(khop_graph(random_graph(6, 9, 0), 2), 2)


def test_changed_weights_are_seen():
    g = khop_graph(random_graph(6, 9, 0), 2)
    feat = torch.rand(6, 2)
    before = khop_operator(g, 2)(feat)
    g.edata[KHOP_WEIGHT] = 2 * g.edata[KHOP_WEIGHT]
    after = khop_operator(g, 2)(feat)
    times = int(g.ndata["khop_times"][0])
    torch.testing.assert_close(after, 2**times * before)
    g.edata[KHOP_WEIGHT].zero_()
    assert torch.count_nonzero(khop_operator(g, 2)(feat)) == 0


def test_directed_graph():
    """Node 1 hears from node 0, and not the other way round."""
    g = dgl.graph(([0], [1]))
    k_hop = khop_graph(g, 1, symmetric=False)
    out = khop_operator(k_hop, 1)(torch.tensor([[1.0], [0.0]]))
    assert out[0].item() == pytest.approx(1.0)
    assert out[1].item() == pytest.approx(1 / 2**0.5)
    both = khop_operator(khop_graph(g, 1), 1)(torch.tensor([[1.0], [0.0]]))
    assert both.flatten().tolist() == pytest.approx([0.5, 0.5])


def test_copies_of_a_used_graph():
    g = random_graph(6, 9, 0)
    feat = torch.rand(6, 2)
    out = khop_operator(g, 2)(feat)
    for other in (
        copy.deepcopy(g),
        copy.copy(g),
        g.clone(),
        pickle.loads(pickle.dumps(g)),
        g.int(),
        g.formats("coo"),
        g.formats("csr"),
        khop_graph(g, 2).formats("coo"),
    ):
        torch.testing.assert_close(khop_operator(other, 2)(feat), out)


@pytest.mark.parametrize("kernel", ["csr", "dgl"])
def test_prediction_first_then_training(kernel):
    for g in (random_graph(6, 9, 0), khop_graph(random_graph(6, 9, 0), 2)):
        feat = torch.rand(6, 2, requires_grad=True)
        with torch.inference_mode():
            out = khop_operator(g, 2, kernel=kernel)(feat)
        again = khop_operator(g, 2, kernel=kernel)(feat)
        again.sum().backward()
        torch.testing.assert_close(again, out)


@pytest.mark.parametrize("kernel", ["csr", "dgl"])
def test_threads_share_an_operator(kernel):
    operator = khop_operator(random_graph(40, 90, 0), 3, kernel=kernel)
    feats = [torch.rand(40, 8) for _ in range(40)]
    expected = [operator(x) for x in feats]
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(operator, feats)]
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b)


def test_operators_die_with_their_graph():
    g = random_graph(6, 9, 0)
    operator = weakref.ref(khop_operator(g, 2, kernel="dgl"))
    del g
    assert operator() is None


def test_heterogeneous_graph_is_refused():
    g = dgl.heterograph({("a", "to", "b"): ([0], [0])})
    with pytest.raises(ValueError, match="homogeneous"):
        khop_graph(g, 1)
