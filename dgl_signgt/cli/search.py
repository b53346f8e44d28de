"""``python -m dgl_signgt search``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str]) -> None:
    """Search a recipe's options with Optuna, by validation score only."""
    parser = argparse.ArgumentParser(
        prog="python -m dgl_signgt search", description=main.__doc__
    )
    parser.add_argument("recipe", help="recipe with a search: block")
    parser.add_argument(
        "--trials",
        type=int,
        required=True,
        help="finished trials to have in the end",
    )
    parser.add_argument(
        "--folder", help="where the search is kept; default: save_path/search"
    )
    parser.add_argument("--seed", type=int, default=0, help="sampler's seed")
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    args = parser.parse_args(argv)

    from ..training import parse_overrides
    from ..training.search import search

    search(
        args.recipe,
        args.trials,
        args.folder,
        args.seed,
        **parse_overrides(args.overrides),
    )
