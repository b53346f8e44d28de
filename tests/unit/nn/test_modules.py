"""The modules: formula, padding, permutation, options and errors."""

from __future__ import annotations

import dgl
import numpy as np
import oracle
import pytest
import torch
from graph_example import random_graph

from dgl_signgt.khop import khop_graph
from dgl_signgt.nn import (
    POOLINGS,
    InputProjection,
    SignedMHA,
    SignGTEncoder,
    SignGTGraphClassifier,
    SignGTNodeClassifier,
    StructureAwareFFN,
)

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")


def dense_adjacency(g):
    adjacency = torch.eye(g.num_nodes(), dtype=torch.float64)
    src, dst = g.edges()
    adjacency[src, dst] = 1.0
    adjacency[dst, src] = 1.0
    scale = adjacency.sum(1).rsqrt()
    return scale[:, None] * adjacency * scale[None, :]


@pytest.fixture
def graphs():
    return [random_graph(n, 2 * n, seed=n) for n in (13, 5, 1, 8)]


@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("attention", ["signed", "softmax", "tanh"])
def test_mha_is_the_papers(attention, scale):
    torch.manual_seed(0)
    mha = SignedMHA(8, 2, attention, scale=scale).double()
    g = random_graph(11, 20, seed=0)
    feat = torch.randn(11, 8, dtype=torch.float64)
    w_q, w_k, w_v = mha.qkv_proj.weight.detach().chunk(3)
    if scale is not None:
        w_q = w_q * scale * 2  # the oracle divides by the root of 4
    weights = oracle.weights(feat @ w_q[:4].t(), feat @ w_k[:4].t(), attention)
    torch.testing.assert_close(
        mha.weights(feat, range(11))[0], feat.new_tensor(weights)
    )
    heads = []
    for head in (slice(0, 4), slice(4, 8)):
        heads.append(
            oracle.attention(
                feat @ w_q[head].t(),
                feat @ w_k[head].t(),
                feat @ w_v[head].t(),
                attention,
            )
        )
    expected = torch.cat(heads, dim=1) @ mha.out_proj.weight.t()
    torch.testing.assert_close(mha(g, feat), expected)


@pytest.mark.parametrize("kernel", ["csr", "dgl"])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_sffn_is_the_papers(k, kernel):
    torch.manual_seed(0)
    ffn = StructureAwareFFN(6, 9, k, kernel=kernel).double()
    g = random_graph(11, 20, seed=1)
    feat = torch.randn(11, 6, dtype=torch.float64)
    power = torch.linalg.matrix_power(dense_adjacency(g), k)
    expected = ffn.out_linear(torch.relu(power @ ffn.in_linear(feat)))
    torch.testing.assert_close(ffn(g, feat), expected)
    if k:
        prepared = khop_graph(g, k, dtype=torch.float64)
        torch.testing.assert_close(ffn(prepared, feat), expected)


@pytest.mark.parametrize("backend", ["reference", "dense", "tiled"])
@pytest.mark.parametrize("pooling", POOLINGS)
def test_batch_is_each_graph_alone(graphs, pooling, backend):
    torch.manual_seed(0)
    model = SignGTGraphClassifier(
        5, 3, hidden_size=16, k=2, pooling=pooling, backend=backend
    ).eval()
    feats = [torch.randn(g.num_nodes(), 5) for g in graphs]
    batch = dgl.batch(graphs)
    together = model(batch, torch.cat(feats))
    alone = torch.cat([model(g, x) for g, x in zip(graphs, feats, strict=True)])
    torch.testing.assert_close(together, alone, atol=1e-6, rtol=1e-5)
    khops = [khop_graph(g, 2, route="weights") for g in graphs]
    prepared = model(dgl.batch(khops), torch.cat(feats))
    torch.testing.assert_close(prepared, alone, atol=1e-6, rtol=1e-5)


def test_permuting_nodes_permutes_the_output():
    torch.manual_seed(0)
    model = SignGTNodeClassifier(5, 3, hidden_size=16, k=2).eval()
    g = random_graph(30, 60, seed=3)
    feat = torch.randn(30, 5)
    order = torch.randperm(30)
    place = torch.argsort(order)
    src, dst = g.edges()
    moved = dgl.graph((place[src], place[dst]), num_nodes=30)
    torch.testing.assert_close(
        model(moved, feat[order]), model(g, feat)[order], atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize(
    "classifier", [SignGTNodeClassifier, SignGTGraphClassifier]
)
def test_attention_gets_its_options(classifier):
    options = {"attn_scale": 3.0, "attn_drop": 0.25, "attention": "tanh"}
    for layer in classifier(5, 3, hidden_size=16, **options).encoder.layers:
        mha = layer.mha
        assert (mha.scale, mha.attn_drop) == (3.0, 0.25)
        assert mha.attention_kind == "tanh"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"attention": "softmax"},
        {"attention": "tanh", "norm": "batch"},
        {"norm": "none", "norm_place": "pre"},
        {"norm_place": "pre", "activation": "gelu"},
        {"input_activation": "relu", "input_drop": 0.5, "dropout": 0.5},
        {"residual_place": "ffn"},
        {"residual_place": "layer", "norm_place": "pre"},
        {"attn_drop": 0.3, "ffn_ratio": 2.0, "attn_bias": True},
        {"readout_layers": 3, "k": 0},
        {"pooled_layers": "all", "readout_norm": "layer"},
        {"pooled_layers": "all", "readout_norm": "batch", "pooling": "sum"},
        {"pooled_layers": "all", "pooling": "set2set", "norm_place": "pre"},
        {"attention": "none"},
        {"attention": "none", "norm_place": "pre", "norm": "batch"},
        {"backend": "tiled", "khop_route": "products", "k": 3},
        {"num_heads": 1, "num_layers": 1, "hidden_size": 8},
    ],
)
def test_every_parameter_gets_a_gradient(graphs, options):
    torch.manual_seed(0)
    model = SignGTGraphClassifier(5, 3, **{"hidden_size": 16, **options})
    batch = dgl.batch(graphs)
    model(batch, torch.randn(batch.num_nodes(), 5)).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert torch.count_nonzero(parameter.grad) > 0, name


def test_sparse_features_equal_dense_ones():
    torch.manual_seed(0)
    model = SignGTNodeClassifier(40, 3, hidden_size=16, dropout=0.0)
    g = random_graph(30, 60, seed=3)
    dense = (torch.rand(30, 40) < 0.1).float()
    sparse = dense.to_sparse_csr()
    grads = []
    for feat in (dense, sparse):
        model.zero_grad()
        out = model(g, feat)
        out.square().sum().backward()
        grads.append([out.detach(), *(p.grad for p in model.parameters())])
    for a, b in zip(*grads, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)


def test_categorical_features_are_sums_of_embeddings():
    projection = InputProjection([4, 3], 8)
    codes = torch.tensor([[0, 2], [3, 0]])
    table = projection.table.weight
    expected = torch.stack([table[0] + table[6], table[3] + table[4]])
    torch.testing.assert_close(projection(codes), expected)
    one = InputProjection([4], 8)
    torch.testing.assert_close(one(torch.tensor([1, 2])), one.table.weight[1:3])
    for bad in ([[4, 0]], [[0, -1]]):
        with pytest.raises(ValueError, match="outside its range"):
            projection(torch.tensor(bad))
    with pytest.raises(ValueError, match="2 integer columns"):
        projection(torch.rand(2, 2))


def test_hidden_states_and_attention():
    torch.manual_seed(0)
    model = SignGTNodeClassifier(5, 3, hidden_size=16, num_layers=3)
    g = random_graph(12, 20, seed=4)
    feat = torch.randn(12, 5)
    nodes = torch.tensor([11, 0])
    weights = model.attention(g, feat, 1, nodes)
    assert weights.shape == (4, 2, 12)
    assert model.training
    assert model.encoder.layers[0].mha.training
    model.eval()
    hidden = model.encoder(g, feat, return_hidden=True)
    assert [x.shape for x in hidden] == [(12, 16)] * 4
    torch.testing.assert_close(hidden[-1], model.encoder(g, feat))
    mha = model.encoder.layers[1].mha
    w_q, w_k, _ = mha.qkv_proj.weight.detach().double().chunk(3)
    state = hidden[1].detach().double()
    expected = torch.tensor(
        oracle.weights(state @ w_q[:4].t(), state @ w_k[:4].t(), "signed")
    )
    torch.testing.assert_close(
        weights[0].double(), expected[nodes].double(), atol=1e-5, rtol=1e-4
    )
    torch.testing.assert_close(weights, model.attention(g, feat, -2, nodes))


def test_reset_parameters_draws_anew():
    model = SignGTGraphClassifier(5, 3, hidden_size=16, pooling="attention")
    before = {n: p.clone() for n, p in model.named_parameters()}
    torch.manual_seed(1)
    model.reset_parameters()
    first = {n: p.clone() for n, p in model.named_parameters()}
    torch.manual_seed(1)
    model.reset_parameters()
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, first[name])
        if parameter.dim() > 1:
            assert not torch.equal(parameter, before[name]), name


@pytest.mark.parametrize("norm", ["layer", "batch", "graph", "none"])
@pytest.mark.parametrize("cls", [SignGTNodeClassifier, SignGTGraphClassifier])
def test_autocast(cls, norm):
    model = cls(5, 3, hidden_size=16, k=2, norm=norm).eval()
    g = random_graph(12, 20, seed=4)
    feat = torch.randn(12, 5)
    exact = model(g, feat)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(g, feat)
    torch.testing.assert_close(out.float(), exact, atol=0.1, rtol=0.1)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("option", ["input_drop", "attn_drop", "dropout"])
def test_dropout_acts_in_training_only(option, sparse):
    torch.manual_seed(0)
    drops = {"input_drop": 0.0, "attn_drop": 0.0, "dropout": 0.0}
    model = SignGTNodeClassifier(
        40, 3, hidden_size=16, **{**drops, option: 0.5}
    )
    plain = SignGTNodeClassifier(40, 3, hidden_size=16, **drops)
    plain.load_state_dict(model.state_dict())
    g = random_graph(30, 60, seed=3)
    feat = (torch.rand(30, 40) < 0.2).float()
    feat = feat.to_sparse_csr() if sparse else feat
    assert not torch.allclose(model(g, feat), model(g, feat))
    model.eval()
    torch.testing.assert_close(model(g, feat), plain(g, feat))


def test_sparse_features_of_any_kind():
    torch.manual_seed(0)
    model = InputProjection(7, 4)
    dense = (torch.rand(5, 7) < 0.4).float()
    expected = model(dense)
    for feat in (
        dense.to_sparse(),
        dense.to_sparse_csc(),
        dense.long().to_sparse_csr(),
        dense.bool().to_sparse_csr(),
        dense.double().to_sparse_csr(),
    ):
        torch.testing.assert_close(model(feat), expected)
    exact = InputProjection(7, 4).double()
    torch.testing.assert_close(
        exact(dense.to_sparse_csr()), exact(dense), atol=1e-15, rtol=0
    )


def test_int32_graphs_and_numpy_sizes(graphs):
    torch.manual_seed(0)
    model = SignGTGraphClassifier(np.int64(5), 3, hidden_size=16, k=2).eval()
    batch = dgl.batch(graphs)
    feat = torch.randn(batch.num_nodes(), 5)
    torch.testing.assert_close(model(batch.int(), feat), model(batch, feat))


def test_inference_mode(graphs):
    model = SignGTGraphClassifier(5, 3, hidden_size=16).eval()
    batch = dgl.batch(graphs)
    feat = torch.randn(batch.num_nodes(), 5)
    with torch.inference_mode():
        out = model(batch, feat)
    torch.testing.assert_close(out, model(batch, feat))


def test_repr_names_the_options():
    text = repr(SignGTEncoder(5, 16, k=3, attention="tanh"))
    assert "k=3" in text
    assert "attention='tanh'" in text
    assert "norm_place='post'" in text
    assert "in_size=5" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden_size": 10, "num_heads": 4}, "divisible"),
        ({"attention": "cosine"}, "attention must be one of"),
        ({"norm": "group"}, "norm must be one of"),
        ({"norm_place": "mid"}, "norm_place must be one of"),
        ({"residual_place": "mha"}, "residual_place must be one of"),
        ({"activation": "swoosh"}, "activation must be one of"),
        ({"pooling": "median"}, "pooling must be one of"),
        ({"pooled_layers": "first"}, "pooled_layers must be one of"),
        ({"readout_norm": "graph"}, "readout_norm must be one of"),
        ({"backend": "magic"}, "backend must be one of"),
        ({"khop_route": "scenic"}, "khop_route must be one of"),
        ({"k": -1}, "k must be a whole number"),
        ({"k": 1.5}, "k must be a whole number"),
        ({"num_layers": 0}, "num_layers must be a whole number from 1"),
        ({"attn_drop": 2}, "attn_drop must be from 0 to 1"),
        ({"attn_scale": 0.0}, "scale must be above 0"),
        ({"input_drop": -0.1}, "input_drop must be from 0 to 1"),
        ({"dropout": 1.1}, "dropout must be from 0 to 1"),
        ({"backend": "flex", "attn_drop": 0.1}, "without dropout"),
        ({"readout_layers": 0}, "at least one layer"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        SignGTGraphClassifier(5, 3, **options)


def test_bad_inputs():
    model = SignGTNodeClassifier(5, 3, hidden_size=16)
    g = random_graph(4, 6, seed=0)
    with pytest.raises(ValueError, match="4 nodes, but there are features"):
        model(g, torch.rand(3, 5))
    with pytest.raises(ValueError, match="takes 5 features a node"):
        model(g, torch.rand(4, 6))
    with pytest.raises(ValueError, match="no nodes"):
        model(dgl.graph(([], [])), torch.rand(0, 5))
    with pytest.raises(ValueError, match="its features are on meta"):
        model(g, torch.rand(4, 5, device="meta"))
    hetero = dgl.heterograph({("a", "to", "b"): ([0], [0])})
    with pytest.raises(ValueError, match="homogeneous"):
        model(hetero, torch.rand(2, 5))
    with pytest.raises(ValueError, match="unbatch first"):
        model.attention(dgl.batch([g, g]), torch.rand(8, 5), 0, [0])
    with pytest.raises(ValueError, match="layer must be below 2"):
        model.attention(g, torch.rand(4, 5), 2, torch.tensor([0]))
