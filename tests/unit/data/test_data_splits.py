"""Splits: disjoint, complete, and functions of their seed."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dgl_signgt.data import make_split
from dgl_signgt.errors import DataError


def fake(labels, task="node", kind="multiclass", public=None):
    return SimpleNamespace(
        name="fake",
        task=task,
        label_kind=kind,
        label=torch.as_tensor(labels),
        public_splits=public,
    )


@settings(max_examples=60, deadline=None)
@given(
    labels=st.lists(st.integers(0, 3), min_size=12, max_size=80),
    seed=st.integers(0, 2**31),
    protocol=st.sampled_from(["per-label", "random", "stratified", "kfold"]),
    task=st.sampled_from(["node", "graph"]),
)
def test_no_overlap_and_full_cover(labels, seed, protocol, task):
    data = fake(labels, task)
    split = make_split(data, protocol, seed)
    together = torch.cat([split.train, split.val, split.test])
    assert torch.equal(together.sort().values, torch.arange(len(labels)))
    again = make_split(data, protocol, seed)
    assert split.hash == again.hash
    assert split.to_dict() == again.to_dict()


def test_sixty_twenty_twenty_of_each_label():
    labels = [0] * 100 + [1] * 50 + [2] * 10
    split = make_split(fake(labels), "per-label", seed=1)
    label = torch.tensor(labels)
    for part, wanted in (
        (split.train, [60, 30, 6]),
        (split.val, [20, 10, 2]),
        (split.test, [20, 10, 2]),
    ):
        assert torch.bincount(label[part]).tolist() == wanted


def test_graphs_are_eight_one_one_by_default():
    split = make_split(fake([0, 1] * 500, "graph"))
    sizes = len(split.train), len(split.val), len(split.test)
    assert sizes == (800, 100, 100)
    assert split.protocol == "random"
    labels = torch.tensor([0, 1] * 500)
    plain = torch.bincount(labels[split.test]).tolist()
    even = make_split(fake([0, 1] * 500, "graph"), "stratified")
    assert torch.bincount(labels[even.test]).tolist() == [50, 50]
    assert plain != [50, 50]


def test_seeds_differ_and_ratio_is_taken():
    data = fake([0, 1] * 50)
    hashes = {make_split(data, "random", seed=s).hash for s in range(20)}
    assert len(hashes) == 20
    split = make_split(data, "random", ratio=[0.5, 0.25, 0.25])
    assert (len(split.train), len(split.val)) == (50, 25)


def test_known_split_never_changes():
    # A saved result names its split by this hash.
    split = make_split(fake([0, 1, 2] * 10), "per-label", seed=7)
    assert split.hash == "db3934a4f95cf3e2"


def test_folds_take_turns():
    data = fake([0] * 30 + [1] * 20)
    folds = [make_split(data, "kfold", seed=3, fold=f) for f in range(10)]
    tests = torch.cat([f.test for f in folds])
    assert torch.equal(tests.sort().values, torch.arange(50))
    assert torch.equal(folds[0].val, folds[1].test)
    label = data.label
    assert {int((label[f.test] == 0).sum()) for f in folds} == {3}
    with pytest.raises(DataError, match="fold 10 of 10 does not exist"):
        make_split(data, "kfold", fold=10)


def test_unlabelled_nodes_are_in_no_part():
    split = make_split(fake([0, -1, 0, 0, -1, 0, 0]), "random")
    together = torch.cat([split.train, split.val, split.test])
    assert sorted(together.tolist()) == [0, 2, 3, 5, 6]


def test_public_splits():
    table = np.array([[1, 2, 3, 0], [3, 1, 2, 0]], dtype=np.int8)
    data = fake([0, 0, 0, 0], public=table)
    assert make_split(data, "public", seed=3).test.tolist() == [0]
    assert make_split(data, "public", fold=0).test.tolist() == [2]
    with pytest.raises(DataError, match="public splits 0 to 1, not 2"):
        make_split(data, "public", fold=2)
    with pytest.raises(DataError, match="no public split"):
        make_split(fake([0]), "public")


@pytest.mark.parametrize(
    "ratio", [[0.8, 0.1], [0.8, 0.1, 0.2], [1.2, -0.1, -0.1]]
)
def test_wrong_ratio(ratio):
    with pytest.raises(DataError, match="three shares"):
        make_split(fake([0, 1]), "random", ratio=ratio)


def test_wrong_protocol():
    with pytest.raises(DataError, match="did you mean 'stratified'"):
        make_split(fake([0]), "stratifed")
    with pytest.raises(DataError, match="needs one class per item"):
        make_split(fake([[0.0, 1.0]], "graph", "multilabel"), "stratified")
