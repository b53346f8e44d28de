"""The figure of the range k."""

from __future__ import annotations

from dgl_signgt import viz
from results.compared import own_value
from results.runs import FOLDER, read_runs

__all__ = ["FIGURE", "draw_k_sweep"]

FIGURE = FOLDER.parent / "docs" / "figures" / "k_sweep.png"


def draw_k_sweep() -> None:
    """Draw the runs tagged ``k``, each recipe's own k among them."""
    runs = read_runs()
    swept = [row for row in runs if row["tag"] == "k"]
    curves: dict[str, dict[int, list[float]]] = {}
    for recipe in dict.fromkeys(row["recipe"] for row in swept):
        curve = curves.setdefault(recipe.removeprefix("signgt_"), {})
        seeds = {row["seed"] for row in swept if row["recipe"] == recipe}
        for row in runs:
            if row["recipe"] != recipe or row["tag"] not in (None, "k"):
                continue
            if row["seed"] not in seeds:
                continue
            k = row["overrides"].get("model.k", own_value(recipe, "model.k"))
            curve.setdefault(k, []).append(row["test"])
    if curves:
        axes = viz.plot_k_sweep(curves, title="Range k of the SFFN")
        axes.figure.savefig(FIGURE, dpi=150, bbox_inches="tight")
