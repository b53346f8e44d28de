"""The models that a recipe can name.

A model's options are read off the signature and the docstring of its class,
so that code and recipe cannot disagree. All that training has to know about
a single model is its entry in :data:`MODELS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Optional, Union

import torch
from numpydoc.docscrape import NumpyDocString
from pydantic import BaseModel, Field, create_model

from .fields import Strict, Text, choice, flag, real, whole

__all__ = [
    "MODELS",
    "Model",
    "ModelBlock",
    "make_model",
    "model_block",
    "model_names",
]


@dataclass(frozen=True)
class Model:
    """What a recipe's ``model.name`` stands for.

    Parameters
    ----------
    title : str
        The name for people.
    classes : mapping
        For each task that the model can do, the name of its class in
        :mod:`dgl_signgt`.
    fixed : mapping, optional
        Arguments of the class that make it this model.
    without : collection of str, optional
        Arguments of the class that this model has no use for.
    """

    title: str
    classes: Mapping[str, str]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    without: frozenset[str] = frozenset()


# Options of one convolution, which the others do not have.
_SPECIAL = {"num_heads", "k", "aggregator"}
_BASELINES = {"node": "NodeBaseline", "graph": "GraphBaseline"}


def _baseline(
    title: str, conv: str, *own: str, graph: bool = True, **fixed: Any
) -> Model:
    """A convolution of ``dgl_signgt.nn.baselines`` with its own options."""
    classes = {t: c for t, c in _BASELINES.items() if graph or t == "node"}
    without = frozenset(_SPECIAL.difference(own))
    return Model(title, classes, {"conv": conv, **fixed}, without)


_SIGNGT = {"node": "SignGTNodeClassifier", "graph": "SignGTGraphClassifier"}

MODELS: dict[str, Model] = {
    "signgt": Model("SignGT", _SIGNGT),
    "gcn": _baseline("GCN", "gcn"),
    "gat": _baseline("GAT", "gat", "num_heads"),
    # Its point is to have nothing between the hops: it is a linear model.
    "sgc": _baseline(
        "SGC",
        "sgc",
        "k",
        graph=False,
        num_layers=1,
        norm="none",
        activation="none",
        residual=False,
        readout_layers=1,
    ),
    "sage": _baseline("GraphSAGE", "sage", "aggregator"),
    "gin": _baseline("GIN", "gin"),
    # Sees no edge: it takes the raw graph and needs no Â^k.
    "transformer": Model(
        "Transformer",
        _SIGNGT,
        {"attention": "softmax", "k": 0},
        frozenset({"khop_route"}),
    ),
}

_drop = real(low=0, below=1)
# Bounds and choices of the models' options; the names and defaults are the
# signatures'.
_TYPES: dict[str, Any] = {
    "hidden_size": whole(1, 65_536),
    "num_layers": whole(1, 1000),
    "num_heads": whole(1, 1024),
    "k": whole(0, 100),
    "attention": choice("signed", "softmax", "tanh", "none"),
    "aggregator": choice("mean", "pool", "gcn"),
    "norm": choice("layer", "batch", "graph", "none"),
    "norm_place": choice("post", "pre"),
    "residual_place": choice("both", "ffn", "layer"),
    "attn_scale": Optional[real(above=0, high=1e6)],
    "input_drop": _drop,
    "attn_drop": _drop,
    "dropout": _drop,
    "ffn_ratio": real(above=0, high=64),
    "readout_layers": whole(1, 100),
    "pooling": choice("mean", "sum", "max", "log-sum", "attention", "set2set"),
    "pooled_layers": choice("last", "all", "features"),
    "readout_norm": choice("none", "layer", "batch"),
    "backend": choice("auto", "reference", "dense", "tiled", "flex"),
    "khop_route": choice("auto", "weights", "products"),
}


class ModelBlock(Strict):
    """What every model's block of a recipe has; each adds its options."""

    name: str
    # None in models without such an option.
    k: ClassVar[Optional[int]] = None
    khop_route: ClassVar[Optional[str]] = None

    def graph_options(self) -> dict[str, Any]:
        """What :func:`dgl_signgt.load` is asked for: Â^k or the raw graph.

        A model that takes Â^k from its graph has the option
        ``khop_route``.
        """
        if self.khop_route is None:
            return {}
        return {"k": self.k, "khop_route": self.khop_route}


def model_names(task: str) -> list[str]:
    """The models for a ``"node"`` or ``"graph"`` task."""
    return [name for name, model in MODELS.items() if task in model.classes]


def make_model(recipe: Any, in_size: Any, num_classes: int) -> torch.nn.Module:
    """The model of a recipe, for data of these sizes."""
    options = recipe.model.dict(exclude={"name"})
    cls = _class(recipe.model.name, recipe.task)
    fixed = MODELS[recipe.model.name].fixed
    return cls(in_size, num_classes, **fixed, **options)


@cache
def model_block(name: str, task: str) -> type[BaseModel] | None:
    """The typed options of a model; None if there is none for the task."""
    if name not in model_names(task):
        return None
    model = MODELS[name]
    from ..nn.activations import ACTIVATIONS

    cls = _class(name, task)
    types = {
        **_TYPES,
        "activation": choice(*ACTIVATIONS),
        "input_activation": choice(*ACTIVATIONS),
    }
    docs = {
        parameter.name: " ".join(" ".join(parameter.desc).split())
        for parameter in NumpyDocString(inspect.getdoc(cls) or "")["Parameters"]
    }
    # The value beside it says the default already.
    docs = {n: text.partition(" Default:")[0] for n, text in docs.items()}
    hidden = {"in_size", "num_classes", *model.fixed, *model.without}
    fields: dict[str, Any] = {"name": (choice(name), ...)}
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.name in hidden:
            continue
        default = parameter.default
        type_ = types.get(parameter.name) or _type_of(default)
        text = docs.get(parameter.name, "")
        fields[parameter.name] = (type_, Field(default, description=text))
    title = f"{model.title}{task.title()}Options"
    return create_model(title, __base__=ModelBlock, **fields)


def _class(name: str, task: str) -> type[torch.nn.Module]:
    from .. import nn

    return getattr(nn, MODELS[name].classes[task])


def _type_of(default: Any) -> Any:
    if isinstance(default, bool):
        return flag
    if isinstance(default, int):
        return whole(0)
    if isinstance(default, float):
        return real()
    return Text if isinstance(default, str) else Optional[Union[int, Text]]
