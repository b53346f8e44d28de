"""The recipes on seeds that nothing was run on before they were fixed."""

from __future__ import annotations

from typing import Any

from results.compared import paired_runs, words_of
from results.runs import paper_bar, summarise
from results.tables import markdown_table

__all__ = ["fresh_section"]

_WORDS = """\
## Seeds never run before

Recipes were chosen on seeds from 100 up, but all splits are drawn from the same
nodes, and here and there a test score was seen on the way. So many of the
recipes were run, once they were fixed, on the seeds from 10 up, and those of
Cora and Chameleon, which were changed after that, from 20 up: splits that had
not been used for anything (`results/fresh.yaml`). The table has how many of
them. *Bar*: the paper's mean minus one of its standard deviations. *No
average*, *L2*, *projection before*: see below, under the average and the decay
of the weights and the projection.
"""
# Tags of the runs on fresh seeds, with those of the same on the usual ones.
_TAGS = {
    "fresh": None,
    "fresh, no average": "no average",
    "fresh, L2": "L2",
    "fresh, projection before": "projection before",
}


def fresh_section(runs: list[dict[str, Any]]) -> str:
    """The table of runs on fresh seeds; empty without any.

    Parameters
    ----------
    runs : list of dict
        All kept runs.

    Returns
    -------
    str
        The section.
    """
    lines = []
    for dataset, label, fresh, usual in paired_runs(_TAGS, runs):
        lines.append(
            (
                label,
                words_of(summarise(usual)),
                words_of(summarise(fresh)),
                f"{paper_bar(dataset):.2f}",
            )
        )
    head = ("data", "seeds of the tables", "fresh seeds", "bar")
    return f"{_WORDS}\n{markdown_table(head, lines)}" if lines else ""
