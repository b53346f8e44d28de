"""Tables that set changed recipes beside the recipes themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

from dgl_signgt.training import as_recipe
from results.runs import Cell, paper_score, summarise
from results.tables import markdown_table

__all__ = [
    "compared_section",
    "counted_wins",
    "is_gain",
    "own_value",
    "paired_runs",
    "paper_beside",
    "plain_cell",
    "plain_runs",
    "tagged_runs",
    "words_of",
    "words_of_wins",
]


def plain_runs(
    dataset: str, runs: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Those of the recipe as it is, on the seeds of the tables."""
    return [
        row
        for row in runs
        if row["recipe"] == f"signgt_{dataset}"
        and not row["overrides"]
        and row["tag"] is None
    ]


def tagged_runs(
    dataset: str, tag: str | None, runs: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Those of a data set's recipe with a tag; None is the recipe as it is."""
    if tag is None:
        return plain_runs(dataset, runs)
    names = (f"signgt_{dataset}", tag)
    return [row for row in runs if (row["recipe"], row["tag"]) == names]


def paired_runs(
    tags: Mapping[str, str | None], runs: list[dict[str, Any]]
) -> Iterator[tuple[str, str, list[dict[str, Any]], list[dict[str, Any]]]]:
    """Runs of each data set with the tags, and what to set them beside.

    Parameters
    ----------
    tags : mapping
        For each tag that of the other runs; None is the recipe as it is.
    runs : list of dict
        All kept runs.

    Yields
    ------
    tuple
        Data set, head of its line, the runs with the tag, the other ones.
    """
    for tag, other in tags.items():
        names = (row["recipe"] for row in runs if row["tag"] == tag)
        for recipe in dict.fromkeys(names):
            dataset = recipe.removeprefix("signgt_")
            yield (
                dataset,
                dataset if other is None else f"{dataset}, {other}",
                tagged_runs(dataset, tag, runs),
                tagged_runs(dataset, other, runs),
            )


def plain_cell(dataset: str, runs: list[dict[str, Any]]) -> Cell | None:
    """Their summary; None where there is none."""
    return summarise(plain_runs(dataset, runs))


def compared_section(
    title: str,
    words: str,
    tag: str,
    key: str,
    names: dict[Any, str],
    runs: list[dict[str, Any]],
    count: bool = True,
) -> str:
    """A table of runs with one tag, a column for each value of a key.

    Parameters
    ----------
    title, words : str
        What stands above it.
    tag : str
        The tag of its runs.
    key : str
        The dotted key by which they differ.
    names : dict
        The values of the key, with the heads of their columns.
    runs : list of dict
        All kept runs.
    count : bool, optional
        Whether to say on how many data sets the recipe itself is better.
        Default: True.

    Returns
    -------
    str
        The section; empty without such runs.
    """
    rows = [row for row in runs if row["tag"] == tag]
    datasets = dict.fromkeys(row["recipe"] for row in rows)
    columns = [
        value
        for value in names
        if any(row["overrides"].get(key) == value for row in rows)
    ]
    lines = []
    for recipe in datasets:
        dataset = recipe.removeprefix("signgt_")
        # A seed is a split, too: only the same ones can be compared.
        seeds = {row["seed"] for row in rows if row["recipe"] == recipe}
        own = plain_cell(dataset, [row for row in runs if row["seed"] in seeds])
        line = [dataset, words_of(own)]
        for value in columns:
            theirs = [
                row
                for row in rows
                if row["recipe"] == recipe
                and row["overrides"].get(key) == value
            ]
            cell = summarise(theirs)
            if cell is None and own_value(recipe, key) == value:
                cell = own
            line.append(words_of(cell) + paper_beside(dataset, names[value]))
        lines.append(line)
    heads = ("data", "SignGT", *(names[value] for value in columns))
    parts = [title, words, markdown_table(heads, lines)]
    if count:
        counts = counted_wins(tag, key, names, runs)
        parts.append(
            f"Data sets on which SignGT's mean over the seeds that both have "
            f"is above its rival's: {counts or 'none in common'}.\n"
        )
    return "\n".join(parts) if rows else ""


def counted_wins(
    tag: str, key: str, names: dict[Any, str], runs: list[dict[str, Any]]
) -> str:
    """On how many data sets SignGT's mean is above each rival's, in words.

    Parameters
    ----------
    tag, key, names, runs
        As in :func:`compared_section`.

    Returns
    -------
    str
        ``3 of 12 (SignGT-O), …``; rivals without common seeds are left out.
    """
    ours: dict[str, dict[int, float]] = {}
    for row in runs:
        if row["tag"] is None and not row["overrides"]:
            ours.setdefault(row["recipe"], {})[row["seed"]] = row["test"]
    wins: dict[str, list[bool]] = {}
    for value, name in names.items():
        gains: dict[str, float] = {}
        for row in runs:
            recipe, seed = row["recipe"], row["seed"]
            own = ours.get(recipe, {})
            rival = row["tag"] == tag and row["overrides"].get(key) == value
            if rival and seed in own:
                gain = own[seed] - row["test"]
                gains[recipe] = gains.get(recipe, 0.0) + gain
        wins[name] = [is_gain(gain) for gain in gains.values()]
    return words_of_wins(wins)


def is_gain(difference: float) -> bool:
    """A tie is none, whatever rounding makes of its sums."""
    return difference > 1e-9


def words_of_wins(wins: Mapping[str, list[bool]]) -> str:
    """``3 of 12 (SignGT-O), …``; rivals without any are left out."""
    return ", ".join(
        f"{sum(won)} of {len(won)} ({name})"
        for name, won in wins.items()
        if won
    )


def words_of(cell: Cell | None) -> str:
    """A score with its number of seeds; a dash for none."""
    return "—" if cell is None else f"{cell} (n = {cell.seeds})"


def paper_beside(dataset: str, model: str) -> str:
    """What stands behind a score: the paper's, where it has one."""
    paper = paper_score(dataset, model)
    return "" if paper is None else f"; paper {paper[0]:.2f}"


def own_value(recipe: str, key: str) -> Any:
    """What the recipe itself has at a dotted key."""
    return reduce(getattr, key.split("."), as_recipe(recipe))
