"""What data sets of nodes and of graphs have in common."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from dgl.data import DGLDataset

from .flat import FlatGraphs
from .khop_arrays import KHopArrays

__all__ = ["FlatDataset", "to_sparse_csr", "to_tensor"]


class FlatDataset(DGLDataset):
    """A DGL data set on flat arrays.

    Parameters
    ----------
    name : str
        Name in the registry.
    flat : FlatGraphs
        Graphs, features and labels.
    fingerprint : str
        Hash of raw files and options.
    khop : KHopArrays, optional
        Weights of Â^k; without them graphs are the raw ones.
    raw_dir : str, optional
        The data directory. Default: DGL's.
    """

    def __init__(
        self,
        name: str,
        flat: FlatGraphs,
        fingerprint: str,
        khop: KHopArrays | None = None,
        raw_dir: str | None = None,
    ) -> None:
        self.flat = flat
        self.khop = khop
        self.fingerprint = fingerprint
        self.label = to_tensor(flat.label)
        # Everything is loaded already, so DGL's own cache is not asked.
        super().__init__(name, raw_dir=raw_dir, hash_key=(fingerprint,))

    def _load(self) -> None:
        """Nothing to load: the arrays were given."""

    def process(self) -> None:
        """Nothing to process: the arrays were given."""

    @property
    def task(self) -> str:
        """``"node"`` or ``"graph"``."""
        return self.flat.task

    @property
    def label_kind(self) -> str:
        """``"multiclass"``, ``"multilabel"`` or ``"regression"``."""
        return self.flat.label_kind

    @property
    def feat_kind(self) -> str:
        """``"dense"``, ``"sparse"`` or ``"categorical"``."""
        return self.flat.feat_kind

    @property
    def num_classes(self) -> int:
        """The size of a model's output."""
        return self.flat.num_classes

    @property
    def in_size(self) -> int | list[int]:
        """Feature columns, or the values of each categorical column."""
        return self.flat.in_size

    @property
    def k(self) -> int | None:
        """The power of Â that the graphs carry, None for raw graphs."""
        return None if self.khop is None else self.khop.k

    @property
    def info(self) -> dict[str, Any]:
        """Facts about the raw files."""
        return dict(self.flat.info)

    @property
    def public_splits(self) -> np.ndarray | None:
        """Public splits, one a row: 1 train, 2 validation, 3 test."""
        return self.flat.splits

    def default_split(self) -> tuple[torch.Tensor, ...]:
        """Masks of the first public split, else of the paper's with seed 0.

        DGL's and dglgo's pipelines look for them where no ratio is given.
        """
        from .splits import make_split

        public = "public" if self.public_splits is not None else None
        split = make_split(self, public, seed=0)
        masks = torch.zeros(3, len(self.label), dtype=torch.bool)
        for mask, part in zip(masks, (split.train, split.val, split.test)):
            mask[part] = True
        return tuple(masks)


def to_tensor(array: np.ndarray) -> torch.Tensor:
    """A tensor on the array's memory; small integers become int64."""
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    if tensor.is_floating_point():
        return tensor
    return tensor.long()


def to_sparse_csr(matrix: sp.csr_matrix) -> torch.Tensor:
    """A ``torch.sparse_csr`` tensor of a scipy matrix."""
    with warnings.catch_warnings():
        # torch calls its CSR support beta in a warning at first use.
        warnings.filterwarnings("ignore", message="Sparse CSR tensor")
        return torch.sparse_csr_tensor(
            to_tensor(matrix.indptr),
            to_tensor(matrix.indices),
            torch.from_numpy(np.asarray(matrix.data, dtype=np.float32)),
            size=matrix.shape,
            check_invariants=False,
        )
