"""Scripts on our public API; a recipe enters them as one plain literal."""

from __future__ import annotations

import pprint
from typing import Any

__all__ = ["apply_script", "train_script"]

_TRAIN = '''\
"""Trains SignGT; written by `dgl export` from a recipe."""
from dgl_signgt import {model}, train
from dgl_signgt.cli import exit_codes

RECIPE = {recipe}


def build_model(dataset):
    """The model of one run; change it at will."""
    options = {options}
    return {model}(dataset.in_size, dataset.num_classes, **options)


def main():
    """Train all runs; the scores are printed and saved."""
    return train(RECIPE, build_model=build_model)


if __name__ == "__main__":
    with exit_codes():  # errors in one line, exit 2; Ctrl-C saves, exit 130
        main()
'''

_APPLY = '''\
"""Predicts with a trained SignGT; written by `dgl export` from a recipe."""
from dgl_signgt import apply
from dgl_signgt.cli import exit_codes

RECIPE = {recipe}


def main():
    """Predict; the CSV file's path is printed."""
    return apply(RECIPE)


if __name__ == "__main__":
    with exit_codes():  # errors in one line, exit 2
        main()
'''


def literal(value: Any, indent: int = 0) -> str:
    """Plain values as Python source: dicts, lists, strings, numbers, None."""
    text = pprint.pformat(value, width=76 - indent, sort_dicts=False)
    return text.replace("\n", "\n" + " " * indent)


def train_script(recipe: dict[str, Any], model: str, options: dict) -> str:
    """A script that trains as ``dgl train`` does.

    Parameters
    ----------
    recipe : dict
        The checked recipe as plain values.
    model : str
        The public name of the model's class.
    options : dict
        The keyword arguments of the model.

    Returns
    -------
    str
        Python source.
    """
    return _TRAIN.format(
        model=model, recipe=literal(recipe), options=literal(options, 4)
    )


def apply_script(recipe: dict[str, Any]) -> str:
    """A script that predicts as ``dgl apply`` does."""
    return _APPLY.format(recipe=literal(recipe))
