"""A data set of one graph whose nodes are to be classified."""

from __future__ import annotations

from functools import cached_property

import dgl
import numpy as np
import scipy.sparse as sp
import torch

from .base_dataset import FlatDataset, to_sparse_csr, to_tensor

__all__ = ["NodeDataset"]


class NodeDataset(FlatDataset):
    """One graph, a label per node.

    ``graph``, ``feat`` and ``label`` serve SignGT and keep sparse features
    sparse; ``dataset[0]`` is the same graph by DGL's convention, with dense
    ``feat``, ``label`` and the masks of a default split in its node data.

    Parameters
    ----------
    name, flat, fingerprint, khop, raw_dir
        As in :class:`~dgl_signgt.data.base_dataset.FlatDataset`.

    Examples
    --------
    >>> dataset = load("digits-knn")
    >>> dataset.graph.num_nodes(), dataset.num_classes
    (1797, 10)
    """

    @cached_property
    def graph(self) -> dgl.DGLGraph:
        """The graph, without features: raw, or with Â^k on its edges."""
        num_nodes = self.flat.num_nodes
        if self.khop is None:
            ends = (to_tensor(self.flat.src), to_tensor(self.flat.dst))
            graph = dgl.graph(ends, num_nodes=num_nodes)
            if self.flat.edge_feat is not None:
                graph.edata["feat"] = to_tensor(self.flat.edge_feat)
        else:
            from ..khop import KHOP_WEIGHT, mark_khop_graph

            ends = (to_tensor(self.khop.src), to_tensor(self.khop.dst))
            graph = dgl.graph(ends, num_nodes=num_nodes)
            graph.edata[KHOP_WEIGHT] = to_tensor(self.khop.weight)
            mark_khop_graph(graph, self.khop.k, self.khop.times)
        graph.ndata["label"] = self.label
        return graph

    @cached_property
    def feat(self) -> torch.Tensor:
        """Features: dense, ``sparse_csr`` or categorical (int64)."""
        if sp.issparse(self.flat.feat):
            return to_sparse_csr(self.flat.feat)
        return to_tensor(self.flat.feat)

    def __getitem__(self, index: int) -> dgl.DGLGraph:
        if index not in (0, -1):
            raise IndexError(f"{self.name} has one graph, not {index}")
        graph = self.graph.local_var()
        feat = self.flat.feat
        if sp.issparse(feat):
            graph.ndata["feat"] = to_tensor(feat.toarray().astype(np.float32))
        else:
            graph.ndata["feat"] = self.feat
        masks = self.default_split()
        for key, mask in zip(("train", "val", "test"), masks):
            graph.ndata[f"{key}_mask"] = mask
        return graph

    def __len__(self) -> int:
        return 1
