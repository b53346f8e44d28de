"""Tiles: shares of workers, threads, shifts, blocks of keys."""

from __future__ import annotations

import os

import pytest
import torch
from attention_cases import TOLERANCE, error, prefix_mask, random_inputs, run

from dgl_signgt.ops import _threads, _tiled, _tiles, signed_attention


@pytest.fixture
def threads():
    """Sets the number of threads, and sets it back."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def test_workers_share_all_tiles_and_mostly_whole_heads():
    mask = prefix_mask([50, 0, 33], 50)
    mask[2, 0] = False
    q = torch.zeros(3, 4, 50, 8)
    shares = _tiles.share_tiles(q, mask, 4)
    tiles = [tile for share in shares for tile in share]
    # 4 heads of 50 nodes and 4 of 32, in tiles of 16 rows.
    assert [len(share) for share in shares] == [6, 6, 6, 6]
    assert [tile.number for tile in tiles] == list(range(24))
    seen = torch.zeros(3, 4, 50)
    for tile in tiles:
        seen[tile.index] += 1
    assert torch.equal(seen, mask[:, None].expand(3, 4, 50).float())
    (first, *_), _ = next(_tiles.by_head(shares[3]))
    assert first == 2


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_any_number_of_threads_gives_the_same(threads, dropout):
    q, k, v, upper = random_inputs(2, 3, 70, 5)
    mask = prefix_mask([70, 37], 70)
    found = []
    for count in (1, 2, 5):
        threads(count)
        torch.manual_seed(0)
        inputs = [x.clone().requires_grad_() for x in (q, k, v)]
        out = signed_attention(*inputs, mask, dropout=dropout, backend="tiled")
        found.append([out, *torch.autograd.grad(out, inputs, upper)])
        assert torch.get_num_threads() == count
    for other in found[1:]:
        for result, truth in zip(other, found[0], strict=True):
            assert error(result.detach(), truth.detach()) < 1e-13


def test_the_same_bits_again(threads):
    threads(2)
    inputs = random_inputs(1, 3, 100, 6, torch.float32)
    first = run("tiled", "signed", inputs)
    for _ in range(3):
        again = run("tiled", "signed", inputs)
        assert all(torch.equal(a, b) for a, b in zip(first, again))


def test_workers_have_one_thread_and_leave_the_callers(threads):
    threads(2)
    _threads._pools.clear()
    # An operation makes a thread look up its number: it must stay 1.
    found = _threads.run_workers(
        2, lambda i: (torch.ones(99_999).sum(), torch.get_num_threads())[1]
    )
    assert found == [1, 1]
    assert torch.get_num_threads() == 2


def test_inference_mode(threads):
    threads(2)
    q, k, v, _ = random_inputs(1, 2, 40, 4)
    expected = signed_attention(q, k, v, backend="reference")
    with torch.inference_mode():
        found = signed_attention(q, k, v, backend="tiled")
    assert error(found, expected) < 1e-13


def test_an_error_in_a_worker_reaches_the_caller(threads):
    def fail(number):
        raise RuntimeError(f"worker {number}")

    with pytest.raises(RuntimeError, match="worker 0"):
        _threads.run_workers(2, fail)


def test_a_fork_makes_its_own_threads(threads):
    threads(2)
    q, k, v, _ = random_inputs(1, 2, 40, 4)
    expected = signed_attention(q, k, v, backend="tiled")
    child = os.fork()
    if child == 0:
        # Only the workers' operations: torch's own threads do not fork.
        torch.set_num_threads(1)
        found = _threads.run_workers(2, lambda i: float(expected[0, i].sum()))
        same = found == [float(expected[0, i].sum()) for i in range(2)]
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("calm", [0.0, 40.0])
def test_with_and_without_a_shift(monkeypatch, dtype, calm):
    monkeypatch.setattr(_tiled, "_CALM", calm)
    inputs = random_inputs(1, 2, 40, 8)
    expected = run("reference", "signed", inputs)
    found = run("tiled", "signed", inputs, dtype=dtype)
    for result, truth in zip(found, expected, strict=True):
        assert error(result, truth) < TOLERANCE[dtype]


def test_scores_at_the_limit_of_calm():
    """The largest scores that are not shifted lose no precision."""
    q, k, v, upper = random_inputs(1, 1, 40, 8)
    longest = q.norm(dim=-1).max() * k.norm(dim=-1).max()
    q = q * (0.999 * _tiled._CALM / longest * 0.6931 * 8**0.5)
    for inputs in ([q, k, v, upper], [q, k, v * 1e12, upper * 1e-16]):
        expected = run("reference", "signed", inputs)
        found = run("tiled", "signed", inputs, dtype=torch.float32)
        for result, truth in zip(found, expected, strict=True):
            assert error(result, truth) < 2e-5


@pytest.mark.parametrize("nodes", [1, 31, 32, 33, 64, 95, 97])
def test_blocks_of_keys_and_blocks_of_nothing_but_filling(monkeypatch, nodes):
    # Four keys a block, sixteen after alignment: most blocks are empty.
    monkeypatch.setattr(_tiles, "_KEYS_A_BLOCK", 4)
    inputs = random_inputs(1, 2, nodes, 3)
    for kind in ("signed", "tanh"):
        expected = run("reference", kind, inputs)
        found = run("tiled", kind, inputs)
        for result, truth in zip(found, expected, strict=True):
            assert error(result, truth) < 1e-10
