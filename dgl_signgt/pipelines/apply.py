"""``dgl configure-apply`` and ``dgl apply`` for SignGT."""

# No postponed annotations here: Typer evaluates the local enums below.
import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import typer
from dglgo.utils.factory import PipelineBase

from ..cli import exit_codes
from ..errors import RecipeError
from ..training.blocks import DataBlock, SplitBlock
from ..training.checkpoint import read_checkpoint
from ..training.recipe import check_recipe, plain
from .commented import commented_yaml
from .script import apply_script
from .train import required_options, write_new

__all__ = ["ApplyPipeline"]


class ApplyPipeline(PipelineBase):
    """A pipeline of dglgo that predicts with a trained SignGT.

    Parameters
    ----------
    task : str
        ``"graph"`` or ``"node"``.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self.name = f"signgt-{task}pred"

    def get_cfg_func(self) -> Callable[..., None]:
        """The function behind ``dgl configure-apply``."""
        from ..data import dataset_names

        datasets = dataset_names(self.task)
        names = enum.Enum("Data", {name: name for name in datasets})

        def config(
            data: Optional[names] = typer.Option(
                None, help="input data name; left out: that of the training"
            ),
            cfg: Optional[str] = typer.Option(
                None, help="output configuration file path"
            ),
            cpt: str = typer.Option(..., help="input checkpoint file path"),
        ) -> None:
            with exit_codes():
                name = data.value if data else None
                text, name, model = self.default_yaml(cpt, name)
                path = Path(cfg or f"apply_{self.name}_{name}_{model}.yaml")
                write_new(path, text)
                print(f"Configuration file is generated at {path.absolute()}")

        return config

    def default_yaml(self, cpt: str, data: str | None) -> tuple[str, str, str]:
        """A recipe for prediction; the names of its data set and model."""
        trained = read_checkpoint(cpt)["recipe"]
        if trained["pipeline_name"] != self.name:
            raise RecipeError(
                f"{cpt}: was trained by {trained['pipeline_name']}, "
                f"not by {self.name}"
            )
        # All of the data is predicted, so its split has no place here.
        kept = {
            key: value
            for key, value in trained["data"].items()
            if key not in SplitBlock.__fields__ or key in DataBlock.__fields__
        }
        content: dict[str, Any] = {
            "pipeline_name": self.name,
            "pipeline_mode": "apply",
            "cpt_path": cpt,
            "data": kept if data is None else _other_data(data, kept),
        }
        recipe = check_recipe(content)
        model = trained["model"]["name"]
        return commented_yaml(recipe), content["data"]["name"], model

    def gen_script(self, user_cfg_dict: dict[str, Any]) -> str:
        """The script that ``dgl apply`` runs and ``dgl export`` writes."""
        recipe = check_recipe(user_cfg_dict)
        if recipe.pipeline_mode != "apply":
            raise RecipeError(
                "recipe: pipeline_mode: must be apply, not 'train'"
            )
        return apply_script(plain(recipe, defaults=False))

    def get_description(self) -> str:
        """One line for ``dgl configure-apply --help``."""
        return f"Predictions of a trained SignGT or baseline for {self.task}s"


def _other_data(name: str, trained: dict[str, Any]) -> dict[str, Any]:
    """Another data set, with the transforms of the one that was trained on."""
    return {
        "name": name,
        **required_options(name),
        "transforms": trained["transforms"],
    }
