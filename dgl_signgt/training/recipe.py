"""Reading recipes: YAML, overrides, and errors that name the key."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ..errors import RecipeError, nearest
from .blocks import block_at, cut_search
from .conflicts import conflicts
from .fields import unknown_name
from .schema import PIPELINES, ApplyRecipe, Recipe

__all__ = [
    "check_recipe",
    "merge",
    "parse_overrides",
    "plain",
    "read_yaml",
    "set_value",
]


class _Loader(yaml.SafeLoader):
    """Safe YAML in which a key given twice is an error, not a surprise."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    seen = set()
    for key_node, _ in node.value:
        if key_node.tag == "tag:yaml.org,2002:merge":
            continue
        key = key_node.value if isinstance(key_node.value, str) else None
        if key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"key {key!r} is given twice", key_node.start_mark
            )
        seen.add(key)
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def read_yaml(path: str | os.PathLike) -> dict[str, Any]:
    """Read a YAML file that holds one mapping.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        Its content.

    Raises
    ------
    RecipeError
        One line: the file is missing, not YAML, or not a mapping.
    """
    path = Path(path)
    try:
        content = yaml.load(path.read_text("utf-8"), Loader=_Loader)
    except OSError as error:
        raise RecipeError(f"{path}: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or error
        raise RecipeError(
            f"{path}{where}: not valid YAML: {' '.join(str(problem).split())}"
        ) from error
    if not isinstance(content, dict):
        kind = "empty" if content is None else f"a {type(content).__name__}"
        raise RecipeError(f"{path}: a recipe is a YAML mapping; this is {kind}")
    return content


def parse_overrides(items: Iterable[str]) -> dict[str, Any]:
    """Turn ``["model.num_layers=2"]`` into ``{"model.num_layers": 2}``.

    Values are YAML: ``null``, ``[1, 2]`` and ``true`` mean what they mean
    in a recipe.
    """
    overrides = {}
    for item in items:
        key, sign, value = item.partition("=")
        if not sign or not key:
            raise RecipeError(
                f"override {item!r}: expected key=value, for example "
                f"model.num_layers=2"
            )
        try:
            overrides[key] = yaml.load(value, Loader=_Loader)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise RecipeError(f"override {item!r}: not valid YAML") from error
    return overrides


def set_value(content: dict[str, Any], key: str, value: Any) -> None:
    """Set ``content[a][b][c]`` for the key ``"a.b.c"``, making blocks."""
    *path, last = key.split(".")
    root = content
    for name in path:
        if content.get(name) is None:
            content[name] = {}
        content = content[name]
        if not isinstance(content, dict):
            raise RecipeError(f"override {key}: {name!r} is not a block")
    # A changed name brings other options; the old name's would be unknown.
    if last == "name" and content.get("name") not in (None, value):
        content.clear()
        content[last] = value
        schema = PIPELINES.get(str(root.get("pipeline_name")))
        known = schema is not None and isinstance(value, str)
        if known and isinstance(root.get("search"), dict):
            cut_search(root, path, schema)
    content[last] = value


def merge(
    content: Mapping[str, Any], overrides: Mapping[str, Any]
) -> dict[str, Any]:
    """A recipe with some values replaced.

    Parameters
    ----------
    content : mapping
        The recipe; it is not changed.
    overrides : mapping
        Keys with dots (``"model.k"``) or, for Python keywords, double
        underscores (``model__k``); a mapping as value replaces several.
        Replacing a block's ``name`` drops the old name's options, and what
        the new name does not have from ``search``; the order of the
        overrides does not matter.

    Returns
    -------
    dict
        The new recipe.

    Examples
    --------
    >>> merge({"model": {"name": "signgt", "k": 1}}, {"model.k": 2})
    {'model': {'name': 'signgt', 'k': 2}}
    """
    result = _copy(content)
    # Names first: what they drop is the recipe's, not what comes with them.
    pairs = sorted(
        _leaves(overrides), key=lambda pair: not pair[0].endswith(".name")
    )
    for key, value in pairs:
        set_value(result, key, value)
    return result


def _leaves(
    overrides: Mapping[str, Any], start: str = ""
) -> Iterator[tuple[str, Any]]:
    """All values with their dotted keys; ``search`` is one value."""
    for name, value in overrides.items():
        key = start + str(name).replace("__", ".")
        if isinstance(value, Mapping) and key != "search":
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return value


def check_recipe(
    content: Mapping[str, Any], source: str = "recipe"
) -> Recipe | ApplyRecipe:
    """Check a recipe and fill in its defaults.

    Parameters
    ----------
    content : mapping
        What the YAML file holds.
    source : str, optional
        The file's name, for messages.

    Returns
    -------
    GraphRecipe, NodeRecipe or ApplyRecipe
        The recipe with all defaults.

    Raises
    ------
    RecipeError
        All that is wrong, each with its path in the YAML.
    """
    if not isinstance(content, Mapping):
        raise RecipeError(f"{source}: a recipe is a mapping")
    name, mode = content.get("pipeline_name"), content.get("pipeline_mode")
    if not isinstance(name, str) or name not in PIPELINES:
        problem = (
            unknown_name(name, [*PIPELINES])
            if "pipeline_name" in content
            else "is missing; one of " + ", ".join(PIPELINES)
        )
        raise RecipeError(f"{source}: pipeline_name: {problem}")
    schema = ApplyRecipe if mode == "apply" else PIPELINES[name]
    try:
        recipe = schema.parse_obj(content)
    except ValidationError as error:
        problems = [_explain(item, content, schema) for item in error.errors()]
    else:
        problems = conflicts(recipe)
        if not problems:
            return recipe
    lines = _lines(problems)
    if len(lines) == 1:
        raise RecipeError(f"{source}: {lines[0]}")
    raise RecipeError(
        f"{source}: {len(lines)} errors:\n  " + ";\n  ".join(lines)
    )


def _lines(problems: list[tuple[str, str]]) -> list[str]:
    """A line a path: of a union, pydantic reports what each type expects."""
    texts: dict[str, list[str]] = {}
    for path, text in problems:
        if text not in texts.setdefault(path, []):
            texts[path].append(text)
    return [
        f"{path}: "
        + ", or ".join(
            [*(t.rpartition(", not ")[0] or t for t in t_[:-1]), t_[-1]]
        )
        for path, t_ in texts.items()
    ]


def plain(recipe: Recipe | ApplyRecipe, defaults: bool = True) -> dict:
    """The recipe as plain values, with or without what was left out."""
    return _simple(recipe.dict(exclude_unset=not defaults))


def _simple(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _simple(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_simple(item) for item in value]
    return value


def _explain(
    item: dict[str, Any], content: Any, schema: Any
) -> tuple[str, str]:
    """One of pydantic's errors as (path in the YAML, what to do)."""
    path = ".".join(str(part) for part in item["loc"])
    kind, context = item["type"], item.get("ctx", {})
    if kind == "value_error.extra":
        valid = _siblings(item["loc"], content, schema)
        return path, f"unknown key{nearest(str(item['loc'][-1]), valid)}"
    if kind == "value_error.missing":
        return path, "is missing"
    value = content
    for part in item["loc"]:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            break
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    if kind == "value_error.const":
        names = [str(name) for name in context["permitted"]]
        text = f"must be one of {', '.join(names)}"
        if isinstance(value, str):
            text += nearest(value, names)
    elif kind.startswith("value_error.number.not_"):
        sign = {"ge": ">=", "le": "<=", "gt": ">", "lt": "<"}[
            kind.rpartition("_")[2]
        ]
        return path, f"must be {sign} {context['limit_value']}, not {shown}"
    elif kind == "value_error.tuple.length":
        text = f"must be a list of {context['expected_length']} values"
    else:
        text = _WORDS.get(kind, item["msg"])
        if not text.startswith("must"):
            return path, text
    return path, f"{text}, not {shown}"


_WORDS = {
    "type_error.integer": "must be a whole number",
    "value_error.strictbool": "must be true or false",
    "type_error.bool": "must be true or false",
    "type_error.dict": "must be a mapping",
    "type_error.list": "must be a list",
    "type_error.tuple": "must be a list",
    "type_error.str": "must be a string",
    "type_error.none.not_allowed": "must not be null",
    "value_error.strictint": "must be a whole number",
}


def _siblings(loc: tuple, content: Any, schema: Any) -> list[str]:
    """The keys that are valid beside an unknown one."""
    block = block_at(loc[:-1], content, schema)
    return [*block.__fields__] if block is not None else []
