"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["markdown_table"]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with a head; ends with a line break."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
