"""What each recipe's head promises, from the runs that are kept."""

from __future__ import annotations

import re
import textwrap

from results.compared import plain_runs
from results.runs import FOLDER, paper_score, read_runs, summarise

__all__ = ["expectation", "write_heads"]

RECIPES = FOLDER.parent / "recipes"
_NUMBERS = {1: "one seed", 3: "three seeds", 10: "ten seeds"}
_OLD = re.compile(
    r"^(# Expect .*?\.jsonl\)\.\n|# Not run yet: [^\n]*\n)",
    re.DOTALL | re.MULTILINE,
)


def expectation(recipe: str) -> str:
    """The lines on score, time and memory, as far as runs back them."""
    runs = plain_runs(recipe.removeprefix("signgt_"), read_runs())
    cell = summarise(runs)
    if cell is None:
        return _not_run(recipe)
    spread = "" if cell.std is None else f" ± {cell.std:.1f}"
    seeds = _NUMBERS.get(cell.seeds, f"{cell.seeds} seeds")
    minutes = sum(row["seconds"] for row in runs) / len(runs) / 60
    time = (
        f"{60 * minutes:.0f} s" if minutes < 1.5 else f"{minutes:.0f} minutes"
    )
    sources = " and ".join(sorted({f"results/{row['file']}" for row in runs}))
    return "".join(
        f"# {line}\n"
        for line in textwrap.wrap(
            f"Expect {cell.mean:.1f}{spread} % test accuracy ({seeds}); a "
            f"seed takes {time} and {cell.memory_mb / 1000:.1f} GB on one "
            f"core ({sources}).",
            width=77,
        )
    )


def _not_run(recipe: str) -> str:
    paper = paper_score(recipe.removeprefix("signgt_"), "SignGT")
    known = (
        "" if paper is None else f"; the paper has {paper[0]} ± {paper[1]} %"
    )
    return f"# Not run yet: no score is promised{known}.\n"


def write_heads() -> None:
    """Put the promises into the recipes, after their other comments."""
    for path in sorted(RECIPES.glob("*.yaml")):
        text = _OLD.sub("", path.read_text(encoding="utf-8"))
        head, first, rest = text.partition("pipeline_name:")
        text = head + expectation(path.stem) + first + rest
        path.write_text(text, encoding="utf-8")
