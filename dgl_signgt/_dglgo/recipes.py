"""``dgl recipe``: our recipes beside dglgo's own."""

from __future__ import annotations

from pathlib import Path

import typer
import yaml

from ..errors import nearest
from .errors import fail

__all__ = ["find_recipes", "get_recipe", "list_recipes"]


def _folders() -> list[Path]:
    """Where recipes lie; an earlier folder wins where names are equal."""
    import dglgo

    package = Path(__file__).resolve().parents[1]
    shipped = package / "recipes"
    # In an editable install they lie beside the package, not in it.
    ours = shipped if shipped.is_dir() else package.parent / "recipes"
    return [Path(dglgo.__file__).resolve().parents[1] / "recipes", ours]


def find_recipes() -> dict[str, Path]:
    """Find every recipe that ``dgl recipe`` offers.

    Returns
    -------
    dict of str to Path
        The files by their names.
    """
    found: dict[str, Path] = {}
    for folder in _folders():
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
    recipes = find_recipes()
    source = recipes.get(recipe_name) or recipes.get(f"{recipe_name}.yaml")
    if source is None:
        fail(
            f"no recipe {recipe_name!r}{nearest(recipe_name, recipes)}; "
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
            fail(f"{target} exists and differs; move it away first")
        typer.echo(f"Recipe {source} is already in {target.parent}")
    except OSError as error:
        fail(f"cannot write {target}: {error.strerror}")
    else:
        typer.echo(f"Recipe {source} is copied to {target.parent}")
