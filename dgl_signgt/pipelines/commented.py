"""YAML with every option, its value, and its meaning as a comment."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from pydantic import BaseModel

__all__ = ["commented_yaml"]

_COLUMN = 34


def commented_yaml(block: BaseModel, head: str = "") -> str:
    """Write a checked recipe as YAML, with its code's own docs.

    Parameters
    ----------
    block : pydantic.BaseModel
        The recipe.
    head : str, optional
        Lines for an opening comment.

    Returns
    -------
    str
        YAML text that reads back to the same recipe.
    """
    lines = [f"# {line}".rstrip() for line in head.splitlines()]
    lines += _block(block, "")
    return "\n".join(lines) + "\n"


def _block(block: BaseModel, indent: str) -> list[str]:
    lines = []
    for name, field in block.__fields__.items():
        value = getattr(block, name)
        text = field.field_info.description or ""
        if isinstance(value, BaseModel):
            lines += _commented(f"{indent}{name}:", text)
            lines += _block(value, indent + "  ")
        elif value is None and name == "search":
            continue
        else:
            lines += _commented(f"{indent}{name}: {_scalar(value)}", text)
    return lines


def _scalar(value: Any) -> str:
    """JSON is YAML, and shows what is a string and what is not."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_scalar(item) for item in value) + "]"
    if isinstance(value, str) and _bare(value):
        return value
    if isinstance(value, float):
        text = repr(value)
        # YAML 1.1 wants a dot and a sign: 1e-05 would be a string.
        if "e" in text and "." not in text:
            text = text.replace("e", ".0e")
        return text
    return json.dumps(value, ensure_ascii=False)


def _bare(text: str) -> bool:
    """Whether YAML takes the text for a string without quotes."""
    plain = text.replace("-", "").isalnum() and text[0].isalpha()
    return plain and text.lower() not in _WORDS


_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def _commented(line: str, text: str) -> list[str]:
    if not text:
        return [line]
    # Long docs go on in the lines below, in the comment column.
    parts = textwrap.wrap(text, max(40, 100 - _COLUMN))
    lines = [f"{line:<{_COLUMN}}# {parts[0]}"]
    if len(line) >= _COLUMN:
        lines = [f"{line}  # {parts[0]}"]
    return lines + [f"{'':<{_COLUMN}}# {part}" for part in parts[1:]]
