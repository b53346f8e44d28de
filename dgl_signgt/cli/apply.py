"""``python -m dgl_signgt apply``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str]) -> None:
    """Predict with a checkpoint and write the predictions as CSV."""
    parser = argparse.ArgumentParser(
        prog="python -m dgl_signgt apply", description=main.__doc__
    )
    parser.add_argument(
        "--cfg", required=True, help="recipe with pipeline_mode: apply"
    )
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    args = parser.parse_args(argv)

    from ..training import apply, parse_overrides

    apply(args.cfg, **parse_overrides(args.overrides))
