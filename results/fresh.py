"""The recipes on seeds that nothing was run on before they were fixed."""

from __future__ import annotations

from typing import Any

from results.compared import plain_cell, words_of
from results.runs import paper_score, summarise
from results.tables import markdown_table

__all__ = ["fresh_section"]

_WORDS = """\
## Seeds never run before

Recipes were chosen on validation scores of seeds from 100 up, but all splits
are drawn from the same nodes, and here and there a test score was seen on the
way. So some of the recipes were run, once they were fixed, on the seeds 10 to
19, whose splits had not been used for anything (`results/fresh.yaml`). *Bar*:
the paper's mean minus one of its standard deviations.
"""


def fresh_section(runs: list[dict[str, Any]]) -> str:
    """The table of runs with the tag ``fresh``; empty without any.

    Parameters
    ----------
    runs : list of dict
        All kept runs.

    Returns
    -------
    str
        The section.
    """
    rows = [row for row in runs if row["tag"] == "fresh"]
    lines = []
    for recipe in dict.fromkeys(row["recipe"] for row in rows):
        dataset = recipe.removeprefix("signgt_")
        cell = summarise(row for row in rows if row["recipe"] == recipe)
        mean, std = paper_score(dataset, "SignGT")
        lines.append(
            (
                dataset,
                words_of(plain_cell(dataset, runs)),
                words_of(cell),
                f"{mean - std:.2f}",
            )
        )
    head = ("data", "seeds of the tables", "fresh seeds", "bar")
    return f"{_WORDS}\n{markdown_table(head, lines)}" if lines else ""
