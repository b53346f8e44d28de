"""The baselines: formulas, the graph they see, options and errors."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import dgl
import pytest
import torch

from dgl_signgt.khop import khop_graph
from dgl_signgt.nn import GraphBaseline, NodeBaseline, baselines
from dgl_signgt.nn.baselines import AGGREGATORS, CONVOLUTIONS
from dgl_signgt.nn.baselines.simple_graph import simple_graph
from dgl_signgt.ops import normalized_adjacency

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")


def random_graph(num_nodes, num_edges, seed):
    """Directed, with self-loops and parallel edges, as raw data may be."""
    generator = torch.Generator().manual_seed(seed)
    ends = torch.randint(num_nodes, (2, num_edges), generator=generator)
    return dgl.graph((ends[0], ends[1]), num_nodes=num_nodes)


def adjacency(g):
    """Symmetric, without self-loops, in float64."""
    matrix = torch.zeros(g.num_nodes(), g.num_nodes(), dtype=torch.float64)
    src, dst = g.edges()
    matrix[src, dst] = matrix[dst, src] = 1.0
    return matrix.fill_diagonal_(0.0)


def smoothing(g):
    """Â of the paper."""
    matrix = adjacency(g) + torch.eye(g.num_nodes(), dtype=torch.float64)
    scale = matrix.sum(1).rsqrt()
    return scale[:, None] * matrix * scale


@pytest.fixture
def case():
    torch.manual_seed(0)
    g = random_graph(11, 20, seed=0)
    return g, torch.randn(11, 5, dtype=torch.float64)


def one_layer(conv, **options):
    options = {"hidden_size": 8, "num_layers": 1, "dropout": 0.0, **options}
    model = NodeBaseline(5, 3, conv, **options).double()
    return model, model.encoder.convs[0], model.encoder.projection.linear


def test_gcn_is_the_papers(case):
    g, feat = case
    model, conv, project = one_layer("gcn")
    hidden = smoothing(g) @ project(feat) @ conv.weight + conv.bias
    expected = model.readout(torch.relu(hidden))
    torch.testing.assert_close(model(g, feat), expected)


@pytest.mark.parametrize("k", [0, 1, 3])
def test_sgc_is_the_papers(case, k):
    g, feat = case
    model, conv, project = one_layer("sgc", k=k, activation="none")
    power = torch.linalg.matrix_power(smoothing(g), k)
    expected = model.readout(conv.fc(power @ project(feat)))
    torch.testing.assert_close(model(g, feat), expected)


def test_gin_is_the_papers(case):
    g, feat = case
    model, conv, project = one_layer("gin", activation="gelu")
    hidden = project(feat)
    first, last = conv.apply_func.layers[0], conv.apply_func.layers[-1]
    gelu = torch.nn.functional.gelu
    hidden = last(gelu(first(hidden + adjacency(g) @ hidden)))
    torch.testing.assert_close(model(g, feat), model.readout(gelu(hidden)))


def test_sage_is_the_papers(case):
    g, feat = case
    model, conv, project = one_layer("sage")
    mean = adjacency(g) / adjacency(g).sum(1, keepdim=True).clamp(min=1.0)
    hidden = project(feat)
    hidden = conv.fc_self(hidden) + mean @ conv.fc_neigh(hidden)
    expected = model.readout(torch.relu(hidden))
    torch.testing.assert_close(model(g, feat), expected)


def test_gat_is_the_papers(case):
    g, feat = case
    model, conv, project = one_layer("gat", num_heads=2)
    value = conv.fc(project(feat)).view(11, 2, 4)
    left = (value * conv.attn_l).sum(-1)
    right = (value * conv.attn_r).sum(-1)
    edge = smoothing(g) > 0
    heads = []
    for h in range(2):
        score = left[None, :, h] + right[:, None, h]
        score = torch.nn.functional.leaky_relu(score, 0.2)
        score = score.masked_fill(~edge, -torch.inf)
        heads.append(score.softmax(1) @ value[:, h])
    hidden = torch.cat(heads, 1) + conv.bias
    expected = model.readout(torch.relu(hidden))
    torch.testing.assert_close(model(g, feat), expected)


def test_norm_and_residual_of_two_layers(case):
    g, feat = case
    model, _, project = one_layer(
        "gcn", num_layers=2, norm="layer", residual=True, readout_layers=2
    )
    hidden = project(feat)
    for conv, norm in zip(model.encoder.convs, model.encoder.norms):
        out = norm(smoothing(g) @ hidden @ conv.weight + conv.bias)
        hidden = hidden + torch.relu(out)
    torch.testing.assert_close(model(g, feat), model.readout(hidden))
    assert len(model.readout.layers) == 4


def test_the_graph_is_that_of_signgt():
    g = random_graph(30, 60, seed=1)
    row, col, _ = normalized_adjacency(*g.edges(), 30)
    src, dst = simple_graph(g, self_loops=True).edges()
    assert sorted(zip(src.tolist(), dst.tolist())) == sorted(
        zip(col.tolist(), row.tolist())
    )
    plain = simple_graph(g, self_loops=False)
    assert plain.num_edges() == len(row) - 30
    # Computed once, and again when the graph changes.
    assert simple_graph(g, self_loops=False) is plain
    g.add_nodes(1)
    assert simple_graph(g, self_loops=False).num_nodes() == 31
    with pytest.raises(ValueError, match="takes the raw graph"):
        NodeBaseline(5, 3)(khop_graph(g, 2), torch.rand(31, 5))


@pytest.mark.parametrize(
    ("conv", "layer"),
    [
        ("gcn", 8 * 8 + 8),
        ("gat", 8 * 8 + 2 * 8 + 8),
        ("sgc", 8 * 8 + 8),
        ("sage", 2 * 8 * 8 + 8),
        ("gin", 2 * (8 * 8 + 8)),
    ],
)
def test_number_of_parameters(conv, layer):
    model = NodeBaseline(5, 3, conv, hidden_size=8, num_layers=3)
    count = sum(p.numel() for p in model.parameters())
    assert count == (5 * 8 + 8) + 3 * layer + (8 * 3 + 3)


@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_batch_is_each_graph_alone(conv):
    torch.manual_seed(0)
    model = GraphBaseline(5, 3, conv, hidden_size=8, pooling="sum").eval()
    graphs = [random_graph(n, 2 * n, seed=n) for n in (13, 5, 1, 8)]
    feats = [torch.randn(g.num_nodes(), 5) for g in graphs]
    together = model(dgl.batch(graphs), torch.cat(feats))
    alone = torch.cat([model(g, x) for g, x in zip(graphs, feats)])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_sparse_features_equal_dense_ones(conv):
    torch.manual_seed(0)
    model = NodeBaseline(40, 3, conv, hidden_size=8, dropout=0.0)
    g = random_graph(30, 60, seed=3)
    dense = (torch.rand(30, 40) < 0.1).float()
    outputs = []
    for feat in (dense, dense.to_sparse_csr()):
        model.zero_grad()
        out = model(g, feat)
        out.square().sum().backward()
        outputs.append([out.detach(), *(p.grad for p in model.parameters())])
    for a, b in zip(*outputs, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        *({"conv": conv} for conv in CONVOLUTIONS),
        *({"conv": "sage", "aggregator": name} for name in AGGREGATORS),
        {"conv": "gcn", "norm": "batch", "residual": True},
        {"conv": "gin", "norm": "layer", "pooling": "attention"},
        {"conv": "gat", "num_heads": 1, "readout_layers": 2},
    ],
)
def test_atoms_gradients_autocast_and_new_draws(options):
    torch.manual_seed(0)
    model = GraphBaseline([9, 4], 3, hidden_size=8, dropout=0.0, **options)
    g = dgl.batch([random_graph(n, 2 * n, seed=n) for n in (13, 5, 1, 8)])
    atoms = torch.stack([torch.randint(n, (27,)) for n in (9, 4)], 1)
    exact = model(g, atoms)
    exact.square().sum().backward()
    for name, parameter in model.named_parameters():
        assert torch.isfinite(parameter.grad).all(), name
        # DGL's bias has no gradient where the norm takes the mean away.
        if parameter.dim() > 1:
            assert torch.count_nonzero(parameter.grad) > 0, name
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(g, atoms)
    torch.testing.assert_close(out.float(), exact, atol=0.1, rtol=0.1)
    before = {n: p.clone() for n, p in model.named_parameters()}
    draws = []
    for _ in range(2):
        torch.manual_seed(1)
        model.reset_parameters()
        draws.append({n: p.clone() for n, p in model.named_parameters()})
    for name, parameter in before.items():
        assert torch.equal(draws[0][name], draws[1][name]), name
        if parameter.dim() > 1:
            assert not torch.equal(draws[0][name], parameter), name


@pytest.mark.parametrize("option", ["input_drop", "dropout"])
def test_dropout_acts_in_training_only(case, option):
    g, feat = case
    drops = {"input_drop": 0.0, "dropout": 0.0, option: 0.5}
    for conv in CONVOLUTIONS:
        model = NodeBaseline(5, 3, conv, hidden_size=8, **drops).double()
        assert not torch.allclose(model(g, feat), model(g, feat))
        model.eval()
        torch.testing.assert_close(model(g, feat), model(g, feat))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"conv": "gcnn"}, "conv must be one of"),
        ({"num_layers": 0}, "num_layers must be a whole number"),
        ({"norm": "group"}, "norm must be one of"),
        ({"conv": "gat", "num_heads": 3}, r"hidden_size \(8\) must be div"),
        ({"conv": "sgc", "k": -1}, "k must be a whole number"),
        ({"conv": "sage", "aggregator": "lstm"}, "aggregator must be one of"),
        ({"activation": "x"}, "activation must be one of"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        NodeBaseline(5, 3, **{"hidden_size": 8, **options})


def test_examples_of_the_docs():
    for module in pkgutil.iter_modules(baselines.__path__):
        module = importlib.import_module(f"{baselines.__name__}.{module.name}")
        result = doctest.testmod(module)
        assert result.attempted > 0
        assert result.failed == 0, module.__name__
