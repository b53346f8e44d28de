"""``python -m dgl_signgt export``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]


def main(argv: Sequence[str]) -> None:
    """Write a recipe as a Python script that does the same alone."""
    parser = argparse.ArgumentParser(
        prog="python -m dgl_signgt export", description=main.__doc__
    )
    parser.add_argument("--cfg", required=True, help="recipe")
    parser.add_argument("--output", default="script.py", help="file to write")
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    args = parser.parse_args(argv)

    from ..pipelines import ApplyPipeline, TrainPipeline
    from ..training import (
        check_recipe,
        find_recipe,
        merge,
        parse_overrides,
        read_yaml,
    )

    path = find_recipe(args.cfg)
    content = merge(read_yaml(path), parse_overrides(args.overrides))
    recipe = check_recipe(content, str(path))
    task = "graph" if recipe.pipeline_name == "signgt-graphpred" else "node"
    pipeline = (
        TrainPipeline if recipe.pipeline_mode == "train" else ApplyPipeline
    )
    Path(args.output).write_text(pipeline(task).gen_script(content))
    print(f"The Python script is at {Path(args.output).absolute()}")
