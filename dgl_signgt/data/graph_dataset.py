"""A data set of many graphs, each with a label."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import dgl
import scipy.sparse as sp
import torch
from dgl.data.utils import Subset

from .base_dataset import FlatDataset, to_sparse_csr, to_tensor
from .flat import offsets

__all__ = ["GraphDataset"]


class GraphDataset(FlatDataset):
    """Many graphs in flat arrays, batched without work per graph.

    ``dataset[i]`` is a graph and its label, as DGL's loaders expect;
    :meth:`batch` makes a batch of any graphs about a hundred times faster
    than ``dgl.batch`` of single ones.

    Parameters
    ----------
    name, flat, fingerprint, khop, raw_dir
        As in :class:`~dgl_signgt.data.base_dataset.FlatDataset`.

    Examples
    --------
    >>> dataset = load("nci5k")
    >>> graph, labels = dataset.batch([0, 5, 7])
    >>> graph.batch_size, labels.shape
    (3, torch.Size([3]))
    """

    @cached_property
    def sizes(self) -> torch.Tensor:
        """Nodes of each graph."""
        return to_tensor(self.flat.node_counts)

    @cached_property
    def feat(self) -> torch.Tensor:
        """Features of the nodes of all graphs, one after the other."""
        if sp.issparse(self.flat.feat):
            return to_sparse_csr(self.flat.feat)
        feat = torch.from_numpy(self.flat.feat)
        return feat if feat.is_floating_point() else feat.long()

    @property
    def num_tasks(self) -> int:
        """Outputs per graph in DGL's sense: labels, not classes."""
        return 1 if self.label.ndim == 1 else self.label.shape[1]

    @property
    def train_mask(self) -> torch.Tensor:
        """Training graphs of the default split."""
        return self.default_split()[0]

    @property
    def val_mask(self) -> torch.Tensor:
        """Validation graphs of the default split."""
        return self.default_split()[1]

    @property
    def test_mask(self) -> torch.Tensor:
        """Test graphs of the default split."""
        return self.default_split()[2]

    def __len__(self) -> int:
        return len(self.flat.node_counts)

    def __getitem__(
        self, index: int | Sequence[int] | torch.Tensor
    ) -> tuple[dgl.DGLGraph, torch.Tensor] | Subset:
        if isinstance(index, torch.Tensor) and index.ndim == 0:
            index = int(index)
        if not hasattr(index, "__index__") or isinstance(index, torch.Tensor):
            return Subset(self, torch.as_tensor(index))
        position = int(index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"{self.name} has {len(self)} graphs, not {index}")
        graph, label = self.batch([position % len(self)])
        return graph, label[0]

    def batch(
        self, indices: Sequence[int] | torch.Tensor
    ) -> tuple[dgl.DGLGraph, torch.Tensor]:
        """Batch some graphs.

        Parameters
        ----------
        indices : sequence of int or torch.Tensor
            Which graphs, in which order.

        Returns
        -------
        tuple of DGLGraph and Tensor
            The batch with ``feat`` in its node data, and the labels.
        """
        chosen = torch.as_tensor(indices, dtype=torch.int64)
        sizes = self.sizes[chosen]
        nodes = _ranges(self._node_start[chosen], sizes)
        counts = self._edge_counts[chosen]
        edges = _ranges(self._edge_start[chosen], counts)
        shift = torch.repeat_interleave(torch.cumsum(sizes, 0) - sizes, counts)
        graph = dgl.graph(
            (self._src[edges] + shift, self._dst[edges] + shift),
            num_nodes=len(nodes),
        )
        graph.ndata["feat"] = self._rows(nodes)
        if self.khop is not None:
            from ..khop import KHOP_WEIGHT, mark_khop_graph

            graph.edata[KHOP_WEIGHT] = self._weight[edges]
            mark_khop_graph(graph, self.khop.k, self.khop.times)
        elif self._edge_feat is not None:
            graph.edata["feat"] = self._edge_feat[edges]
        graph.set_batch_num_nodes(sizes)
        graph.set_batch_num_edges(counts)
        return graph, self.label[chosen]

    def _rows(self, nodes: torch.Tensor) -> torch.Tensor:
        """Features of some nodes, dense, since DGL batches no others."""
        if sp.issparse(self.flat.feat):
            return torch.from_numpy(self.flat.feat[nodes.numpy()].toarray())
        return self.feat[nodes]

    @property
    def _edges(self):
        return self.flat if self.khop is None else self.khop

    @cached_property
    def _node_start(self) -> torch.Tensor:
        return torch.from_numpy(offsets(self.flat.node_counts)[:-1])

    @cached_property
    def _edge_counts(self) -> torch.Tensor:
        return to_tensor(self._edges.edge_counts)

    @cached_property
    def _edge_start(self) -> torch.Tensor:
        return torch.from_numpy(offsets(self._edges.edge_counts)[:-1])

    # The ends of edges stay int32 on the (mapped) cache file: millions of
    # edges are widened a batch at a time, by adding int64 offsets.
    @cached_property
    def _src(self) -> torch.Tensor:
        return torch.from_numpy(self._edges.src)

    @cached_property
    def _dst(self) -> torch.Tensor:
        return torch.from_numpy(self._edges.dst)

    @cached_property
    def _weight(self) -> torch.Tensor:
        return torch.from_numpy(self.khop.weight)

    @cached_property
    def _edge_feat(self) -> torch.Tensor | None:
        feat = self.flat.edge_feat
        return None if feat is None else to_tensor(feat)


def _ranges(start: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Concatenate ``arange(start_i, start_i + count_i)`` for all i."""
    before = torch.cumsum(counts, 0) - counts
    total = int(counts.sum())
    return torch.repeat_interleave(start - before, counts) + torch.arange(total)
