"""The blocks of a recipe that a name decides: the data set's, the model's.

They are built from the registry's options and from the model class's own
signature and docstring, so that code and recipe cannot disagree.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any, Optional, Union

from numpydoc.docscrape import NumpyDocString
from pydantic import BaseModel, Field, create_model, validator

from ..errors import DataError
from .fields import Strict, Text, choice, flag, real, whole
from .optim import optimizer_block, scheduler_block

__all__ = [
    "DataBlock",
    "SplitBlock",
    "block_at",
    "data_block",
    "model_block",
    "model_class",
]

_CLASSES = {"graph": "SignGTGraphClassifier", "node": "SignGTNodeClassifier"}
_share = real(low=0, high=1)
_drop = real(low=0, below=1)
# Bounds and choices of the model's options; the names and defaults are the
# signature's.
_MODEL_TYPES: dict[str, Any] = {
    "hidden_size": whole(1, 65_536),
    "num_layers": whole(1, 1000),
    "num_heads": whole(1, 1024),
    "k": whole(0, 100),
    "attention": choice("signed", "softmax", "tanh"),
    "norm": choice("layer", "batch", "none"),
    "norm_place": choice("post", "pre"),
    "input_drop": _drop,
    "attn_drop": _drop,
    "dropout": _drop,
    "ffn_ratio": real(above=0, high=64),
    "readout_layers": whole(1, 100),
    "pooling": choice("mean", "sum", "max", "attention", "set2set"),
    "backend": choice("auto", "reference", "dense", "tiled", "flex"),
    "khop_route": choice("auto", "weights", "products"),
}


def model_class(task: str) -> type:
    """The classifier of a ``"node"`` or ``"graph"`` task."""
    from .. import nn

    return getattr(nn, _CLASSES[task])


@cache
def model_block(name: str, task: str) -> type[BaseModel] | None:
    """The typed options of a model; None if the name is unknown."""
    if name != "signgt":
        return None
    from ..nn.activations import ACTIVATIONS

    cls = model_class(task)
    types = {
        **_MODEL_TYPES,
        "activation": choice(*ACTIVATIONS),
        "input_activation": choice(*ACTIVATIONS),
    }
    docs = {
        parameter.name: " ".join(" ".join(parameter.desc).split())
        for parameter in NumpyDocString(inspect.getdoc(cls) or "")["Parameters"]
    }
    # The value beside it says the default already.
    docs = {n: text.partition(" Default:")[0] for n, text in docs.items()}
    fields: dict[str, Any] = {"name": (choice("signgt"), ...)}
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.name in ("in_size", "num_classes"):
            continue
        default = parameter.default
        type_ = types.get(parameter.name) or _type_of(default)
        text = docs.get(parameter.name, "")
        fields[parameter.name] = (type_, Field(default, description=text))
    return create_model(f"{cls.__name__}Options", __base__=Strict, **fields)


class DataBlock(Strict):
    """What every data set's block has; each narrows the name."""

    name: Text
    transforms: list[Any] = Field(
        [], description="Feature and graph transforms, by name, in order"
    )

    @validator("transforms", each_item=True)
    def _known(cls, value: Any) -> Any:
        from ..data.transforms import check_transforms

        if not isinstance(value, (str, dict)):
            raise TypeError("must be a name, or a name with its settings")
        try:
            check_transforms([value])
        except DataError as error:
            raise ValueError(str(error)) from error
        return value


class SplitBlock(DataBlock):
    """The data of a training, which is split."""

    split: Text
    split_ratio: Optional[tuple[_share, _share, _share]] = Field(
        None,
        description="Shares of train, validation, test; null: the protocol's",
    )
    split_seed: Optional[whole(0)] = Field(
        None, description="Seed of the split; null: the run's own"
    )
    split_fold: Optional[whole(0, 10_000)] = Field(
        None, description="Fold or public split; null: by the run's number"
    )
    num_folds: whole(3, 10_000) = Field(10, description="Folds of kfold")


@cache
def data_block(
    name: str, task: str, split: bool = True
) -> type[BaseModel] | None:
    """The typed options of a data set; None if it has no such task."""
    from ..data import dataset_names, dataset_spec, split_protocols

    if name not in dataset_names(task):
        return None
    fields: dict[str, Any] = {"name": (choice(name), ...)}
    if split:
        usual = "per-label" if task == "node" else "random"
        text = f"One of {', '.join(split_protocols())}"
        fields["split"] = (
            choice(*split_protocols()),
            Field(usual, description=text),
        )
    for option in dataset_spec(name).options:
        type_ = _option_type(option)
        default = ... if option.required else option.default
        if default is None:
            type_ = Optional[type_]
        fields[option.name] = (type_, Field(default, description=option.doc))
    title = "".join(part.title() for part in name.split("-"))
    base = SplitBlock if split else DataBlock
    return create_model(f"{title}Data", __base__=base, **fields)


def _option_type(option: Any) -> Any:
    if option.choices:
        return choice(*option.choices)
    plain = {
        bool: flag,
        int: whole(-(2**31), 2**31 - 1),
        float: real(),
        str: Text,
    }
    return plain[option.type]


def _type_of(default: Any) -> Any:
    if isinstance(default, bool):
        return flag
    if isinstance(default, int):
        return whole(0)
    if isinstance(default, float):
        return real()
    return Text if isinstance(default, str) else Optional[Union[int, Text]]


def block_at(
    loc: tuple, content: Any, schema: type[BaseModel]
) -> type[BaseModel] | None:
    """The block of ``schema`` at a path, for listing its keys."""
    block: Any = schema
    task = "graph" if "graph" in content["pipeline_name"] else "node"
    for part in loc:
        content = content.get(part) if isinstance(content, dict) else None
        name = content.get("name") if isinstance(content, dict) else None
        if part in ("data", "model") and block is schema:
            find = data_block if part == "data" else model_block
            block = find(name, task)
        elif part in ("optimizer", "lr_scheduler"):
            find = optimizer_block if part == "optimizer" else scheduler_block
            block = find(name)
        elif block is not None and part in block.__fields__:
            block = block.__fields__[part].type_
        else:
            return None
    if isinstance(block, type) and issubclass(block, BaseModel):
        return block
    return None
