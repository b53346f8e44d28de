"""The page in a few lines, counted from the same runs as its tables."""

from __future__ import annotations

from typing import Any

from results.compared import counted_wins, plain_runs, tagged_runs
from results.runs import paper_bar, paper_score, summarise

__all__ = ["short_section"]

# Fewer seeds say too little of a recipe.
_FEWEST = 3


def short_section(
    datasets: tuple[str, ...],
    variants: dict[Any, str],
    baselines: dict[Any, str],
    runs: list[dict[str, Any]],
) -> str:
    """What holds and what does not, before the tables.

    Parameters
    ----------
    datasets : tuple of str
        Those of the paper.
    variants, baselines : dict
        What SignGT is set beside, with its names.
    runs : list of dict
        All kept runs.

    Returns
    -------
    str
        The section; empty without runs on the paper's data sets.
    """
    by_attention = ("model.attention", variants)
    found = _means({name: plain_runs(name, runs) for name in datasets})
    fresh = _means(
        {name: tagged_runs(name, "fresh", runs) for name in found}, _FEWEST
    )
    if not found:
        return ""
    above = [x for x in found if found[x] >= paper_score(x, "SignGT")[0]]
    lines = [
        f"SignGT is at or above the paper's mean minus one of its standard "
        f"deviations on {_held(found)} that were run, and at or above its "
        f"mean on {len(above)}.{_short(found)}"
    ]
    if fresh:
        lines.append(
            f"Over {_FEWEST} or more seeds never run before it is at or above "
            f"the same bar on {_held(fresh)} that were tried.{_short(fresh)}"
        )
    for words, tag, key, names in (
        ("variants with its own settings", "variant", *by_attention),
        ("variants, each tuned", "tuned variant", *by_attention),
        ("baselines, each tuned", "baseline", "model.name", baselines),
    ):
        wins = counted_wins(tag, key, names, runs)
        if wins:
            lines.append(f"Its mean is above that of {words}, on {wins}.")
    return "## In short\n\n" + "".join(f"- {line}\n" for line in lines)


def _means(
    rows: dict[str, list[dict[str, Any]]], fewest: int = 1
) -> dict[str, float]:
    """The mean of each data set that was run on so many seeds."""
    cells = {name: summarise(found) for name, found in rows.items()}
    return {
        name: cell.mean
        for name, cell in cells.items()
        if cell and cell.seeds >= fewest
    }


def _gaps(means: dict[str, float]) -> dict[str, float]:
    """How far each is above its bar."""
    return {name: found - paper_bar(name) for name, found in means.items()}


def _held(means: dict[str, float]) -> str:
    held = sum(gap >= 0 for gap in _gaps(means).values())
    return f"{held} of the {len(means)} data sets"


def _short(means: dict[str, float]) -> str:
    gaps = _gaps(means).items()
    return "".join(f" Short by {-gap:.2f}: {x}." for x, gap in gaps if gap < 0)
