"""What hangs on the attention when a node's own state does not pass it by."""

from __future__ import annotations

from typing import Any

from results.compared import paired_runs, paper_beside, words_of
from results.runs import summarise
from results.tables import markdown_table

__all__ = ["residual_section"]

_WORDS = """\
## Where the residual is

The paper says that it uses residual connections, not where. The recipes have
one around each part of a layer, so that a node keeps what it is and attention
can only add to it. Here there is none around the attention
(`model.residual_place: ffn`), as in the paper's formula of that module: a node
goes on with what it attended to and nothing else. All other settings are the
recipe's, tuned for none of these; *AdamW* is Cora's recipe as it was before its
L2 penalty. *Recipe*: with both residuals. Each is over the seeds that all of a
row have.
"""
# Tags of the runs, with those of the same with both residuals.
_TAGS = {"residual": None, "residual, AdamW": "AdamW"}
_COLUMNS = {"signed": "signed", "softmax": "SignGT-O", "tanh": "SignGT-T"}


def residual_section(runs: list[dict[str, Any]]) -> str:
    """The table of runs without a residual around the attention.

    Parameters
    ----------
    runs : list of dict
        All kept runs.

    Returns
    -------
    str
        The section; empty without such runs.
    """
    lines = [
        [label, *_cells(dataset, usual, rows)]
        for dataset, label, rows, usual in paired_runs(_TAGS, runs)
    ]
    head = ("data", "recipe", *_COLUMNS.values())
    return f"{_WORDS}\n{markdown_table(head, lines)}" if lines else ""


def _cells(
    dataset: str, reference: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> list[str]:
    columns = [reference]
    for kind in _COLUMNS:
        columns.append(
            [x for x in rows if x["overrides"]["model.attention"] == kind]
        )
    common = set.intersection(
        *({row["seed"] for row in column} for column in columns if column)
    )
    cells = [
        words_of(summarise(row for row in column if row["seed"] in common))
        for column in columns
    ]
    beside = ["", *(paper_beside(dataset, name) for name in _COLUMNS.values())]
    return [cell + paper for cell, paper in zip(cells, beside)]
