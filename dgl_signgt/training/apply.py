"""``apply``: from a recipe for prediction to a CSV file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import RecipeError
from .experiment import load_data_for
from .folder import new_folder
from .predict import load_checkpoint, predict
from .recipe import check_recipe, merge, read_yaml
from .schema import ApplyRecipe

__all__ = ["apply"]


def apply(
    recipe: str | os.PathLike | Mapping[str, Any], **overrides: Any
) -> Path:
    """Predict with a checkpoint and write the predictions.

    Parameters
    ----------
    recipe : path-like or mapping
        A recipe with ``pipeline_mode: apply``.
    **overrides
        Values to replace in it; see :func:`dgl_signgt.train`.

    Returns
    -------
    pathlib.Path
        The CSV file: id, predicted class, probabilities.
    """
    source = "recipe"
    if not isinstance(recipe, Mapping):
        source, recipe = str(recipe), read_yaml(recipe)
    checked = check_recipe(merge(recipe, overrides), source)
    if not isinstance(checked, ApplyRecipe):
        raise RecipeError(
            f"{source}: pipeline_mode is train; use the train command"
        )
    trained = load_checkpoint(checked.cpt_path, checked.device)
    if trained.recipe.pipeline_name != checked.pipeline_name:
        raise RecipeError(
            f"{source}: pipeline_name: the checkpoint was trained by "
            f"{trained.recipe.pipeline_name}"
        )
    data = checked.data or trained.recipe.data
    dataset = load_data_for(trained.recipe.model, data)
    predictions = predict(trained, dataset, checked.general_pipeline.batch_size)
    folder = new_folder(checked.general_pipeline.save_path)
    path = folder / "predictions.csv"
    predictions.to_csv(path)
    print(f"{len(predictions.ids)} predictions in {path}")
    return path
