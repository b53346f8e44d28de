"""Normalisation over each graph's nodes, against the plain formula."""

import dgl
import pytest
import torch

from dgl_signgt.nn import (
    GraphNorm,
    NodeBaseline,
    SignGTGraphClassifier,
    SignGTLayer,
    SignGTNodeClassifier,
)

SIZES = (5, 1, 7)


@pytest.fixture
def graphs():
    return [dgl.rand_graph(n, n - 1) for n in SIZES]


def formula(norm, feat):
    """One graph, in float64."""
    feat = feat.double()
    mean = feat.mean(0)
    variance = (feat - mean).square().mean(0)
    scaled = (feat - mean) / torch.sqrt(variance + norm.eps)
    return scaled * norm.weight.double() + norm.bias.double()


def make_norm(size=3, dtype=torch.float64):
    torch.manual_seed(0)
    norm = GraphNorm(size).to(dtype)
    torch.nn.init.normal_(norm.weight)
    torch.nn.init.normal_(norm.bias)
    return norm


def test_values_of_a_batch_are_those_of_each_graph(graphs):
    norm = make_norm()
    feats = [torch.randn(n, 3, dtype=torch.float64) * 5 + 2 for n in SIZES]
    expected = torch.cat([formula(norm, feat) for feat in feats])
    out = norm(dgl.batch(graphs), torch.cat(feats))
    torch.testing.assert_close(out, expected)
    alone = [norm(g, feat) for g, feat in zip(graphs, feats)]
    torch.testing.assert_close(torch.cat(alone), expected)


def test_gradients(graphs):
    norm = make_norm()
    batch = dgl.batch(graphs)
    feat = torch.randn(sum(SIZES), 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: norm(batch, x), feat)
    upper = torch.randn(5, 3, dtype=torch.float64)
    one = feat[:5].detach().requires_grad_()
    (fast,) = torch.autograd.grad(norm(graphs[0], one), one, upper)
    (plain,) = torch.autograd.grad(formula(norm, one), one, upper)
    torch.testing.assert_close(fast, plain)


def test_training_and_evaluation_agree():
    torch.manual_seed(0)
    g = dgl.rand_graph(20, 60)
    feat = torch.randn(20, 6) * 3 + 1
    model = SignGTNodeClassifier(6, 2, hidden_size=8, dropout=0.0, norm="graph")
    torch.testing.assert_close(model(g, feat), model.eval()(g, feat))


@pytest.mark.parametrize("place", ["pre", "post"])
def test_a_graph_does_not_depend_on_its_batch(graphs, place):
    torch.manual_seed(0)
    model = SignGTGraphClassifier(
        6, 2, hidden_size=8, dropout=0.0, norm="graph", norm_place=place
    )
    feats = [torch.randn(n, 6) for n in SIZES]
    together = model(dgl.batch(graphs), torch.cat(feats))
    alone = [model(g, feat) for g, feat in zip(graphs, feats)]
    torch.testing.assert_close(together, torch.cat(alone))


def test_attention_is_shown_as_it_is_used():
    torch.manual_seed(0)
    g = dgl.rand_graph(6, 12)
    feat = torch.randn(6, 8)
    layer = SignGTLayer(8, 2, norm="graph", norm_place="pre")
    weights = layer.attention_weights(g, feat, torch.arange(6))
    expected = layer.mha.weights(layer.mha_norm(g, feat), torch.arange(6))
    torch.testing.assert_close(weights, expected)


def test_baselines_have_it():
    torch.manual_seed(0)
    g = dgl.rand_graph(9, 30)
    model = NodeBaseline(5, 2, conv="gcn", hidden_size=8, norm="graph")
    assert isinstance(model.encoder.norms[0], GraphNorm)
    assert model(g, torch.randn(9, 5)).shape == (9, 2)


def test_sixteen_bits(graphs):
    norm = make_norm(dtype=torch.bfloat16)
    batch = dgl.batch(graphs)
    # A mean that is large beside the spread is what 16 bits would lose.
    feat = (0.5 * torch.randn(sum(SIZES), 3) + 20).bfloat16()
    exact = make_norm()(batch, feat.double())
    out = norm(batch, feat)
    assert out.dtype == torch.bfloat16
    torch.testing.assert_close(out.double(), exact, atol=0.05, rtol=0.05)
