"""The sets of AM-GCN."""

from __future__ import annotations

from ..registry import DatasetSpec, PaperFigures, RawFiles
from .common import counts, node_spec

__all__ = ["AMGCN_SETS"]

_AMGCN = "https://github.com/zhumeiqiBUPT/AM-GCN/raw/master/data/"


def _amgcn(
    name: str,
    description: str,
    stem: str,
    edge: tuple[str, ...],
    expected: dict[str, int],
    paper: PaperFigures,
    megabytes: float,
) -> DatasetSpec:
    return node_spec(
        name,
        description,
        "readers.amgcn:read_amgcn",
        {
            "stem": stem,
            "edge_files": edge,
            "num_classes": expected["classes"],
        },
        RawFiles(
            url=f"{_AMGCN}{stem}.zip",
            archive=f"{stem}.zip",
            members=(f"{stem}.feature", f"{stem}.label", "|".join(edge)),
            folders=(stem,),
            megabytes=megabytes,
        ),
        expected,
        paper,
    )


AMGCN_SETS = [
    _amgcn(
        "acm",
        "ACM papers that share an author",
        "acm",
        ("acm_PAP.edge", "acm.edge"),
        counts(3025, 13128, 1870, 3),
        PaperFigures(3025, 13128, 1870, 3, 0.82),
        0.4,
    ),
    _amgcn(
        "blogcatalog",
        "bloggers by interest",
        "BlogCatalog",
        ("BlogCatalog.edge",),
        counts(5196, 171743, 8189, 6),
        PaperFigures(
            5196,
            171743,
            8189,
            3,
            0.40,
            notes={"classes": "the data have 6 classes, the table says 3"},
        ),
        1.6,
    ),
    _amgcn(
        "uai2010",
        "Wikipedia articles by topic",
        "uai",
        ("uai.edge",),
        counts(3067, 28308, 4973, 19),
        PaperFigures(
            3067,
            28311,
            4973,
            19,
            0.36,
            counting="lines/2",
            notes={"edges": "half of the 56,622 lines, 6 of them self-loops"},
        ),
        1.7,
    ),
    _amgcn(
        "flickr",
        "Flickr users by interest group",
        "flickr",
        ("flickr.edge",),
        counts(7575, 239738, 12047, 9),
        PaperFigures(7575, 239738, 12047, 9, 0.24),
        1.7,
    ),
]
