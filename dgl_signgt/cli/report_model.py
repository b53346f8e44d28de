"""The parts of a report that need the trained model and its data."""

from __future__ import annotations

import json
from functools import cached_property
from html import escape
from typing import Any

from ..errors import SignGTError

__all__ = ["ModelView"]

# Graphs of a graph-level set that are looked at.
_GRAPHS = 64
_GRAPHS_IN_PLANE = 1000
_MOLECULE_SETS = ("nci5k", "nci1", "nci109", "mutagenicity")
_MOLECULES = 2
_WORDS = {
    "degree": "lowest, mean, highest",
    "size": "smallest, median, largest",
}


class ModelView:
    """What is to be seen in the best seed of a training.

    Parameters
    ----------
    run : RunFolder
        The training.
    node : int, optional
        The node whose attention is shown.
    spectrum_nodes : int
        The most nodes of a graph whose spectrum is computed.
    """

    def __init__(self, run: Any, node: int | None, spectrum_nodes: int) -> None:
        self.run = run
        self.node = node
        self.spectrum_nodes = spectrum_nodes
        self.best = run.best()
        self.spectrum: Any = None
        self.missing = ""
        from ..training import load_checkpoint

        folder = run.seed_folder(self.best)
        self.trained = load_checkpoint(folder / "best.pt")
        self.split = json.loads((folder / "split.json").read_text())
        try:
            self.dataset = self._load()
        except SignGTError as error:
            # The page is worth having without the data, too.
            self.missing = str(error)
        else:
            self._check_node()

    def _load(self) -> Any:
        """The raw graphs: the spectrum is theirs, not that of Â^k."""
        from ..data import load
        from ..training.schema import data_options

        data = self.trained.recipe.data
        return load(data.name, transforms=data.transforms, **data_options(data))

    def _check_node(self) -> None:
        if self.node is None or self.dataset.task != "node":
            return
        count = self.dataset.graph.num_nodes()
        if not 0 <= self.node < count:
            raise SignGTError(
                f"--node: {self.dataset.name} has nodes from 0 to "
                f"{count - 1}, not {self.node}"
            )

    def data(self) -> list[str]:
        """What is in the data set."""
        from ..viz.page import definitions

        if self.missing:
            return [_note(f"The data could not be loaded: {self.missing}")]
        from ..data import dataset_statistics

        values = {}
        for name, value in dataset_statistics(self.dataset).items():
            if value is None:
                continue
            if name in _WORDS:
                value = ", ".join(map(str, value)) + f" ({_WORDS[name]})"
            elif isinstance(value, list):
                value = ", ".join(map(str, value))
            elif isinstance(value, dict):
                value = ", ".join(f"{k}: {v}" for k, v in value.items())
            elif isinstance(value, float):
                value = f"{value:.4g}"
            values[name.replace("_", " ")] = value
        parts = {p: len(self.split[p]) for p in ("train", "val", "test")}
        values["split"] = f"{self.split['protocol']}: " + ", ".join(
            f"{count} {name}" for name, count in parts.items()
        )
        return [definitions(values)]

    def pictures(self) -> list[Any]:
        """Confusion, representations and, where the model has it, attention.

        With the attention goes its spectrum, which is kept.
        """
        if self.missing:
            return [_note("Without the data there are no pictures of it.")]
        seed = self.best["seed"]
        parts: list[Any] = [
            f"<p>The model of seed {seed}, which has the best validation "
            f"score of all, on the test part.</p>"
        ]
        parts += self._predictions()
        if self.dataset.task == "node":
            parts += self._node_pictures()
        else:
            parts += self._graph_pictures()
        return parts

    @property
    def _attends(self) -> bool:
        """Whether the model has attention to show, as SignGT has."""
        chosen = getattr(self.trained.recipe.model, "attention", None)
        return hasattr(self.trained.model, "attention") and chosen != "none"

    def _predictions(self) -> list[Any]:
        if self.dataset.label_kind != "multiclass":
            return []
        from ..training import predict
        from ..viz.run_pictures import confusion_picture

        guess = predict(self.trained, self._khop, indices=self._test).classes
        truth = self.dataset.label[self._test]
        parts: list[Any] = []
        accuracy = float((guess == truth).float().mean())
        logged = self.best["test"]
        if self.run.metric == "accuracy" and abs(accuracy - logged) > 1e-6:
            parts.append(
                _note(
                    f"On the data found here the model scores "
                    f"{accuracy:.2%}; the training logged {logged:.2%}. "
                    f"The data differ, or the numbers of another machine do."
                )
            )
        classes = self.dataset.num_classes
        return [*parts, confusion_picture(truth, guess, classes)]

    @cached_property
    def _khop(self) -> Any:
        """The data as in training: Â^k takes the route of the recipe."""
        from ..training import load_data

        return load_data(self.trained.recipe)

    @cached_property
    def _test(self) -> Any:
        import torch

        return torch.tensor(self.split["test"])

    def _node_pictures(self) -> list[Any]:
        import torch

        from ..viz import run_pictures as draw

        data, model = self.dataset, self.trained.model
        graph, feat, label = data.graph, data.feat, data.label
        parts: list[Any] = []
        if data.label_kind == "multiclass":
            with torch.no_grad():
                hidden = model.encoder(graph, feat)[self._test]
            parts.append(draw.tsne_picture(hidden, label[self._test]))
        if not self._attends:
            return parts
        if data.label_kind == "multiclass":
            node = int(self._test[0]) if self.node is None else self.node
            parts += draw.attention_pictures(model, graph, feat, label, node)
        parts.append(draw.negative_share_picture(model, [(graph, feat)]))
        return parts + self._measure([(graph, feat)])

    def _graph_pictures(self) -> list[Any]:
        import torch

        from ..viz import run_pictures as draw

        data, model = self.dataset, self.trained.model
        parts: list[Any] = []
        if data.label_kind == "multiclass":
            chosen = self._test[:_GRAPHS_IN_PLANE]
            graph, label = self._khop.batch(chosen)
            with torch.no_grad():
                pooled = model.represent(graph, graph.ndata["feat"])
            parts.append(draw.tsne_picture(pooled, label))
        if not self._attends:
            return parts
        few = [
            (graph, graph.ndata["feat"])
            for graph, _ in (data[int(i)] for i in self._test[:_GRAPHS])
        ]
        if data.name in _MOLECULE_SETS:
            # Of middle size: legible, and with something to see.
            by_size = sorted(range(len(few)), key=lambda i: len(few[i][1]))
            middle = by_size[len(few) // 2 :][:_MOLECULES]
            molecules = {
                f"{data.name} {int(self._test[i])}": (
                    _molecule(data.name, few[i][0]),
                    *few[i],
                )
                for i in middle
            }
            named = data.name == "nci5k"
            parts += draw.molecule_pictures(model, molecules, named)
        parts.append(draw.negative_share_picture(model, few))
        return parts + self._measure(few)

    def _measure(self, graphs: list[Any]) -> list[str]:
        from ..viz.spectrum import measure_spectrum

        largest = max(graph.num_nodes() for graph, _ in graphs)
        if largest > self.spectrum_nodes:
            return [
                _note(
                    f"No spectral response: {largest} nodes are more than "
                    f"--spectrum-nodes {self.spectrum_nodes}."
                )
            ]
        self.spectrum = measure_spectrum(self.trained.model, graphs)
        return []


def _molecule(name: str, graph: Any) -> Any:
    """An RDKit molecule of a graph, with what the set tells of its atoms."""
    from ..data.embedded.nci5k import ATOM_FEATURES, BOND_FEATURES
    from ..viz.molecule import molecule_of_graph

    feat, bonds = graph.ndata["feat"], None
    if name == "nci5k":
        elements = [n.split()[1] for n in ATOM_FEATURES if "element" in n]
        kinds = feat[:, : len(elements)].argmax(1)
        symbols = [elements[i] for i in kinds]
        orders = [n for n in BOND_FEATURES if n != "in ring"]
        kinds = graph.edata["feat"][:, : len(orders)].argmax(1)
        bonds = [orders[i] for i in kinds]
    else:
        # The benchmark's files number the elements and do not name them.
        column = feat if feat.dim() == 1 else feat[:, 0]
        if feat.is_floating_point():
            column = feat.argmax(1)
        symbols = [str(int(i)) for i in column]
    return molecule_of_graph(*graph.edges(), symbols, bonds)


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'
