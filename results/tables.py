"""Tables in Markdown."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["kept_scores_table", "markdown_table"]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with a head; ends with a line break."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def kept_scores_table(kept: Path, corner: str, kinds: Mapping[str, str]) -> str:
    """Mean and deviation of the scores in a file, by data set and kind.

    Parameters
    ----------
    kept : pathlib.Path
        JSON: for each data set, for each kind, the scores on its splits.
    corner : str
        Head of the column of data sets.
    kinds : mapping
        The kinds, with the heads of their columns.

    Returns
    -------
    str
        The table.
    """
    rows = [
        (
            name,
            *(
                f"{100 * statistics.mean(scores[kind]):.2f} ± "
                f"{100 * statistics.stdev(scores[kind]):.2f}"
                for kind in kinds
            ),
        )
        for name, scores in json.loads(kept.read_text("utf-8")).items()
    ]
    return markdown_table((corner, *kinds.values()), rows)
