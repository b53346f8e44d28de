"""The sets of Shchur et al.: co-purchases, and CoraFull."""

from __future__ import annotations

from ..registry import DatasetSpec, PaperFigures, RawFiles
from .common import DGL_HOME, counts, node_spec

__all__ = ["SHCHUR"]

_DIRECTED_NOTE = "the paper counts both directions"


def _shchur(
    name: str,
    description: str,
    npz: str,
    dgl_name: str,
    expected: dict[str, int],
    paper: PaperFigures,
    megabytes: float,
) -> DatasetSpec:
    return node_spec(
        name,
        description,
        "readers.shchur:read_shchur",
        {
            "files": (f"{npz}.npz", f"{dgl_name}.npz"),
            "num_classes": expected.get("classes"),
        },
        RawFiles(
            url=f"{DGL_HOME}{dgl_name}.zip",
            archive=f"{dgl_name}.zip",
            members=(f"{npz}.npz|{dgl_name}.npz",),
            aliases=(f"{npz}.zip", f"{npz}.npz", f"{dgl_name}.npz"),
            folders=(dgl_name,),
            megabytes=megabytes,
        ),
        expected,
        paper,
    )


SHCHUR = [
    _shchur(
        "photo",
        "Amazon photo goods bought together",
        "amazon_electronics_photo",
        "amazon_co_buy_photo",
        counts(7650, 119081, 745, 8),
        PaperFigures(
            7650,
            238163,
            745,
            8,
            0.83,
            counting="directed+loops",
            notes={"edges": _DIRECTED_NOTE + " and one self-loop"},
        ),
        1.7,
    ),
    _shchur(
        "computer",
        "Amazon computer goods bought together",
        "amazon_electronics_computers",
        "amazon_co_buy_computer",
        counts(13752, 245861, 767, 10),
        PaperFigures(
            13752,
            491722,
            767,
            10,
            0.78,
            counting="directed+loops",
            notes={"edges": _DIRECTED_NOTE},
        ),
        3.4,
    ),
    _shchur(
        "corafull",
        "citations of papers of seventy fields",
        "cora_full",
        "cora_full",
        {},
        PaperFigures(19793, 65311, 8710, 70, 0.57),
        6.0,
    ),
]
