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

A score on {example} test nodes is a sample: were each seed to draw its own
split, as here, the share of hard nodes in the test part alone would make
scores differ, however well a model is trained. *By sampling* is that standard
deviation at the paper's own accuracy, sqrt((1 - t) p (1 - p) / m) for a share t
of all items, m of them, in the test part: the least that ten splits can be
expected to show. *Chance* is the probability that ten independent splits show
a deviation as small as the paper's (chi-squared, nine degrees of freedom). On
{rare} of {all} data sets it is below {limit}, so the ten runs of the paper most
likely share one split there, and its means are those of one split: on others of
the same size they would be higher or lower by about the deviation by sampling.
Ours are means over as many splits as seeds.
"""

_WITHIN = """\
### One split, several seeds

The recipe of {name} with the split held (`data.split_seed`) and only the
model's seed changed. Within a split the scores differ by {within:.2f} (the root
of the mean variance), the means of the splits by {between:.2f}.
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
        the split: what training adds comes on top.

    Examples
    --------
    >>> round(sampling_deviation(50.0, 400, 0.25), 2)
    4.33
    """
    p = score / 100
    return 100 * ((1 - share) * p * (1 - p) / (items * share)) ** 0.5


def spread_section(datasets: dict[str, Cell | None]) -> str:
    """The table of deviations, with what follows from it."""
    rows, chances = [], []
    for name, cell in datasets.items():
        mean, std = paper_score(name, "SignGT")
        spec = dataset_spec(name)
        share = 0.2 if spec.task == "node" else 0.1
        items = _items(spec)
        least = sampling_deviation(mean, items, share)
        # The larger of two readings: the paper does not say whether it
        # divides by ten or by nine.
        chance = chi2.cdf(_SEEDS * (std / least) ** 2, _SEEDS - 1)
        chances.append(chance)
        ours = "—" if cell is None or cell.std is None else f"{cell.std:.2f}"
        seeds = "—" if cell is None else str(cell.seeds)
        rows.append(
            (
                name, f"{items * share:.0f}", f"{least:.2f}", f"{std:.2f}",
                f"{chance:.2g}", ours, seeds,
            )
        )  # fmt: skip
    words = _WORDS.format(
        example=round(0.2 * _items(dataset_spec("cora"))),
        rare=sum(chance < _RARE for chance in chances),
        all=len(chances),
        limit=_RARE,
    )
    head = (
        "data", "test items", "by sampling", "paper", "chance", "ours",
        "our seeds",
    )  # fmt: skip
    return f"{words}\n{markdown_table(head, rows)}"


def held_section(name: str, runs: list[dict[str, Any]]) -> str:
    """Several seeds on each of several splits; empty without such runs."""
    groups: dict[int, list[dict[str, Any]]] = {}
    for row in runs:
        if row["tag"] == "split" and row["recipe"] == f"signgt_{name}":
            split = row["overrides"]["data.split_seed"]
            groups.setdefault(split, []).append(row)
    cells = {split: summarise(rows) for split, rows in sorted(groups.items())}
    cells = {split: cell for split, cell in cells.items() if cell.std}
    if len(cells) < 2:
        return ""
    words = _WITHIN.format(
        name=name.capitalize(),
        within=statistics.mean(c.std**2 for c in cells.values()) ** 0.5,
        between=statistics.stdev(c.mean for c in cells.values()),
    )
    table = markdown_table(
        ("split_seed", "test", "seeds"),
        [(str(s), str(c), str(c.seeds)) for s, c in cells.items()],
    )
    return f"{words}\n{table}"


def _items(spec: Any) -> int:
    return spec.paper.nodes if spec.task == "node" else spec.paper.graphs
