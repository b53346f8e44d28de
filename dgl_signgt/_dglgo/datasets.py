"""Our data sets in the form that dglgo's own pipelines read.

They expect float features on nodes and edges, and graph labels that are rows
of binary tasks. So categorical features become one-hot, graphs without edge
features get a constant one, and C > 2 classes become C one-against-rest tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dgl
import torch
from dgl.data.utils import Subset
from torch.nn.functional import one_hot

from ..data import GraphDataset, NodeDataset, load

__all__ = ["StockGraphs", "StockNodes", "stock_dataset"]


def _as_float(feat: torch.Tensor, in_size: int | Sequence[int]) -> torch.Tensor:
    """Features as floats; a categorical column becomes one-hot columns."""
    if isinstance(in_size, int):
        return feat.float()
    columns = feat.reshape(len(feat), -1).unbind(1)
    return torch.cat(
        [one_hot(c, size) for c, size in zip(columns, in_size)], dim=1
    ).float()


class _Stock:
    """What both kinds share."""

    def __init__(self, dataset: NodeDataset | GraphDataset) -> None:
        self.dataset = dataset
        # DGL caches by name alone; other options have another fingerprint.
        self.name = f"signgt-{dataset.name}-{dataset.fingerprint[:12]}"

    def __len__(self) -> int:
        return len(self.dataset)


class StockNodes(_Stock):
    """A data set of nodes for dglgo's ``nodepred`` and ``linkpred``.

    Parameters
    ----------
    dataset : NodeDataset
        The data set, with raw graphs.
    """

    @property
    def num_classes(self) -> int:
        """The number of classes."""
        return self.dataset.num_classes

    def __getitem__(self, index: int) -> dgl.DGLGraph:
        graph = self.dataset[index]
        graph.ndata["feat"] = _as_float(
            graph.ndata["feat"], self.dataset.in_size
        )
        return graph


class StockGraphs(_Stock):
    """A data set of graphs for dglgo's ``graphpred``.

    Parameters
    ----------
    dataset : GraphDataset
        The data set, with raw graphs.
    """

    def __init__(self, dataset: GraphDataset) -> None:
        super().__init__(dataset)
        label = dataset.label
        if dataset.label_kind == "multiclass":
            if dataset.num_classes > 2:
                label = one_hot(label, dataset.num_classes)
            else:
                label = label.unsqueeze(1)
        self.label = label.float()

    @property
    def num_tasks(self) -> int:
        """The number of binary tasks."""
        return self.label.shape[1]

    def get_idx_split(self) -> dict[str, torch.Tensor]:
        """The default split, under the names of OGB."""
        masks = self.dataset.default_split()
        return {
            part: mask.nonzero().squeeze(1)
            for part, mask in zip(("train", "valid", "test"), masks)
        }

    def __getitem__(
        self, index: int | torch.Tensor
    ) -> tuple[dgl.DGLGraph, torch.Tensor] | Subset:
        if isinstance(index, torch.Tensor) and index.ndim:
            return Subset(self, index)
        graph, _ = self.dataset[index]
        graph.ndata["feat"] = _as_float(
            graph.ndata["feat"], self.dataset.in_size
        )
        edge_feat = graph.edata.get("feat")
        if edge_feat is None:
            edge_feat = torch.ones(graph.num_edges(), 1)
        graph.edata["feat"] = edge_feat.reshape(graph.num_edges(), -1).float()
        return graph, self.label[index]


# What dglgo has in a recipe's data block beside the options of the set.
_NOT_OPTIONS = ("name", "split_ratio", "neg_ratio")


def stock_dataset(
    registry_name: str, /, **block: Any
) -> StockNodes | StockGraphs:
    """Load one of our data sets for a pipeline of dglgo.

    Parameters
    ----------
    registry_name : str
        The name of the data set.
    **block
        The recipe's data block: options of the data set, and keys of dglgo's
        own, which are not for us.

    Returns
    -------
    StockNodes or StockGraphs
        What ``dgl.data.AsNodePredDataset`` or ``AsGraphPredDataset`` takes.
    """
    options = {k: v for k, v in block.items() if k not in _NOT_OPTIONS}
    dataset = load(registry_name, **options)
    kind = StockNodes if dataset.task == "node" else StockGraphs
    return kind(dataset)
