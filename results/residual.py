"""What hangs on the attention when a node's own state does not pass it by."""

from __future__ import annotations

from typing import Any

from results.compared import (
    is_gain,
    paired_runs,
    paper_beside,
    words_of,
    words_of_wins,
)
from results.runs import summarise
from results.tables import markdown_table

__all__ = ["residual_section"]

_WORDS = """\
## Where the residual is

The paper says that it uses residual connections, not where. The recipes have
one around each part of a layer, so that a node keeps what it is and attention
can only add to it, and were tuned so; the other columns were not. Each is over
the seeds that all of a row have. *Projection before*: the recipes of Chameleon
and Squirrel as they were with a linear projection of the features, that of
Chameleon narrower, too (below).
"""
_LAYER_WORDS = """\
One around the whole layer (`model.residual_place: layer`): the structure-aware
network, and so what a node learns of its neighbours, sees only what the
attention lets through. The norm is `graph`, which several recipes have and the
others have not, the factor of the scores one over the root of d, which
UAI2010's recipe has not; all other settings are the recipe's. On two seeds of
Cora the norm `layer` was looked at before, too: signed attention was as good
with it, tanh attention better. On four, with a factor of 1, softmax attention
was hardly behind (`results/probes/sketches.txt`).
"""
_FFN_WORDS = """\
None around the attention (`model.residual_place: ffn`), as in the paper's
formula of that module: a node goes on with what it attended to and nothing
else. The settings are the recipe's as it was: with *AdamW* before its L2
penalty, with *no average* of the weights, or with the projection of before (all
below).
"""
_PRINTED_WORDS = """\
The formulas as printed: again no residual around the attention, and the scores
as they are, without the factor of one over the root of d, which the formula of
signed attention has not (`model.attn_scale: 1`); no norm, of which the paper
does not speak, no dropout of the attention weights, and for all data sets one
optimiser of the paper's grid, AdamW with a learning rate of 0.005 and a decay
of 0.0005, with no average of the weights. All else is the recipe's. Nothing of
it was tuned; on five sets it was looked at before, on seeds from 100 up.
"""
# Tags of the runs, with those of the same with a residual around each part.
_LAYER_TAGS = {
    "layer residual, projection before": "projection before",
    "layer residual": None,
}
_FFN_TAGS = {
    "residual, projection before": "projection before",
    "residual, no average": "no average",
    "residual, AdamW": "AdamW",
}
_PRINTED_TAGS = {
    "as printed, projection before": "projection before",
    "as printed": None,
}
_TABLES = (
    (_LAYER_WORDS, _LAYER_TAGS),
    (_FFN_WORDS, _FFN_TAGS),
    (_PRINTED_WORDS, _PRINTED_TAGS),
)
_RIVALS = {"softmax": "SignGT-O", "tanh": "SignGT-T"}


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
    for words, tags in _TABLES:
        pairs = [*paired_runs(tags, runs)]
        if pairs:
            parts += [words, _table(pairs)]
    return "\n".join([_WORDS, *parts]) if parts else ""


def _table(pairs: list[tuple[Any, ...]]) -> str:
    lines, above = [], {name: [] for name in _RIVALS.values()}
    for dataset, label, rows, usual in pairs:
        columns = _columns(usual, rows)
        cells = {kind: summarise(runs) for kind, runs in columns.items()}
        line = [label, words_of(cells["recipe"]), words_of(cells["signed"])]
        for kind, name in _RIVALS.items():
            line.append(words_of(cells[kind]) + paper_beside(dataset, name))
            if cells["signed"] and cells[kind]:
                gain = cells["signed"].mean - cells[kind].mean
                above[name].append(is_gain(gain))
        lines.append(line)
    head = ("data", "recipe", "signed", *_RIVALS.values())
    counts = words_of_wins(above)
    count = f"Lines on which signed attention is ahead: {counts}.\n"
    table = markdown_table(head, lines)
    return f"{table}\n{count}" if counts else table


def _columns(
    usual: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """The runs of each column, on the seeds that all of them have."""
    columns = {"recipe": usual}
    for kind in ("signed", *_RIVALS):
        columns[kind] = [
            row for row in rows if row["overrides"]["model.attention"] == kind
        ]
    common = set.intersection(
        *({row["seed"] for row in runs} for runs in columns.values() if runs)
    )
    return {
        kind: [row for row in runs if row["seed"] in common]
        for kind, runs in columns.items()
    }
