"""The recipes that come with the package."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import RecipeError, nearest

__all__ = ["find_recipe", "recipe_folder", "shipped_recipes"]


def recipe_folder() -> Path:
    """Where the recipes are: in the package, or beside it in a clone."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "recipes"
    return installed if installed.is_dir() else package.parent / "recipes"


def shipped_recipes() -> list[str]:
    """The file names of the recipes that come with the package."""
    return sorted(p.name for p in recipe_folder().glob("signgt_*.yaml"))


def find_recipe(name: str | os.PathLike) -> Path:
    """A recipe file by its path, or a shipped one by its name.

    Parameters
    ----------
    name : path-like
        ``"my.yaml"``, ``"signgt_cora.yaml"`` or ``"signgt_cora"``.

    Returns
    -------
    pathlib.Path
        The file.
    """
    path = Path(name)
    if path.exists():
        return path
    if path.parent == Path("."):
        for candidate in (path.name, f"{path.name}.yaml"):
            if candidate in shipped_recipes():
                return recipe_folder() / candidate
    hint = nearest(path.name, shipped_recipes())
    raise RecipeError(f"{path}: no such recipe{hint}")
