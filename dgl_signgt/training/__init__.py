"""Training: recipes, the loop, checkpoints, predictions.

``train`` runs a recipe; ``load_checkpoint`` and ``predict`` use what it left.
"""

from .apply import apply
from .experiment import as_recipe, load_data, train
from .library import find_recipe, recipe_folder, shipped_recipes
from .loop import Progress, TrainingError, fit
from .metrics import Objective
from .predict import (
    Predictions,
    TrainedModel,
    load_checkpoint,
    predict,
    score,
)
from .recipe import check_recipe, merge, parse_overrides, plain, read_yaml
from .result import TrainResult
from .seeds import rng_state, seed_everything, set_rng_state
from .stop import Interrupted

__all__ = [
    "Interrupted",
    "Objective",
    "Predictions",
    "Progress",
    "TrainResult",
    "TrainedModel",
    "TrainingError",
    "apply",
    "as_recipe",
    "check_recipe",
    "find_recipe",
    "fit",
    "load_checkpoint",
    "load_data",
    "merge",
    "parse_overrides",
    "plain",
    "predict",
    "read_yaml",
    "recipe_folder",
    "rng_state",
    "score",
    "seed_everything",
    "set_rng_state",
    "shipped_recipes",
    "train",
]
