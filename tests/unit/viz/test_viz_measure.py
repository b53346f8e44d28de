"""Measures of attention, against the attention itself."""

import dgl
import numpy as np
import pytest
import torch

from dgl_signgt import viz
from dgl_signgt.nn import SignGTNodeClassifier
from dgl_signgt.viz import measure


@pytest.fixture
def seen():
    torch.manual_seed(0)
    g = dgl.rand_graph(9, 20)
    model = SignGTNodeClassifier(4, 3, hidden_size=8, num_heads=2, num_layers=2)
    return model, g, torch.randn(9, 4)


def test_rows_are_the_models_own(seen):
    model, g, feat = seen
    nodes = torch.tensor([2, 5])
    rows = viz.attention_rows(model, g, feat, 1, nodes)
    expected = model.attention(g, feat, 1, nodes)
    assert rows == pytest.approx(expected.numpy(), abs=1e-6)


def test_rows_under_another_rule_keep_the_scores(seen):
    model, g, feat = seen
    nodes = torch.arange(9)
    tanh = viz.attention_rows(model, g, feat, 0, nodes, "tanh")
    softmax = viz.attention_rows(model, g, feat, 0, nodes, "softmax")
    scores = np.arctanh(tanh.astype(float))
    exp = np.exp(scores)
    assert softmax == pytest.approx(exp / exp.sum(2, keepdims=True), rel=1e-3)
    assert model.encoder.layers[0].mha.attention_kind == "signed"


def test_negative_share_counts_the_weights(seen, monkeypatch):
    model, g, feat = seen
    # Two rows a block: sums over blocks are what is tested.
    monkeypatch.setattr(measure, "_BLOCK", 2 * 9 * 2)
    shares = viz.negative_share(model, g, feat)
    weights = model.attention(g, feat, 1, torch.arange(9))
    negative = -weights.clamp(max=0).sum((1, 2)) / weights.abs().sum((1, 2))
    assert shares.shape == (2, 2)
    assert shares[1] == pytest.approx(negative.numpy(), rel=1e-5)
    assert shares.min() > 0 and shares.max() < 1


def test_received_attention_sums_columns(seen):
    model, g, feat = seen
    received = viz.received_attention(model, g, feat)
    weights = model.attention(g, feat, 1, torch.arange(9))
    expected = weights.sum(1).mean(0).numpy()
    assert received == pytest.approx(expected, abs=1e-5)


def test_a_batch_is_refused(seen):
    model, g, _ = seen
    with pytest.raises(ValueError, match="unbatch"):
        viz.negative_share(model, dgl.batch([g, g]), torch.randn(18, 4))
