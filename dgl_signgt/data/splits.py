"""Train, validation and test sets as pure functions of data and seed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..errors import DataError, nearest

__all__ = ["Split", "make_split", "split_protocols"]

_RATIO = {"node": (0.6, 0.2, 0.2), "graph": (0.8, 0.1, 0.1)}


@dataclass(frozen=True)
class Split:
    """Disjoint train, validation and test indices.

    Parameters
    ----------
    train, val, test : torch.LongTensor
        Sorted indices of nodes or of graphs.
    protocol : str
        How the split was made.
    seed : int
        The seed it was made with.
    ratio : tuple of float, optional
        Shares of the three parts, where the protocol uses them.
    fold : int, optional
        The number of the fold or of the public split.

    Examples
    --------
    >>> split = make_split(load("csbm"), "per-label", seed=0)
    >>> len(split.train), len(split.val), len(split.test)
    (600, 200, 200)
    """

    train: torch.Tensor
    val: torch.Tensor
    test: torch.Tensor
    protocol: str
    seed: int
    ratio: tuple[float, float, float] | None = None
    fold: int | None = None

    @property
    def hash(self) -> str:
        """A name of the three index sets that differs when any differs."""
        digest = hashlib.sha256()
        for part in (self.train, self.val, self.test):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part.numpy().astype("<i8").tobytes())
        return digest.hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """The split as plain values, to be saved with the results."""
        return {
            "protocol": self.protocol,
            "seed": self.seed,
            "ratio": list(self.ratio) if self.ratio else None,
            "fold": self.fold,
            "hash": self.hash,
            "train": self.train.tolist(),
            "val": self.val.tolist(),
            "test": self.test.tolist(),
        }


def split_protocols() -> list[str]:
    """The names that :func:`make_split` takes."""
    return ["per-label", "random", "stratified", "public", "kfold"]


def make_split(
    dataset: Any,
    protocol: str | None = None,
    seed: int = 0,
    ratio: Sequence[float] | None = None,
    fold: int | None = None,
    num_folds: int = 10,
) -> Split:
    """Split the nodes or graphs of a data set.

    Parameters
    ----------
    dataset : NodeDataset or GraphDataset
        What to split; unlabelled nodes (label below 0) are in no part.
    protocol : str, optional
        ``"per-label"`` and ``"stratified"`` apply the ratio to each label,
        ``"random"`` to all at once, ``"public"`` takes a split that comes
        with the data, ``"kfold"`` is stratified: fold ``fold`` tests, the
        next one validates. Default: the paper's, per-label for nodes and
        random for graphs.
    seed : int, optional
        Seed of the shuffle; for public splits it picks the split (modulo
        their number) unless ``fold`` does. Default: 0.
    ratio : sequence of float, optional
        Shares of train, validation and test, adding up to 1. Default:
        0.6, 0.2, 0.2 for nodes and 0.8, 0.1, 0.1 for graphs.
    fold : int, optional
        Fold or public split to use.
    num_folds : int, optional
        Number of folds of ``"kfold"``. Default: 10.

    Returns
    -------
    Split
        The three parts: no overlap, and together all that is labelled
        (public splits: all that their authors chose).

    Examples
    --------
    >>> make_split(load("nci5k"), "random", seed=3).hash
    """
    protocol = protocol or ("per-label" if dataset.task == "node" else "random")
    if protocol not in split_protocols():
        raise DataError(
            f"unknown split protocol {protocol!r}"
            f"{nearest(protocol, split_protocols())}; "
            f"one of {', '.join(split_protocols())}"
        )
    if protocol == "public":
        return _public(dataset, seed, fold)
    shares = _check_ratio(ratio or _RATIO[dataset.task])
    labels = dataset.label.numpy()
    rng = np.random.default_rng([seed, len(labels)])
    if protocol == "random":
        groups = [np.flatnonzero(_labelled(labels))]
    else:
        groups = _by_label(dataset, labels, protocol)
    parts: list[list[np.ndarray]] = [[], [], []]
    if protocol == "kfold":
        fold = fold or 0
        if not num_folds > 2 or not 0 <= fold < num_folds:
            raise DataError(
                f"fold {fold} of {num_folds} does not exist: at least 3 folds,"
                f" numbered from 0"
            )
        # Groups are dealt out as one sequence, so folds differ by at most
        # one item in size even where labels are rare.
        order = np.concatenate([rng.permutation(g) for g in groups])
        turn = (np.arange(len(order)) - fold) % num_folds
        chosen = [order[turn > 1], order[turn == 1], order[turn == 0]]
        shares = None
    else:
        for group in groups:
            order = rng.permutation(group)
            first = round(shares[0] * len(order))
            second = min(first + round(shares[1] * len(order)), len(order))
            cuts = np.split(order, [first, second])
            for part, piece in zip(parts, cuts):
                part.append(piece)
        chosen = [np.concatenate(part) for part in parts]
        fold = None
    return _finish(chosen, protocol, seed, shares, fold)


def _check_ratio(ratio: Sequence[float]) -> tuple[float, float, float]:
    shares = tuple(float(x) for x in ratio)
    if len(shares) != 3 or min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
        raise DataError(
            f"split ratio {list(ratio)} must be three shares (train, "
            f"validation, test) that add up to 1"
        )
    return shares


def _labelled(labels: np.ndarray) -> np.ndarray:
    if labels.ndim > 1 or np.issubdtype(labels.dtype, np.floating):
        return np.ones(len(labels), dtype=bool)
    return labels >= 0


def _by_label(
    dataset: Any, labels: np.ndarray, protocol: str
) -> list[np.ndarray]:
    if dataset.label_kind != "multiclass":
        raise DataError(
            f"split protocol {protocol!r} needs one class per item, but "
            f"{dataset.name} is {dataset.label_kind}: use 'random'"
        )
    return [np.flatnonzero(labels == c) for c in np.unique(labels[labels >= 0])]


def _public(dataset: Any, seed: int, fold: int | None) -> Split:
    table = dataset.public_splits
    if table is None:
        raise DataError(
            f"{dataset.name} has no public split: use "
            f"{'per-label' if dataset.task == 'node' else 'random'!r}"
        )
    if fold is None:
        fold = seed % len(table)
    if not 0 <= fold < len(table):
        raise DataError(
            f"{dataset.name} has public splits 0 to {len(table) - 1}, "
            f"not {fold}"
        )
    row = np.asarray(table[fold])
    chosen = [np.flatnonzero(row == part) for part in (1, 2, 3)]
    return _finish(chosen, "public", seed, None, fold)


def _finish(
    parts: Sequence[np.ndarray],
    protocol: str,
    seed: int,
    ratio: tuple[float, float, float] | None,
    fold: int | None,
) -> Split:
    tensors = [torch.from_numpy(np.sort(p).astype(np.int64)) for p in parts]
    return Split(*tensors, protocol, seed, ratio, fold)
