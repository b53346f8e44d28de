"""From the layers of the encoder to a graph's scores."""

import dgl
import pytest
import torch

from dgl_signgt.nn import SignGTGraphClassifier
from dgl_signgt.nn.pooling import make_pooling


@pytest.fixture
def graphs():
    torch.manual_seed(0)
    return [dgl.rand_graph(n, 2 * n) for n in (7, 3, 12)]


def _sums(batch, states):
    """What sum pooling makes of several states beside each other."""
    sizes = batch.batch_num_nodes().tolist()
    pooled = [
        torch.stack([part.sum(0) for part in state.split(sizes)])
        for state in states
    ]
    return torch.cat(pooled, dim=1)


def test_all_layers_pooled(graphs):
    torch.manual_seed(0)
    model = SignGTGraphClassifier(
        5, 3, hidden_size=16, pooling="sum", pooled_layers="all"
    ).eval()
    batch = dgl.batch(graphs)
    feat = torch.randn(batch.num_nodes(), 5)
    wanted = _sums(batch, model.encoder(batch, feat, return_hidden=True))
    assert wanted.shape == (len(graphs), 3 * 16)
    found = model.represent(batch, feat)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    scores = model.readout(wanted)
    torch.testing.assert_close(model(batch, feat), scores, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_features_pooled_as_they_are(graphs, sparse):
    torch.manual_seed(0)
    model = SignGTGraphClassifier(
        5, 3, hidden_size=16, pooling="sum", pooled_layers="features"
    ).eval()
    batch = dgl.batch(graphs)
    feat = torch.randn(batch.num_nodes(), 5)
    states = model.encoder(batch, feat, return_hidden=True)
    wanted = _sums(batch, [feat, *states])
    assert wanted.shape == (len(graphs), 5 + 3 * 16)
    given = feat.to_sparse_csr() if sparse else feat
    found = model.represent(batch, given)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    # Sums of the features keep their precision beside states that have less.
    with torch.autocast("cpu", torch.bfloat16):
        found = model.represent(batch, given)
    torch.testing.assert_close(found[:, :5], wanted[:, :5])
    with pytest.raises(ValueError, match="categorical features cannot be"):
        SignGTGraphClassifier([4, 2], 3, pooled_layers="features")


def test_log_sum_pooling(graphs):
    batch = dgl.batch(graphs)
    feat = torch.randn(batch.num_nodes(), 4, dtype=torch.float64)
    feat[:, 3] = 0
    feat.requires_grad_()
    total = _sums(batch, [feat])
    assert (total < 0).any() and (total > 0).any()
    wanted = torch.where(total < 0, -(1 - total).log(), (1 + total).log())
    pooling, size = make_pooling("log-sum", 4)
    found = pooling(batch, feat)
    assert size == 4
    torch.testing.assert_close(found, wanted)
    # The slope is one over one plus the sum, whatever the sign, and at zero.
    (slope,) = torch.autograd.grad(found[0].sum(), feat)
    torch.testing.assert_close(slope[0], 1 / (1 + total[0].abs()))
    assert slope[0, 3] == 1


def test_batch_norm_before_the_head(graphs):
    torch.manual_seed(0)
    model = SignGTGraphClassifier(5, 3, hidden_size=16, readout_norm="batch")
    batch = dgl.batch(graphs)
    feat = torch.randn(batch.num_nodes(), 5)
    model.encoder.eval()
    pooled = model.represent(batch, feat)
    spread = pooled.var(0, unbiased=False) + model.readout_norm.eps
    wanted = model.readout((pooled - pooled.mean(0)) / spread.sqrt())
    torch.testing.assert_close(model(batch, feat), wanted, atol=1e-5, rtol=1e-4)
    # A batch of one graph trains, too, with the running mean and variance.
    alone = model(graphs[0], feat[: graphs[0].num_nodes()])
    model.eval()
    same = model(graphs[0], feat[: graphs[0].num_nodes()])
    torch.testing.assert_close(alone, same)
