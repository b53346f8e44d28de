"""The commands of ``python -m dgl_signgt``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from .. import __version__
from . import exit_codes

__all__ = ["main"]

# Command -> (module below dgl_signgt.cli, one line of help).
_COMMANDS = {
    "train": ("train", "train a recipe, or resume a training"),
    "export": ("export", "write a recipe as a Python script"),
    "apply": ("apply", "predict with a checkpoint"),
    "validate": ("validate", "check recipes without training"),
    "campaign": ("campaign", "run many recipes, seeds and overrides"),
    "search": ("search", "search a recipe's options with Optuna"),
    "report": ("report", "write a page about trainings: scores, curves"),
    "data": ("data", "list, describe and prepare data sets"),
    "configure": ("stock", "write a recipe with every option and its meaning"),
    "configure-apply": ("stock", "write a recipe for prediction"),
    "recipe": ("stock", "list or copy the recipes that come along"),
}


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments. Default: those of the process.
    """
    argv = sys.argv[1:] if argv is None else [*argv]
    width = max(len(name) for name in _COMMANDS)
    parser = argparse.ArgumentParser(
        prog="python -m dgl_signgt",
        description="SignGT for DGL. Commands:\n\n"
        + "\n".join(
            f"  {name:<{width}}  {text}"
            for name, (_, text) in _COMMANDS.items()
        ),
        epilog="python -m dgl_signgt COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("command", choices=_COMMANDS, metavar="COMMAND")
    if not argv:
        parser.print_help()
        return
    args = parser.parse_args(argv[:1])
    module = import_module(f".{_COMMANDS[args.command][0]}", __package__)
    with exit_codes():
        module.main(argv if module.__name__.endswith("stock") else argv[1:])
