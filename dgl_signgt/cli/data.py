"""``python -m dgl_signgt data``: what there is, and what is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from ..errors import DataError, SignGTError

__all__ = ["data_app", "main"]

data_app = typer.Typer(
    help="List data sets, show what is in one, or prepare some.",
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


@data_app.command("prepare")
def prepare_command(
    names: Annotated[list[str], typer.Argument(help="Names of data sets.")],
    hops: Annotated[
        list[int] | None,
        typer.Option("--k", help="Also prepare the weights of k hops."),
    ] = None,
    root: _Root = None,
) -> None:
    """Fetch and process data sets now, so that later uses are fast."""
    with _one_line_errors():
        from ..data import dataset_spec, load

        for name in names:
            dataset_spec(name)
        for name in names:
            for k in [None, *(hops or [])]:
                dataset = load(name, k=k, root=root)
            typer.echo(f"{name} is ready: {dataset.fingerprint}")


def main(argv: Sequence[str]) -> None:
    """Run ``data`` with the arguments that follow it.

    Parameters
    ----------
    argv : sequence of str
        The arguments.
    """
    data_app(args=[*argv], prog_name="python -m dgl_signgt data")


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
