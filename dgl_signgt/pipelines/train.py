"""``dgl configure``, ``dgl train`` and ``dgl export`` for SignGT."""

# No postponed annotations here: Typer evaluates the local enums below.
import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import typer
from dglgo.utils.factory import PipelineBase

from ..cli import exit_codes
from ..errors import RecipeError, SignGTError
from ..training.models import MODELS, model_names
from ..training.recipe import check_recipe, plain
from .commented import commented_yaml
from .script import train_script

__all__ = ["TrainPipeline", "required_options", "write_new"]

_WHAT = {
    "graph": "Graph classification and regression with SignGT",
    "node": "Node classification with SignGT",
}


class TrainPipeline(PipelineBase):
    """A pipeline of dglgo that trains SignGT.

    Parameters
    ----------
    task : str
        ``"graph"`` or ``"node"``.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self.name = f"signgt-{task}pred"

    def get_cfg_func(self) -> Callable[..., None]:
        """The function behind ``dgl configure``; Typer reads its signature."""
        from ..data import dataset_names

        datasets = dataset_names(self.task)
        names = enum.Enum("Data", {name: name for name in datasets})
        models = enum.Enum("Model", {n: n for n in model_names(self.task)})

        def config(
            data: names = typer.Option(..., help="input data name"),
            cfg: Optional[str] = typer.Option(
                None, help="output configuration path"
            ),
            model: models = typer.Option("signgt", help="Model name"),
        ) -> None:
            with exit_codes():
                name = f"{self.name}_{data.value}_{model.value}.yaml"
                path = Path(cfg or name)
                text = self.default_yaml(data.value, path.name, model.value)
                write_new(path, text)
                print(f"Configuration file is generated at {path.absolute()}")

        return config

    def default_yaml(self, data: str, file: str, model: str = "signgt") -> str:
        """A recipe with every option, its default and its meaning."""
        content: dict[str, Any] = {
            "pipeline_name": self.name,
            "data": {"name": data, **required_options(data)},
            "model": {"name": model},
        }
        recipe = check_recipe(content)
        return commented_yaml(recipe, f"dgl train --cfg {file}")

    def gen_script(self, user_cfg_dict: dict[str, Any]) -> str:
        """The script that ``dgl train`` runs and ``dgl export`` writes."""
        recipe = check_recipe(user_cfg_dict)
        if recipe.pipeline_mode != "train":
            raise RecipeError(
                "recipe: pipeline_mode: must be train, not 'apply'"
            )
        model = MODELS[recipe.model.name]
        return train_script(
            plain(recipe, defaults=False),
            model.classes[self.task],
            model.title,
            dict(model.fixed),
        )

    def get_description(self) -> str:
        """One line for ``dgl configure --help``."""
        return _WHAT[self.task]


def required_options(data: str) -> dict[str, Any]:
    """Values for options that have no default, to be edited by the user."""
    from ..data import dataset_spec

    example = {str: "NAME", int: 0, float: 0.0, bool: False}
    return {
        option.name: (
            option.choices[0] if option.choices else example[option.type]
        )
        for option in dataset_spec(data).options
        if option.required
    }


def write_new(path: Path, text: str) -> None:
    """Write a file that must not be there yet."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise SignGTError(
            f"{path} exists; give another name with --cfg"
        ) from None
    except OSError as error:
        raise SignGTError(f"{path}: {error.strerror}") from None
