"""``python -m dgl_signgt validate``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..errors import SignGTError

__all__ = ["main"]


def main(argv: Sequence[str]) -> None:
    """Check recipes without training; exit code 2 if any has an error."""
    parser = argparse.ArgumentParser(
        prog="python -m dgl_signgt validate", description=main.__doc__
    )
    parser.add_argument(
        "recipes", nargs="+", metavar="RECIPE", help="YAML files"
    )
    args = parser.parse_args(argv)

    from ..training import check_recipe, find_recipe, read_yaml

    failed = 0
    for name in args.recipes:
        try:
            path = find_recipe(name)
            check_recipe(read_yaml(path), str(path))
        except SignGTError as error:
            failed += 1
            print(f"error: {error}", file=sys.stderr)
        else:
            print(f"{path}: valid")
    if failed:
        raise SystemExit(2)
