"""User errors on the command line: one line on stderr and exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
import yaml
from pydantic import ValidationError

from ..errors import RecipeError, SignGTError

__all__ = ["fail", "one_line_errors", "read_mapping"]


def fail(message: object) -> NoReturn:
    """Print ``error: message`` on one line of stderr and exit with code 2.

    Parameters
    ----------
    message : object
        The message; line breaks in its text become spaces.
    """
    typer.echo(f"error: {' '.join(str(message).split())}", err=True)
    raise typer.Exit(2)


@contextmanager
def one_line_errors(path: str) -> Iterator[None]:
    """Turn what is wrong with a recipe into one line and exit code 2.

    Parameters
    ----------
    path : str
        The recipe, to be named in the line.
    """
    try:
        yield
    except SignGTError as error:
        fail(error)
    except ValidationError as error:
        # dglgo's own pipelines check recipes with bare pydantic models.
        problems = (
            f"{'.'.join(map(str, e['loc']))}: {e['msg']}"
            for e in error.errors()
        )
        fail(f"{path}: {'; '.join(problems)}")


def read_mapping(path: str) -> dict[str, Any]:
    """Read a YAML file that has to be a mapping.

    Parameters
    ----------
    path : str
        The file.

    Returns
    -------
    dict
        What the file says.

    Raises
    ------
    RecipeError
        If the file cannot be read, is not YAML, or is not a mapping.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecipeError(f"{path}: no such file") from None
    except OSError as error:
        raise RecipeError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RecipeError(f"{path}: not a text file in UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "unreadable"
        raise RecipeError(f"{path}: not valid YAML{where}: {problem}") from None
    if not isinstance(content, dict):
        kind = "empty" if content is None else f"a {type(content).__name__}"
        raise RecipeError(
            f"{path}: a recipe is a mapping of keys to values, this is {kind}"
        )
    return content
