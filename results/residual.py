"""What hangs on the attention when a node's own state does not pass it by."""

from __future__ import annotations

from typing import Any

from results.compared import (
    count_words,
    paired_runs,
    paper_beside,
    words_of,
)
from results.runs import summarise
from results.tables import markdown_table

__all__ = ["residual_section"]

_WORDS = """\
## Where the residual is

The paper says that it uses residual connections, not where. The recipes have
one around each part of a layer, so that a node keeps what it is and attention
can only add to it. In the column *recipe* they do; the other columns are tuned
for none of this. Each is over the seeds that all of a row have.
"""
_LAYER_WORDS = """\
One around the whole layer (`model.residual_place: layer`): the structure-aware
network, and so what a node learns of its neighbours, sees only what the
attention lets through. The norm is `graph`, all other settings are the
recipe's.
"""
_FFN_WORDS = """\
None around the attention (`model.residual_place: ffn`), as in the paper's
formula of that module: a node goes on with what it attended to and nothing
else. The settings are the recipe's or, where the line says so, the recipe's as
it was: with *AdamW* before its L2 penalty, or with *no average* of the weights
(both below).
"""
# Tags of the runs, with those of the same with a residual around each part.
_LAYER_TAGS = {"layer residual": None}
_FFN_TAGS = {
    "residual": None,
    "residual, no average": "no average",
    "residual, AdamW": "AdamW",
}
_COLUMNS = {"signed": "signed", "softmax": "SignGT-O", "tanh": "SignGT-T"}


def residual_section(runs: list[dict[str, Any]]) -> str:
    """The tables of runs with residuals elsewhere than in the recipes.

    Parameters
    ----------
    runs : list of dict
        All kept runs.

    Returns
    -------
    str
        The section; empty without such runs.
    """
    parts = []
    for words, tags in ((_LAYER_WORDS, _LAYER_TAGS), (_FFN_WORDS, _FFN_TAGS)):
        pairs = [*paired_runs(tags, runs)]
        if pairs:
            parts += [words, _table(pairs)]
    return "\n".join([_WORDS, *parts]) if parts else ""


def _table(pairs: list[tuple[Any, ...]]) -> str:
    lines = [
        [label, *_cells(dataset, usual, rows)]
        for dataset, label, rows, usual in pairs
    ]
    head = ("data", "recipe", *_COLUMNS.values())
    above = {
        name: [
            test["signed"] > test[kind]
            for test in map(_means, (rows for _, _, rows, _ in pairs))
            if {"signed", kind} <= test.keys()
        ]
        for kind, name in _COLUMNS.items()
        if kind != "signed"
    }
    return f"{markdown_table(head, lines)}\n{count_words(above, 'signed')}"


def _means(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Mean score of each kind of attention over the seeds of all of them."""
    scores: dict[str, dict[int, float]] = {}
    for row in rows:
        kind = row["overrides"]["model.attention"]
        scores.setdefault(kind, {})[row["seed"]] = row["test"]
    common = set.intersection(*map(set, scores.values()))
    return {
        kind: sum(tests[seed] for seed in common)
        for kind, tests in scores.items()
        if common
    }


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
