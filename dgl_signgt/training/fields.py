"""Types of single recipe values: strict, bounded, and clear when wrong."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import BaseModel, StrictBool, conint
from pydantic.types import ConstrainedFloat
from pydantic.validators import number_size_validator

from ..errors import nearest

__all__ = [
    "Strict",
    "Text",
    "choice",
    "flag",
    "real",
    "unknown_name",
    "whole",
]


class Strict(BaseModel):
    """A block of a recipe: every key is known, every value is checked."""

    class Config:
        extra = "forbid"
        allow_mutation = False


class _Real(ConstrainedFloat):
    """A finite number.

    YAML 1.1 reads ``1e-3`` as a string, so numbers written as strings count;
    ``true`` is not a number.
    """

    @classmethod
    def __get_validators__(cls):
        yield cls.finite
        yield number_size_validator

    @classmethod
    def finite(cls, value: Any) -> float:
        try:
            if isinstance(value, bool) or not isinstance(
                value, (int, float, str)
            ):
                raise ValueError
            number = float(value)
        except (ValueError, OverflowError):
            raise TypeError("must be a number") from None
        if not math.isfinite(number):
            raise ValueError("must be a finite number")
        return number


def real(
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> type[float]:
    """A finite float in ``[low, high]``, or in the open ``(above, below)``."""
    limits = {"ge": low, "le": high, "gt": above, "lt": below}
    return type("Real", (_Real,), limits)


def whole(low: int, high: int = 2**31 - 1) -> type[int]:
    """An integer in ``[low, high]``; neither ``true`` nor ``2.0`` is one."""
    return conint(strict=True, ge=low, le=high)


def choice(*names: str) -> Any:
    """One of ``names``."""
    return Literal[names]  # type: ignore[valid-type]


class Text(str):
    """A string of at most 1000 printable characters."""

    @classmethod
    def __get_validators__(cls):
        yield cls.check

    @classmethod
    def check(cls, value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError("must be a string")
        if not value or len(value) > 1000 or not value.isprintable():
            raise ValueError("must be 1 to 1000 printable characters")
        return value


flag = StrictBool


def unknown_name(name: Any, names: list[str]) -> str:
    """The message for a name that is not on a list."""
    shown = str(name)[:60]
    hint = nearest(shown, names)
    for valid in names:
        if valid.lower() == shown.lower():
            hint = f" (did you mean {valid!r}?)"
    return f"unknown {shown!r}{hint}; one of {', '.join(names)}"
