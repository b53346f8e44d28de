"""One layer: its parts, their residuals, norms and dropouts."""

from __future__ import annotations

import pytest
import torch
from graph_example import random_graph
from torch import nn

from dgl_signgt.nn import SignGTLayer, SignGTNodeClassifier, StructureAwareFFN


def test_layer_places_norm_and_residuals():
    torch.manual_seed(0)
    g = random_graph(7, 12, seed=2)
    feat = torch.randn(7, 8)
    post = SignGTLayer(8, 2, norm_place="post")
    hidden = post.mha_norm(feat + post.mha(g, feat))
    expected = post.ffn_norm(hidden + post.ffn(g, hidden))
    torch.testing.assert_close(post(g, feat), expected)
    pre = SignGTLayer(8, 2, norm_place="pre")
    hidden = feat + pre.mha(g, pre.mha_norm(feat))
    expected = hidden + pre.ffn(g, pre.ffn_norm(hidden))
    torch.testing.assert_close(pre(g, feat), expected)
    bare = SignGTLayer(8, 2, norm="none")
    hidden = feat + bare.mha(g, feat)
    torch.testing.assert_close(bare(g, feat), hidden + bare.ffn(g, hidden))
    assert isinstance(SignGTLayer(8, 2, norm="batch").mha_norm, nn.BatchNorm1d)


@pytest.mark.parametrize("where", ["ffn", "layer"])
def test_residuals_can_leave_the_attention_out(where):
    torch.manual_seed(0)
    g = random_graph(7, 12, seed=2)
    feat = torch.randn(7, 8)
    post = SignGTLayer(8, 2, residual_place=where)
    hidden = post.mha_norm(post.mha(g, feat))
    kept = hidden if where == "ffn" else feat
    expected = post.ffn_norm(kept + post.ffn(g, hidden))
    torch.testing.assert_close(post(g, feat), expected)
    pre = SignGTLayer(8, 2, norm_place="pre", residual_place=where)
    hidden = pre.mha(g, pre.mha_norm(feat))
    kept = hidden if where == "ffn" else feat
    expected = kept + pre.ffn(g, pre.ffn_norm(hidden))
    torch.testing.assert_close(pre(g, feat), expected)
    # Without attention there is one part, with its residual.
    bare = SignGTLayer(8, 2, attention="none", residual_place=where)
    expected = bare.ffn_norm(feat + bare.ffn(g, feat))
    torch.testing.assert_close(bare(g, feat), expected)


@pytest.mark.parametrize("place", ["post", "pre"])
def test_layer_without_attention_is_the_sffn_alone(place):
    torch.manual_seed(0)
    g = random_graph(7, 12, seed=2)
    feat = torch.randn(7, 8)
    layer = SignGTLayer(8, 2, attention="none", norm_place=place)
    if place == "post":
        expected = layer.ffn_norm(feat + layer.ffn(g, feat))
    else:
        expected = feat + layer.ffn(g, layer.ffn_norm(feat))
    torch.testing.assert_close(layer(g, feat), expected)
    assert not [n for n, _ in layer.named_parameters() if "mha" in n]
    model = SignGTNodeClassifier(8, 3, attention="none")
    with pytest.raises(ValueError, match="no attention to show"):
        model.attention(g, feat, 0, torch.tensor([0]))
    with pytest.raises(ValueError, match="attention must be one of"):
        SignGTLayer(8, 2, attention="no")


def test_every_dropout_of_a_layer_acts():
    g = random_graph(9, 20, seed=0)
    feat = torch.randn(9, 8)
    ffn = StructureAwareFFN(8, 8, dropout=1.0)
    torch.testing.assert_close(ffn(g, feat), ffn.out_linear.bias.expand(9, 8))
    for place in ("pre", "post"):
        layer = SignGTLayer(8, 2, norm="none", norm_place=place, dropout=1.0)
        torch.testing.assert_close(layer(g, feat), feat)


def test_attention_of_a_layer_that_normalises_first():
    torch.manual_seed(0)
    model = SignGTNodeClassifier(5, 3, hidden_size=16, norm_place="pre").eval()
    g = random_graph(12, 20, seed=4)
    feat = torch.randn(12, 5)
    hidden = model.encoder(g, feat, return_hidden=True)
    layer = model.encoder.layers[0]
    value = layer.mha.qkv_proj(layer.mha_norm(hidden[0])).chunk(3, -1)[2]
    weights = model.attention(g, feat, 0, range(12))
    heads = [w @ x for w, x in zip(weights, value.split(4, -1), strict=True)]
    out = layer.mha.out_proj(torch.cat(heads, -1))
    expected = layer.mha(g, layer.mha_norm(hidden[0]))
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-4)
