"""The search space in a recipe's ``search:`` block."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationError, root_validator

from ..errors import RecipeError
from .fields import Strict, flag, real

__all__ = ["Range", "check_space", "parse_space"]

_BLOCKS = ("data.", "model.", "general_pipeline.")


class Range(Strict):
    """All numbers between two ends."""

    low: real() = Field(..., description="Smallest value")
    high: real() = Field(..., description="Largest value")
    log: flag = Field(False, description="Uniform in the logarithm")

    @root_validator(skip_on_failure=True)
    def _ordered(cls, values: dict[str, Any]) -> dict[str, Any]:
        if not values["low"] < values["high"]:
            raise ValueError("must have low below high")
        if values["log"] and values["low"] <= 0:
            raise ValueError("must have low above 0 for log")
        return values


def parse_space(search: dict[str, Any]) -> dict[str, list[Any] | Range]:
    """A ``search:`` block as choices and ranges by dotted key.

    Parameters
    ----------
    search : dict
        ``{"model.k": [1, 2], "general_pipeline.optimizer.lr": {"low":
        0.0001, "high": 0.01, "log": True}}``

    Returns
    -------
    dict
        Each key's list of choices or :class:`Range`.
    """
    space: dict[str, list[Any] | Range] = {}
    for key, value in search.items():
        if not str(key).startswith(_BLOCKS):
            raise RecipeError(
                f"search.{key}: must be a key of the recipe with its block, "
                f"for example model.num_layers"
            )
        if isinstance(value, list) and value:
            space[key] = value
        elif isinstance(value, dict):
            try:
                # Keys that YAML reads as numbers are unknown ones, too.
                space[key] = Range.parse_obj(
                    {str(name): end for name, end in value.items()}
                )
            except ValidationError as error:
                item = error.errors()[0]
                path = ".".join(str(p) for p in item["loc"] if p != "__root__")
                raise RecipeError(
                    f"search.{key}{path and '.'}{path}: {item['msg']}"
                ) from error
        else:
            raise RecipeError(
                f"search.{key}: must be a list of choices or a mapping with "
                f"low and high"
            )
    return space


def check_space(recipe: Any) -> list[tuple[str, str]]:
    """What is wrong in a recipe's search space: each choice is tried."""
    from .recipe import check_recipe, merge, plain

    try:
        space = parse_space(recipe.search)
    except RecipeError as error:
        path, _, text = str(error).partition(": ")
        return [(path, text)]
    base = {**plain(recipe), "search": None}
    found = []
    for key, values in space.items():
        tried = (
            values if isinstance(values, list) else [values.low, values.high]
        )
        for value in tried:
            try:
                check_recipe(merge(base, {key: value}), "search")
            except RecipeError as error:
                # Of several options that do not fit, others may be searched
                # too; only the key itself is to blame here.
                for line in str(error).splitlines():
                    if key in line:
                        found.append((f"search.{key}", line.strip()))
    return found
