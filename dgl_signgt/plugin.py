"""SignGT in dglgo: the entry point ``dglgo.plugins`` of this package.

The hook that the wheel installs calls :func:`register` before dglgo builds its
commands and :func:`extend` afterwards. What they add:

- the pipelines ``signgt-graphpred`` and ``signgt-nodepred``;
- the model ``signgt`` in dglgo's ``nodepred``, ``linkpred`` and ``graphpred``;
- our data sets in the same pipelines, under their names, or as
  ``signgt-NAME`` where dglgo has a data set of that name (but not those of
  OGB, which dglgo reads itself, nor ``tu`` and ``csv``, which need a path);
- our recipes in ``dgl recipe``;
- one-line errors where dglgo would end in a traceback.

Whatever dglgo has of its own stays as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

__all__ = ["application", "extend", "register", "stock_name"]

_done: set[str] = set()


def register() -> None:
    """Register pipelines, models and data sets with dglgo, once."""
    if "register" in _done:
        return
    # First dglgo's own, so that they stay first in every list.
    import dglgo.apply_pipeline
    import dglgo.model
    import dglgo.pipeline  # noqa: F401
    from dglgo.utils.factory import GraphModelFactory, NodeModelFactory

    from ._dglgo.graph_model import SignGTGraphModel
    from ._dglgo.node_model import SignGTNodeModel
    from .pipelines import register_pipelines

    NodeModelFactory.register("signgt")(SignGTNodeModel)
    GraphModelFactory.register("signgt")(SignGTGraphModel)
    _register_datasets()
    register_pipelines()
    _done.add("register")


def stock_name(name: str) -> str:
    """The name of one of our data sets in dglgo's own pipelines.

    Parameters
    ----------
    name : str
        The name in our registry.

    Returns
    -------
    str
        The same name, or ``signgt-NAME`` where dglgo's own set has it.
    """
    from dglgo.utils.factory import DataFactory

    entry = DataFactory.registry.get(name)
    taken = entry is not None and "dgl_signgt" not in entry["import_code"]
    return f"signgt-{name}" if taken else name


def _register_datasets() -> None:
    from dglgo.utils.factory import DataFactory

    from .data import dataset_names, dataset_spec

    pipelines = {"node": ["nodepred", "linkpred"], "graph": ["graphpred"]}
    for task, allowed in pipelines.items():
        for name in dataset_names(task):
            options = dataset_spec(name).options
            # dglgo reads OGB itself, and wants a default for every option.
            if name.startswith("ogb") or any(o.required for o in options):
                continue
            DataFactory.register(
                stock_name(name),
                import_code=(
                    "from dgl_signgt._dglgo.datasets import stock_dataset"
                ),
                # dglgo puts the recipe's data block in place of the braces.
                class_name=(
                    f"stock_dataset({name!r}, {{}})"
                    if options
                    else f"stock_dataset({name!r})"
                ),
                allowed_pipeline=allowed,
                extra_args={o.name: o.default for o in options},
            )


def extend(app: typer.Typer) -> None:
    """Add our recipes and clear errors to dglgo's commands, once.

    Parameters
    ----------
    app : typer.Typer
        dglgo's application.
    """
    if "extend" in _done:
        return
    from ._dglgo.commands import improve_commands

    improve_commands(app)
    _done.add("extend")


def application() -> typer.Typer:
    """dglgo's application with SignGT in it, whether the hook runs or not.

    Returns
    -------
    typer.Typer
        The application behind the ``dgl`` command.
    """
    register()
    import dglgo.cli

    extend(dglgo.cli.app)
    return dglgo.cli.app
