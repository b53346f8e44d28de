"""``dgl recipe``: our recipes beside dglgo's own."""

from __future__ import annotations

from pathlib import Path

import typer
import yaml

from ..cli import exit_codes
from ..errors import RecipeError, nearest
from ..training import recipe_folder

__all__ = ["find_recipes", "get_recipe", "list_recipes"]


def find_recipes() -> dict[str, Path]:
    """Find every recipe that ``dgl recipe`` offers.

    Returns
    -------
    dict of str to Path
        The files by their names.
    """
    import dglgo

    dglgo_folder = Path(dglgo.__file__).resolve().parents[1] / "recipes"
    found: dict[str, Path] = {}
    for folder in (dglgo_folder, recipe_folder()):
        for file in sorted(folder.glob("*.yaml")):
            found.setdefault(file.name, file)
    return found


def list_recipes() -> None:
    """Print a table of all recipes, in dglgo's form and order."""
    rows = []
    for name, file in find_recipes().items():
        recipe = yaml.safe_load(file.read_text(encoding="utf-8"))
        rows.append((recipe["pipeline_name"], recipe["data"]["name"], name))
    rows.sort()
    widths = [
        max(least, *(len(row[column]) for row in rows))
        for column, least in ((2, 30), (0, 18), (1, 20))
    ]
    form = "| {{:<{}}} |  {{:<{}}} | {{:<{}}} |".format(*widths)
    header = form.format("Filename", "Pipeline", "Dataset")
    rule = "=" * len(header)
    typer.echo(f"{rule}\n{header}\n{rule}")
    for pipeline, data, name in rows:
        typer.echo(form.format(name, pipeline, data))
    typer.echo(rule)


def get_recipe(
    recipe_name: str | None = typer.Argument(
        None,
        help="The recipe filename to get, e.g. signgt_nci5k.yaml",
    ),
) -> None:
    """Copy a recipe to the current folder, or say which there are."""
    if recipe_name is None:
        typer.echo("Usage: dgl recipe get [RECIPE_NAME]\n")
        typer.echo("  Copy the recipe to current directory\n")
        typer.echo("Here are all available recipes")
        list_recipes()
        return
    with exit_codes():
        _copy(recipe_name)


def _copy(name: str) -> None:
    recipes = find_recipes()
    source = recipes.get(name) or recipes.get(f"{name}.yaml")
    if source is None:
        raise RecipeError(
            f"no recipe {name!r}{nearest(name, recipes)}; "
            "'dgl recipe list' shows all"
        )
    target = Path.cwd() / source.name
    content = source.read_bytes()
    try:
        # Mode x never overwrites, not even a file made a moment ago.
        with target.open("xb") as file:
            file.write(content)
    except FileExistsError:
        if not target.is_file() or target.read_bytes() != content:
            raise RecipeError(
                f"{target} exists and differs; move it away first"
            ) from None
        typer.echo(f"Recipe {source} is already in {target.parent}")
    except OSError as error:
        raise RecipeError(f"cannot write {target}: {error.strerror}") from None
    else:
        typer.echo(f"Recipe {source} is copied to {target.parent}")
