"""What was searched: the space, the budget, and the best trials."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dgl_signgt.training import read_yaml
from results.runs import FOLDER
from results.tables import markdown_table

__all__ = ["search_section"]

_WORDS = """\
## The searches

Each is `python -m dgl_signgt search results/search/<name>.yaml --trials N`,
which looks at validation scores only; the file has the space and the seed,
which is none of those above. All trials are in `results/search/<name>.jsonl`.
The compute for these searches was two CPU cores, so the spaces are parts of the
paper's grid with what the paper leaves open (normalisation, dropouts of the
input and the attention, the projection's activation).
"""


def search_section() -> str:
    """A table of all searches; empty where there is none."""
    rows = [_row(path) for path in sorted(FOLDER.glob("search/*.jsonl"))]
    if not rows:
        return ""
    head = ("search", "trials", "stopped early", "best validation", "options")
    return _WORDS + "\n" + markdown_table(head, rows)


def _row(path: Path) -> tuple[str, ...]:
    trials = [json.loads(line) for line in path.read_text().splitlines()]
    done = [trial for trial in trials if trial["state"] == "complete"]
    best = max(done, key=lambda trial: trial["val"])
    space = read_yaml(path.with_suffix(".yaml"))["search"]
    return (
        path.stem,
        str(len(trials)),
        str(len(trials) - len(done)),
        f"{100 * best['val']:.2f}",
        "; ".join(
            f"{key.rpartition('.')[2]} {_choice(best['options'][key], choices)}"
            for key, choices in space.items()
        ),
    )


def _choice(value: Any, choices: Any) -> str:
    if isinstance(choices, dict):
        return f"**{value:.4g}** of {choices['low']} to {choices['high']}"
    words = (f"**{x}**" if x == value else str(x) for x in choices)
    return "/".join(words)
