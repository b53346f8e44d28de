"""Names of data sets, and what is known about each before loading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import DataError, nearest

__all__ = [
    "DatasetSpec",
    "Option",
    "PaperFigures",
    "RawFiles",
    "check_options",
    "dataset_names",
    "dataset_spec",
]


@dataclass(frozen=True)
class Option:
    """A setting of a data set, as a recipe or :func:`load` takes it.

    Parameters
    ----------
    name : str
        Keyword.
    type : type
        ``int``, ``float``, ``bool`` or ``str``.
    default : object
        Value if not given; None where it must be given.
    doc : str
        One line on what it does.
    choices : tuple of str, optional
        The values that are valid, where they are few.
    required : bool, optional
        Whether it must be given. Default: False.
    """

    name: str
    type: type
    default: Any
    doc: str
    choices: tuple[str, ...] | None = None
    required: bool = False


@dataclass(frozen=True)
class PaperFigures:
    """A row of the paper's appendix, and why ours may differ from it.

    Parameters
    ----------
    nodes, edges, features, classes, homophily
        The row of a node data set.
    graphs, avg_nodes, avg_edges
        The row of a graph data set, which also has ``classes``.
    counting : str, optional
        How the paper counts edges: ``"undirected"`` (each once, without
        self-loops), ``"undirected+loops"``, ``"directed+loops"`` (both
        directions, and self-loops once) or ``"lines/2"`` (half the lines of
        the raw file).
    notes : mapping, optional
        Column to the reason of a known difference.
    """

    nodes: int | None = None
    edges: int | None = None
    features: int | None = None
    classes: int | None = None
    homophily: float | None = None
    graphs: int | None = None
    avg_nodes: float | None = None
    avg_edges: float | None = None
    counting: str = "undirected"
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RawFiles:
    """Which raw files a data set needs and where they come from.

    Parameters
    ----------
    url : str
        The official download.
    archive : str
        Official name of the file.
    members : tuple of str
        File names that must be there, wherever in the archive; names
        separated by ``|`` stand for each other.
    folders : tuple of str, optional
        Other names of an extracted folder.
    aliases : tuple of str, optional
        Other names of the archive.
    optional : tuple of str, optional
        Patterns of files that are read where they are there.
    sha256 : str, optional
        Checksum of the download, where the official one is known.
    megabytes : float, optional
        Size of the archive.
    """

    url: str
    archive: str
    members: tuple[str, ...]
    folders: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    sha256: str | None = None
    megabytes: float | None = None


@dataclass(frozen=True)
class DatasetSpec:
    """One entry of the registry.

    Parameters
    ----------
    name : str
        The registry's name.
    task : str
        ``"node"`` or ``"graph"``; ``"any"`` for one's own CSV files.
    description : str
        One line.
    size : str
        Size in words.
    origin : str
        ``"embedded"`` (generated, or from an installed package), ``"raw"``
        (raw files that are read here), ``"ogb"`` or ``"csv"``.
    reader : str
        ``module:function`` below ``dgl_signgt.data`` that reads it.
    options : tuple of Option, optional
        Its settings.
    fixed : mapping, optional
        Arguments of the reader that are not settings.
    raw : RawFiles, optional
        Its raw files.
    expected : mapping, optional
        Counts that whole raw files have: ``nodes``, ``edges`` (directed,
        as stored), ``features``, ``classes``, ``graphs``.
    paper : PaperFigures, optional
        The paper's own figures.
    packages : tuple of str, optional
        Installed packages that the data come from; another version of one
        is other data.

    Examples
    --------
    >>> dataset_spec("nci1").task
    'graph'
    """

    name: str
    task: str
    description: str
    size: str
    origin: str
    reader: str
    options: tuple[Option, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    raw: RawFiles | None = None
    expected: Mapping[str, int] = field(default_factory=dict)
    paper: PaperFigures | None = None
    packages: tuple[str, ...] = ()


def dataset_names(task: str | None = None) -> list[str]:
    """The names that :func:`load` takes.

    Parameters
    ----------
    task : str, optional
        Only those for ``"node"`` or ``"graph"`` tasks. Default: all.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "nci5k" in dataset_names("graph")
    True
    """
    from .catalog import CATALOG

    return [
        name
        for name, spec in CATALOG.items()
        if task is None or spec.task in (task, "any")
    ]


def dataset_spec(name: str) -> DatasetSpec:
    """What is known about a data set before loading it.

    Parameters
    ----------
    name : str
        One of :func:`dataset_names`.

    Returns
    -------
    DatasetSpec
    """
    from .catalog import CATALOG

    if name not in CATALOG:
        raise DataError(
            f"unknown data set {name!r}{nearest(name, CATALOG)}; "
            f"'python -m dgl_signgt data list' lists all"
        )
    return CATALOG[name]


def check_options(
    spec: DatasetSpec, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Complete the options of a data set with their defaults.

    Parameters
    ----------
    spec : DatasetSpec
        The data set.
    given : mapping
        What the user set.

    Returns
    -------
    dict
        Every option with its value, in the spec's order.
    """
    known = {option.name: option for option in spec.options}
    for key in given:
        if key not in known:
            hint = nearest(key, known)
            valid = ", ".join(known) or "none"
            raise DataError(
                f"{spec.name} has no option {key!r}{hint}; valid: {valid}"
            )
    return {
        option.name: _check_value(spec.name, option, given)
        for option in spec.options
    }


def _check_value(name: str, option: Option, given: Mapping[str, Any]) -> Any:
    if option.name not in given:
        if option.required:
            raise DataError(
                f"{name} needs the option {option.name!r}: {option.doc}"
            )
        return option.default
    value = given[option.name]
    if option.type is float and type(value) is int:
        value = float(value)
    if value is None and option.default is None and not option.required:
        return None
    if type(value) is not option.type:
        raise DataError(
            f"{name}: option {option.name!r} must be of type "
            f"{option.type.__name__}, got {value!r}"
        )
    if option.choices and value not in option.choices:
        raise DataError(
            f"{name}: option {option.name!r} must be one of "
            f"{', '.join(option.choices)}, got {value!r}"
            f"{nearest(value, option.choices)}"
        )
    return value
