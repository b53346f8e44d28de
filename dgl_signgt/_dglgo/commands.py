"""dglgo's commands with clear errors in place of tracebacks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import typer
from pydantic import ValidationError

from ..cli import exit_codes
from ..errors import RecipeError, nearest
from ..training import read_yaml
from .recipes import get_recipe, list_recipes

__all__ = ["improve_commands"]


def _checked(command: Callable[..., None]) -> Callable[..., None]:
    """Check the recipe before dglgo does, which would only raise KeyError."""

    @functools.wraps(command)  # Typer reads the options off the signature
    def run(cfg: str, **options: Any) -> None:
        with exit_codes():
            _check_pipeline(cfg, read_yaml(cfg), command.__name__)
            try:
                command(cfg=cfg, **options)
            except RecipeError as error:
                # Pipelines are given the recipe, not the name of its file.
                text = str(error).removeprefix("recipe: ")
                raise RecipeError(f"{cfg}: {text}") from error
            except ValidationError as error:
                raise RecipeError(f"{cfg}: {_explain(error)}") from error

    return run


def _explain(error: ValidationError) -> str:
    """What pydantic found in a recipe for one of dglgo's own pipelines."""
    problems = []
    for item in error.errors():
        # pydantic puts the class of a chosen model between the keys.
        keys = [str(k) for k in item["loc"] if not str(k).endswith("Config")]
        problems.append(f"{'.'.join(keys)}: {item['msg']}")
    return "; ".join(problems)


def _check_pipeline(path: str, recipe: dict[str, Any], command: str) -> None:
    """Raise RecipeError unless the command knows the recipe's pipeline."""
    from dglgo.utils.factory import ApplyPipelineFactory, PipelineFactory

    registries: dict[str, Mapping[str, object]] = {
        "train": PipelineFactory.registry,
        "apply": ApplyPipelineFactory.registry,
    }
    mode = recipe.get("pipeline_mode")
    if mode not in ("train", "apply"):
        # dglgo needs it for export only, but a wrong word is never meant.
        if mode is not None or command == "export":
            raise RecipeError(
                f"{path}: pipeline_mode is train or apply, not {mode!r}"
            )
        mode = command
    if command not in ("export", mode):
        raise RecipeError(
            f"{path}: a recipe with pipeline_mode {mode} is for 'dgl {mode}', "
            f"not 'dgl {command}'"
        )
    known = registries[mode]
    if "pipeline_name" not in recipe:
        raise RecipeError(
            f"{path}: pipeline_name is missing; it is one of "
            f"{', '.join(known)}"
        )
    name = recipe["pipeline_name"]
    if not isinstance(name, str) or name not in known:
        raise RecipeError(
            f"{path}: unknown pipeline {name!r}{nearest(str(name), known)}; "
            f"there are {', '.join(known)}"
        )


def improve_commands(app: typer.Typer) -> None:
    """Put our commands in the place of dglgo's.

    Typer builds the commands when the application is called, so replacing
    their functions here is enough. ``python -m dglgo.cli.cli`` builds a second
    application from the functions in dglgo's modules: those change, too.

    Parameters
    ----------
    app : typer.Typer
        dglgo's application.
    """
    from dglgo.cli import apply_cli, export_cli, recipe_cli, train_cli

    apply_cli.apply = _checked(apply_cli.apply)
    export_cli.export = _checked(export_cli.export)
    train_cli.train = _checked(train_cli.train)
    _replace(app, "apply", apply_cli.apply)
    _replace(app, "export", export_cli.export)
    _replace(app, "train", train_cli.train)
    _replace(recipe_cli.recipe_app, "list", list_recipes)
    _replace(recipe_cli.recipe_app, "get", get_recipe)


def _replace(
    app: typer.Typer, name: str, function: Callable[..., None]
) -> None:
    for command in app.registered_commands:
        if (command.name or command.callback.__name__) == name:
            command.callback = function
