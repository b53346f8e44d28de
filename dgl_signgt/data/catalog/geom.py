"""geom-gcn's heterophilous sets, and two of them without duplicates."""

from __future__ import annotations

from ..registry import DatasetSpec, PaperFigures, RawFiles
from .common import DGL_HOME, counts, node_spec

__all__ = ["FILTERED", "GEOM"]

_YANDEX = (
    "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/"
)


def _geom(
    name: str,
    description: str,
    split: str,
    expected: dict[str, int],
    paper: PaperFigures,
    megabytes: float,
) -> DatasetSpec:
    return node_spec(
        name,
        description,
        "readers.geom_gcn:read_geom_gcn",
        {
            "split": split,
            "index_features": name == "actor",
            "num_classes": expected["classes"],
        },
        RawFiles(
            url=f"{DGL_HOME}{name}.zip",
            archive=f"{name}.zip",
            members=("out1_graph_edges.txt", "out1_node_feature_label.txt"),
            optional=(f"{split}_split_0.6_0.2_*.npz",),
            folders=(split,),
            megabytes=megabytes,
        ),
        expected,
        paper,
    )


GEOM = [
    _geom(
        "chameleon",
        "Wikipedia pages on chameleons by traffic (has duplicate nodes)",
        "chameleon",
        counts(2277, 31371, 2325, 5),
        PaperFigures(
            2277,
            31371,
            2325,
            5,
            0.24,
            notes={
                "homophily": "0.235 over the 36,101 lines of the raw file, "
                "directed and with self-loops"
            },
        ),
        0.2,
    ),
    _geom(
        "actor",
        "actors that share a Wikipedia page",
        "film",
        counts(7600, 26659, 932, 5),
        PaperFigures(7600, 26659, 932, 5, 0.22),
        0.2,
    ),
    _geom(
        "squirrel",
        "Wikipedia pages on squirrels by traffic (has duplicate nodes)",
        "squirrel",
        counts(5201, 198353, 2089, 5),
        PaperFigures(5201, 198353, 2089, 5, 0.22),
        0.9,
    ),
]

FILTERED = [
    node_spec(
        f"{animal}-filtered",
        f"{animal} without duplicate nodes (Platonov et al. 2023)",
        "readers.filtered:read_filtered",
        {"file": f"{animal}_filtered.npz", "num_classes": 5},
        RawFiles(
            url=f"{_YANDEX}{animal}_filtered.npz",
            archive=f"{animal}_filtered.npz",
            members=(f"{animal}_filtered.npz",),
            sha256=checksum,
            megabytes=megabytes,
        ),
        counts(nodes, edges, features, 5),
        None,
    )
    for animal, nodes, edges, features, megabytes, checksum in (
        (
            "chameleon",
            890,
            8854,
            2325,
            0.1,
            "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5",
        ),
        (
            "squirrel",
            2223,
            46998,
            2089,
            0.2,
            "f06370ffb3116c5de8b7a600005400b2293c025e0ce2f6916d8201a825505ac7",
        ),
    )
]
