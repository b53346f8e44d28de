"""Transforms of structure and features that a recipe can name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import DataError, nearest
from .cliques import clique_encoding
from .colours import wl_encoding
from .flat import FlatGraphs
from .positional import (
    adjacency_encoding,
    laplacian_encoding,
    random_walk_encoding,
)
from .structure import largest_component, self_loops, undirected
from .surroundings import degree_encoding, edge_sums, neighbor_sums

__all__ = ["apply_transforms", "check_transforms", "transform_names"]


def transform_names() -> list[str]:
    """The transforms that :func:`~dgl_signgt.data.load` takes.

    Examples
    --------
    >>> transform_names()[0]
    'row-normalize'
    """
    return [*_TRANSFORMS]


def check_transforms(
    transforms: Sequence[str | Mapping[str, Any]],
) -> list[list[Any]]:
    """Bring transforms into one form, with all their settings.

    Parameters
    ----------
    transforms : sequence
        Names, or mappings of one name to its settings.

    Returns
    -------
    list
        Pairs of a name and the mapping of its settings.

    Examples
    --------
    >>> check_transforms(["self-loops", {"laplacian-pe": {"size": 4}}])
    [['self-loops', {}], ['laplacian-pe', {'size': 4}]]
    """
    if isinstance(transforms, (str, Mapping)):
        raise DataError(f"transforms must be a list, got {transforms!r}")
    steps = []
    for item in transforms:
        given: Any = {}
        name = item
        if isinstance(item, Mapping):
            if len(item) != 1:
                raise DataError(
                    f"a transform is a name or one name with its settings, "
                    f"got {dict(item)!r}"
                )
            name, given = next(iter(item.items()))
            given = {} if given is None else given
        if name not in _TRANSFORMS:
            raise DataError(
                f"unknown transform {name!r}{nearest(name, _TRANSFORMS)}; "
                f"valid: {', '.join(_TRANSFORMS)}"
            )
        steps.append([name, _settings(name, given)])
    return steps


def apply_transforms(flat: FlatGraphs, steps: list[list[Any]]) -> FlatGraphs:
    """Apply checked transforms one after the other.

    Parameters
    ----------
    flat : FlatGraphs
        The data, left as they are.
    steps : list
        From :func:`check_transforms`.

    Returns
    -------
    FlatGraphs
    """
    for name, settings in steps:
        flat = _TRANSFORMS[name](flat, **settings)
    return flat


def _settings(name: str, given: Any) -> dict[str, Any]:
    known = [*inspect.signature(_TRANSFORMS[name]).parameters.values()][1:]
    defaults = {p.name: p.default for p in known}
    if not isinstance(given, Mapping):
        raise DataError(f"transform {name!r}: settings must be a mapping")
    for key, value in given.items():
        if key not in defaults:
            raise DataError(
                f"transform {name!r} has no setting {key!r}"
                f"{nearest(key, defaults)}; valid: "
                f"{', '.join(defaults) or 'none'}"
            )
        if type(value) is not int or value < 1:
            raise DataError(
                f"transform {name!r}: {key} must be a whole number from 1 "
                f"up, got {value!r}"
            )
    return {**defaults, **given}


def _numeric(flat: FlatGraphs, name: str) -> None:
    if flat.feat_kind == "categorical":
        raise DataError(
            f"transform {name!r} needs numbers, but the features are "
            f"categorical: use node_feat: onehot or constant"
        )


def _row_normalize(flat: FlatGraphs) -> FlatGraphs:
    _numeric(flat, "row-normalize")
    return _divide_rows(flat, abs(flat.feat).sum(axis=1))


def _l2_normalize(flat: FlatGraphs) -> FlatGraphs:
    _numeric(flat, "l2-normalize")
    if sp.issparse(flat.feat):
        wide = flat.feat.astype(np.float64)
        squares = wide.multiply(wide)
    else:
        squares = flat.feat.astype(np.float64) ** 2
    return _divide_rows(flat, np.sqrt(squares.sum(axis=1)))


def _divide_rows(flat: FlatGraphs, total: np.ndarray) -> FlatGraphs:
    total = np.asarray(total, dtype=np.float64).ravel()
    # Rows without any feature stay as they are.
    scale = (1 / np.where(total > 0, total, 1)).astype(np.float32)
    if sp.issparse(flat.feat):
        feat = (sp.diags(scale) @ flat.feat).tocsr().astype(np.float32)
    else:
        feat = flat.feat * scale[:, None]
    return replace(flat, feat=feat)


def _standardize(flat: FlatGraphs) -> FlatGraphs:
    _numeric(flat, "standardize")
    feat = flat.feat.toarray() if sp.issparse(flat.feat) else flat.feat
    mean = feat.mean(axis=0, dtype=np.float64)
    spread = feat.std(axis=0, dtype=np.float64)
    spread[spread == 0] = 1
    feat = ((feat - mean) / spread).astype(np.float32)
    return replace(flat, feat=feat, feat_kind="dense")


def _append(
    flat: FlatGraphs, columns: np.ndarray | sp.csr_matrix
) -> FlatGraphs:
    columns = columns.astype(np.float32)
    if sp.issparse(columns):
        both = [sp.csr_matrix(flat.feat, dtype=np.float32), columns]
        flat = replace(flat, feat_kind="sparse")
        feat = sp.hstack(both, format="csr")
    elif sp.issparse(flat.feat):
        feat = sp.hstack([flat.feat, sp.csr_matrix(columns)], format="csr")
    else:
        feat = np.concatenate([flat.feat, columns], axis=1)
    return replace(flat, feat=feat, in_size=feat.shape[1])


def _adjacency_pe(flat: FlatGraphs, scale: int = 1) -> FlatGraphs:
    _numeric(flat, "adjacency-pe")
    if flat.task != "node":
        raise DataError(
            "transform 'adjacency-pe' has a column for each node, so it needs "
            "a single graph; for many graphs use laplacian-pe or random-walk-pe"
        )
    return _append(flat, adjacency_encoding(flat, scale))


def _laplacian_pe(flat: FlatGraphs, size: int = 8) -> FlatGraphs:
    _numeric(flat, "laplacian-pe")
    return _append(flat, laplacian_encoding(flat, size))


def _random_walk_pe(flat: FlatGraphs, size: int = 8) -> FlatGraphs:
    _numeric(flat, "random-walk-pe")
    return _append(flat, random_walk_encoding(flat, size))


def _degree_pe(flat: FlatGraphs, size: int = 8) -> FlatGraphs:
    _numeric(flat, "degree-pe")
    return _append(flat, degree_encoding(flat, size))


def _wl_pe(flat: FlatGraphs, size: int = 256, hops: int = 2) -> FlatGraphs:
    _numeric(flat, "wl-pe")
    return _append(flat, wl_encoding(flat, size, hops))


def _clique_pe(flat: FlatGraphs, size: int = 36) -> FlatGraphs:
    _numeric(flat, "clique-pe")
    return _append(flat, clique_encoding(flat, size))


def _neighbor_sums(flat: FlatGraphs, hops: int = 1) -> FlatGraphs:
    _numeric(flat, "neighbor-sums")
    return _append(flat, neighbor_sums(flat, hops))


def _edge_sums(flat: FlatGraphs) -> FlatGraphs:
    _numeric(flat, "edge-sums")
    if flat.edge_feat is None:
        raise DataError(
            "transform 'edge-sums' adds up features of edges, of which these "
            "data have none"
        )
    return _append(flat, edge_sums(flat))


_TRANSFORMS: dict[str, Callable[..., FlatGraphs]] = {
    "row-normalize": _row_normalize,
    "l2-normalize": _l2_normalize,
    "standardize": _standardize,
    "undirected": undirected,
    "self-loops": self_loops,
    "largest-component": largest_component,
    "adjacency-pe": _adjacency_pe,
    "laplacian-pe": _laplacian_pe,
    "random-walk-pe": _random_walk_pe,
    "degree-pe": _degree_pe,
    "wl-pe": _wl_pe,
    "clique-pe": _clique_pe,
    "neighbor-sums": _neighbor_sums,
    "edge-sums": _edge_sums,
}
