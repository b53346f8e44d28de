"""Scripts on our public API; a recipe enters them as one plain literal."""

from __future__ import annotations

from typing import Any

__all__ = ["apply_script", "train_script"]

_TRAIN = '''\
"""Trains {title}; written by `dgl export` from a recipe."""
from dgl_signgt import {model}, train
from dgl_signgt.cli import exit_codes

RECIPE = {recipe}


def build_model(dataset):
    """The model of one run."""
    options = dict(RECIPE["model"])
    options.pop("name")
{fixed}    sizes = dataset.in_size, dataset.num_classes
    return {model}(*sizes, **options)


def main():
    """Train all runs; the scores are printed and saved."""
    return train(RECIPE, build_model=build_model)


if __name__ == "__main__":
    with exit_codes():  # errors in one line, exit 2; Ctrl-C saves, exit 130
        main()
'''

_APPLY = '''\
"""Predicts with a trained model; written by `dgl export` from a recipe."""
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


def literal(value: Any, indent: str = "") -> str:
    """Plain values as Python source: dicts, lists, strings, numbers, None."""
    if not isinstance(value, dict) or not value:
        return repr(value)
    inner = indent + "    "
    items = "".join(
        f"{inner}{key!r}: {literal(item, inner)},\n"
        for key, item in value.items()
    )
    return f"{{\n{items}{indent}}}"


def train_script(
    recipe: dict[str, Any],
    model: str,
    title: str = "SignGT",
    fixed: dict[str, Any] | None = None,
) -> str:
    """A script that trains as ``dgl train`` does.

    Parameters
    ----------
    recipe : dict
        The checked recipe as plain values.
    model : str
        The public name of the model's class.
    title : str, optional
        The model's name for people. Default: SignGT.
    fixed : dict, optional
        Arguments of the class besides the recipe's. Default: none.

    Returns
    -------
    str
        Python source.
    """
    more = f"    options |= {literal(fixed, '    ')}\n" if fixed else ""
    return _TRAIN.format(
        model=model, recipe=literal(recipe), title=title, fixed=more
    )


def apply_script(recipe: dict[str, Any]) -> str:
    """A script that predicts as ``dgl apply`` does."""
    return _APPLY.format(recipe=literal(recipe))
