"""The linear map of sparse features against the dense one."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from dgl_signgt.ops import sparse_linear

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")


@pytest.fixture
def feat():
    generator = torch.Generator().manual_seed(0)
    dense = torch.rand(11, 7, generator=generator, dtype=torch.float64)
    dense[dense < 0.7] = 0.0
    dense[4] = 0.0
    return dense


def test_values_and_gradients(feat):
    generator = torch.Generator().manual_seed(1)
    weight = torch.randn(5, 7, generator=generator, dtype=torch.float64)
    bias = torch.randn(5, generator=generator, dtype=torch.float64)
    upper = torch.randn(11, 5, generator=generator, dtype=torch.float64)
    results = []
    for linear, x in (
        (functional.linear, feat),
        (sparse_linear, feat.to_sparse_csr()),
    ):
        inputs = [p.clone().requires_grad_() for p in (weight, bias)]
        out = linear(x, *inputs)
        results.append([out, *torch.autograd.grad(out, inputs, upper)])
    for dense, sparse in zip(*results, strict=True):
        torch.testing.assert_close(sparse, dense)


def test_dropout_draws_stored_values_only(feat):
    sparse = feat.to_sparse_csr()
    identity = torch.eye(7, dtype=torch.float64)
    torch.manual_seed(0)
    out = sparse_linear(sparse, identity, drop=0.5)
    kept = out != 0
    assert 0 < kept.sum() < (feat != 0).sum()
    torch.testing.assert_close(out[kept], 2.0 * feat[kept])


def test_dropout_gradient_uses_the_same_draw(feat):
    sparse = feat.to_sparse_csr()
    weight = torch.eye(7, dtype=torch.float64, requires_grad=True)
    out = sparse_linear(sparse, weight, drop=0.5)
    (grad,) = torch.autograd.grad(out.sum(), weight)
    # d(sum)/dW_hd is the column sum of the dropped features, for each h.
    torch.testing.assert_close(grad, out.detach().sum(0).expand(7, 7))


def test_a_changed_matrix_is_seen(feat):
    weight = torch.eye(7, dtype=torch.float64, requires_grad=True)
    sparse = feat.to_sparse_csr()
    torch.autograd.grad(sparse_linear(sparse, weight).sum(), weight)
    # As many values, in other columns.
    sparse.copy_(feat.flip(1).to_sparse_csr())
    (grad,) = torch.autograd.grad(sparse_linear(sparse, weight).sum(), weight)
    torch.testing.assert_close(grad, feat.flip(1).sum(0).expand(7, 7))
