"""The data sets: names, homes, counts, and the paper's figures."""

from __future__ import annotations

from ..registry import DatasetSpec
from .amgcn import AMGCN_SETS
from .embedded import EMBEDDED
from .geom import FILTERED, GEOM
from .loaders import CSV_SET, OGB_SETS
from .planetoid import PLANETOID
from .shchur import SHCHUR
from .tu import TU_ANY, TU_SETS

__all__ = ["CATALOG"]

CATALOG: dict[str, DatasetSpec] = {
    spec.name: spec
    for spec in (
        *EMBEDDED,
        *TU_SETS,
        *SHCHUR,
        *PLANETOID,
        *AMGCN_SETS,
        *GEOM,
        *FILTERED,
        *OGB_SETS,
        TU_ANY,
        CSV_SET,
    )
}
