"""The page in a few lines, counted from the same runs as its tables."""

from __future__ import annotations

from typing import Any

from results.compared import counted_wins, plain_cell
from results.runs import paper_score

__all__ = ["short_section"]


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
    cells = {name: plain_cell(name, runs) for name in datasets}
    found = {name: cell.mean for name, cell in cells.items() if cell}
    if not found:
        return ""
    gaps = {name: found[name] - _bar(name) for name in found}
    short = [name for name, gap in gaps.items() if gap < 0]
    above = [x for x in found if found[x] >= paper_score(x, "SignGT")[0]]
    lines = [
        f"SignGT is at or above the paper's mean minus one of its standard "
        f"deviations on {len(found) - len(short)} of the {len(found)} data "
        f"sets that were run, and at or above its mean on {len(above)}."
        + "".join(f" Short by {-gaps[x]:.2f}: {x}." for x in short)
    ]
    for words, tag, key, names in (
        ("variants with its own settings", "variant", *by_attention),
        ("variants, each tuned", "tuned variant", *by_attention),
        ("baselines, each tuned", "baseline", "model.name", baselines),
    ):
        wins = counted_wins(tag, key, names, runs)
        if wins:
            lines.append(f"Its mean is above that of {words}, on {wins}.")
    return "## In short\n\n" + "".join(f"- {line}\n" for line in lines)


def _bar(dataset: str) -> float:
    mean, std = paper_score(dataset, "SignGT")
    return mean - std
