"""The block of a recipe's data, which the name of the data set decides.

It is built from the registry's options, so that code and recipe cannot
disagree; :mod:`.models` does the same for models.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Optional

from pydantic import BaseModel, Field, create_model, validator

from ..errors import DataError
from .fields import Strict, Text, choice, flag, real, whole
from .models import model_block
from .optim import optimizer_block, scheduler_block

__all__ = [
    "DataBlock",
    "SplitBlock",
    "block_at",
    "cut_search",
    "data_block",
]

_share = real(low=0, high=1)


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


def cut_search(
    content: dict[str, Any], path: list[str], schema: type[BaseModel]
) -> None:
    """Leave out of ``search`` what a block with a new name does not have."""
    block = block_at(tuple(path), content, schema)
    if block is None:
        return
    start = ".".join([*path, ""])
    content["search"] = {
        key: value
        for key, value in content["search"].items()
        if not str(key).startswith(start)
        or key.removeprefix(start) in block.__fields__
    }
