"""Planetoid's citation networks."""

from __future__ import annotations

from ..registry import PaperFigures, RawFiles
from .common import DGL_HOME, counts, node_spec

__all__ = ["PLANETOID"]


def _planetoid_raw(stem: str, other: str, megabytes: float) -> RawFiles:
    parts = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
    names = [f"ind.{stem}.{p}" for p in parts]
    if other != stem:
        names = [f"{n}|ind.{other}.{p}" for n, p in zip(names, parts)]
    return RawFiles(
        url=f"{DGL_HOME}{stem}.zip",
        archive=f"{stem}.zip",
        members=tuple(names),
        aliases=(f"{other}.zip",),
        folders=(other,),
        megabytes=megabytes,
    )


PLANETOID = [
    node_spec(
        "cora",
        "citations of machine-learning papers",
        "readers.planetoid:read_planetoid",
        {"stems": ("cora_v2", "cora")},
        _planetoid_raw("cora_v2", "cora", 0.1),
        counts(2708, 5278, 1433, 7),
        PaperFigures(2708, 5278, 1433, 7, 0.81),
    ),
    node_spec(
        "pubmed",
        "citations of papers on diabetes",
        "readers.planetoid:read_planetoid",
        {"stems": ("pubmed",)},
        _planetoid_raw("pubmed", "pubmed", 4.8),
        counts(19717, 44324, 500, 3),
        PaperFigures(
            19717,
            44434,
            500,
            3,
            0.80,
            notes={
                "edges": "the raw file has 44,324 distinct undirected edges; "
                "the paper's 44,434 swaps two digits or counts otherwise"
            },
        ),
    ),
]
