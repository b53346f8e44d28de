"""``python -m dgl_signgt train``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str]) -> None:
    """Train a recipe, or resume a training."""
    parser = argparse.ArgumentParser(
        prog="python -m dgl_signgt train", description=main.__doc__
    )
    parser.add_argument(
        "--cfg", help="recipe: a YAML file, or the name of one that comes along"
    )
    parser.add_argument(
        "--resume",
        nargs="?",
        const=True,
        metavar="FOLDER",
        help="go on with the training in FOLDER; without FOLDER, with the "
        "newest unfinished one of the recipe",
    )
    parser.add_argument("--quiet", action="store_true", help="show nothing")
    parser.add_argument(
        "overrides",
        nargs="*",
        metavar="KEY=VALUE",
        help="replace a value of the recipe: model.num_layers=2",
    )
    args = parser.parse_args(argv)
    if isinstance(args.resume, str) and "=" in args.resume:
        # `--resume model.k=2`: argparse takes the override for the folder.
        args.overrides.insert(0, args.resume)
        args.resume = True
    if args.cfg is None and not isinstance(args.resume, str):
        parser.error("--cfg RECIPE or --resume FOLDER is needed")

    from ..training import parse_overrides, train

    train(
        args.cfg,
        resume=args.resume,
        quiet=args.quiet,
        **parse_overrides(args.overrides),
    )
