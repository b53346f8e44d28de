"""``python -m dgl_signgt data``: what there is, and what is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from ..errors import DataError, SignGTError

__all__ = ["data_app"]

data_app = typer.Typer(
    help="List data sets, and show what is in one.",
    no_args_is_help=True,
    add_completion=False,
)

_Root = Annotated[
    str | None,
    typer.Option(
        "--root", help="Data directory; default: DGL_DOWNLOAD_DIR or ~/.dgl."
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]


@contextmanager
def _one_line_errors() -> Iterator[None]:
    try:
        yield
    except SignGTError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None


@data_app.command("list")
def list_command(root: _Root = None, as_json: _Json = False) -> None:
    """List all data sets, their size, and whether they are already here."""
    with _one_line_errors():
        from ..data import list_datasets

        rows = list_datasets(root)
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
        return
    typer.echo(f"{'name':19} {'task':6} {'size':34} {'state':22} description")
    for row in rows:
        state = row["state"]
        if state == "to download" and row["megabytes"]:
            state = f"to download, {row['megabytes']:g} MB"
        typer.echo(
            f"{row['name']:19} {row['task']:6} {row['size']:34} "
            f"{state:22} {row['description']}"
        )


@data_app.command("info")
def info_command(
    name: Annotated[str, typer.Argument(help="Name of the data set.")],
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", help="A setting, as key=value."),
    ] = None,
    root: _Root = None,
    as_json: _Json = False,
) -> None:
    """Show the figures of a data set beside the paper's."""
    with _one_line_errors():
        from ..data import dataset_statistics, describe_dataset, load

        options = _options(name, option or [])
        if as_json:
            stats = dataset_statistics(load(name, root=root, **options))
            typer.echo(json.dumps(stats, indent=1))
        else:
            typer.echo(describe_dataset(name, root=root, **options))


def _options(name: str, given: list[str]) -> dict[str, Any]:
    """Read ``key=value`` by the types that the data set declares."""
    from ..data import dataset_spec

    types = {option.name: option.type for option in dataset_spec(name).options}
    values: dict[str, Any] = {}
    for text in given:
        key, sign, value = text.partition("=")
        if not sign:
            raise DataError(f"--option {text!r} is not of the form key=value")
        kind = types.get(key, str)
        try:
            values[key] = kind(value)
        except ValueError:
            raise DataError(
                f"--option {key} must be of type {kind.__name__}, "
                f"got {value!r}"
            ) from None
    return values
