"""How far apart scores must lie by the choice of the test part alone."""

from __future__ import annotations

import statistics
from typing import Any

from scipy.stats import chi2

from dgl_signgt.data import dataset_spec
from results.runs import Cell, paper_score, summarise
from results.tables import markdown_table

__all__ = ["held_section", "sampling_deviation", "spread_section"]

_SEEDS = 10  # the paper's runs of each model
_RARE = 0.01

_WORDS = """\
## What the spread tells of the splits

A score on {example} test nodes is a sample: where each seed draws its own
split, as here, the share of hard nodes in the test part alone makes scores
differ. *By sampling* is that standard deviation at the paper's accuracy,
sqrt((1 - t) p (1 - p) / m) for m tested items, a share t of all: that of a
model which gets the same items right whatever the split, on random splits.
Splits by label, which the node sets have, show a little less, training adds to
it. *Chance* is the probability that ten such splits differ as little as the
paper's ± says (chi-squared, nine degrees of freedom, the ± taken as divided by
ten, which is the lenient reading); the last column is the same for our own
runs, at our own accuracy. Of {all} data sets {expected:.1f} would be below
{limit} by luck; {rare} of the paper's are, and {own} of ours, whose splits do
differ. There the ± can hardly be the standard deviation over ten test parts
drawn anew: one split for all seeds, standard errors, or means over folds would
each explain it, and the paper does not say. If it is one split, the mean on
another differs from it by about 1.4 times the deviation by sampling. Ours are
means over as many splits as seeds.
"""

_WITHIN = """\
### One split, several seeds

The recipe of {name}, as it was with AdamW, with the split held
(`data.split_seed`) and only the model's seed changed. Within a split the scores
differ by {within:.2f} (the root of the mean variance), the means of the splits
by {between:.2f}; by sampling alone one would expect {least:.2f} of the latter.
"""


def sampling_deviation(score: float, items: float, share: float) -> float:
    """Standard deviation of a test score over splits, in percent.

    Parameters
    ----------
    score : float
        The mean score, in percent.
    items : float
        All nodes or graphs of the data set.
    share : float
        The part of them that is tested, drawn without replacement.

    Returns
    -------
    float
        The deviation of a model that gets the same items right whatever
        the split, over random splits.

    Examples
    --------
    >>> round(sampling_deviation(50.0, 400, 0.25), 2)
    4.33
    """
    p = score / 100
    return 100 * ((1 - share) * p * (1 - p) / (items * share)) ** 0.5


def spread_section(datasets: dict[str, Cell | None]) -> str:
    """The table of deviations, with what follows from it."""
    rows, chances, own = [], [], []
    for name, cell in datasets.items():
        mean, std = paper_score(name, "SignGT")
        least = _least(name, mean)
        chances.append(chi2.cdf(_SEEDS * (std / least) ** 2, _SEEDS - 1))
        row = [name, f"{_tested(name):.0f}", f"{least:.2f}", f"{std:.2f}"]
        ours = ["—", "—" if cell is None else str(cell.seeds), "—"]
        if cell is not None and cell.std is not None:
            own.append(_own_chance(name, cell))
            ours[::2] = [f"{cell.std:.2f}", f"{own[-1]:.2g}"]
        rows.append([*row, f"{chances[-1]:.2g}", *ours])
    words = _WORDS.format(
        example=round(_tested("cora")),
        rare=sum(chance < _RARE for chance in chances),
        own=sum(chance < _RARE for chance in own),
        expected=_RARE * len(chances),
        all=len(chances),
        limit=_RARE,
    )
    head = (
        "data", "test items", "by sampling", "paper", "chance", "ours",
        "seeds", "chance",
    )  # fmt: skip
    return f"{words}\n{markdown_table(head, rows)}"


def _own_chance(name: str, cell: Cell) -> float:
    """The chance of a deviation as small as ours, which divides by n - 1."""
    ratio = cell.std / _least(name, cell.mean)
    return float(chi2.cdf((cell.seeds - 1) * ratio**2, cell.seeds - 1))


def held_section(name: str, runs: list[dict[str, Any]]) -> str:
    """Several seeds on each of several splits; empty without such runs."""
    groups: dict[int, list[dict[str, Any]]] = {}
    for row in runs:
        if row["tag"] == "split" and row["recipe"] == f"signgt_{name}":
            split = row["overrides"]["data.split_seed"]
            groups.setdefault(split, []).append(row)
    cells = {split: summarise(rows) for split, rows in sorted(groups.items())}
    cells = {s: cell for s, cell in cells.items() if cell.std is not None}
    if len(cells) < 2:
        return ""
    words = _WITHIN.format(
        name=name.capitalize(),
        within=statistics.mean(c.std**2 for c in cells.values()) ** 0.5,
        between=statistics.stdev(c.mean for c in cells.values()),
        least=_least(name, statistics.mean(c.mean for c in cells.values())),
    )
    table = markdown_table(
        ("split_seed", "test", "seeds"),
        [(str(s), str(c), str(c.seeds)) for s, c in cells.items()],
    )
    return f"{words}\n{table}"


def _items(name: str) -> tuple[int, float]:
    """The items of a data set, and the share of them that is tested."""
    spec = dataset_spec(name)
    if spec.task == "node":
        return spec.paper.nodes, 0.2
    return spec.paper.graphs, 0.1


def _tested(name: str) -> float:
    items, share = _items(name)
    return items * share


def _least(name: str, score: float) -> float:
    return sampling_deviation(score, *_items(name))
