"""Graph data sets of the TUDataset collection."""

from __future__ import annotations

from ..registry import DatasetSpec, Option, PaperFigures, RawFiles

__all__ = ["TU_ANY", "TU_SETS"]

_TU = "https://www.chrsmrrs.com/graphkerneldatasets/"

_NODE_FEAT = Option(
    "node_feat",
    str,
    "auto",
    "node features: one-hot or categorical node labels, node attributes, "
    "degrees, or a constant 1 to which transforms add; auto takes attributes, "
    "else one-hot labels, else degrees",
    ("auto", "onehot", "categorical", "attributes", "degree", "constant"),
)


def _tu(
    name: str,
    official: str,
    graphs: int,
    nodes: float,
    edges: float,
    classes: int,
    megabytes: float,
    description: str,
    expected: dict[str, int],
    optional: tuple[str, ...],
    counting: str = "undirected",
) -> DatasetSpec:
    parts = ("A", "graph_indicator", "graph_labels", *optional)
    return DatasetSpec(
        name=name,
        task="graph",
        description=description,
        size=f"{graphs:,} graphs, {classes} classes",
        origin="raw",
        reader="readers.tu:read_tu",
        options=(_NODE_FEAT,),
        fixed={"prefix": official, "num_classes": expected.get("classes")},
        raw=RawFiles(
            url=f"{_TU}{official}.zip",
            archive=f"{official}.zip",
            members=tuple(f"{official}_{part}.txt" for part in parts),
            optional=(f"{official}_*.txt",),
            megabytes=megabytes,
        ),
        expected=expected,
        paper=PaperFigures(
            graphs=graphs,
            avg_nodes=nodes,
            avg_edges=edges,
            classes=classes,
            counting=counting,
        ),
    )


TU_ANY = DatasetSpec(
    name="tu",
    task="graph",
    description="any set of the TUDataset collection, by its name there",
    size="as the set",
    origin="raw",
    reader="readers.tu:read_tu_any",
    options=(
        Option(
            "dataset",
            str,
            None,
            "official name, such as PROTEINS, or of your own files",
            required=True,
        ),
        _NODE_FEAT,
    ),
    raw=RawFiles(
        url=f"{_TU}{{}}.zip",
        archive="{}.zip",
        members=("{}_A.txt", "{}_graph_indicator.txt", "{}_graph_labels.txt"),
        optional=("{}_*.txt",),
    ),
)

TU_SETS = [
    _tu(
        "nci1",
        "NCI1",
        4110,
        29.87,
        32.30,
        2,
        0.8,
        "molecules screened against lung cancer",
        {"graphs": 4110, "nodes": 122747, "edges": 265506, "classes": 2},
        ("node_labels",),
    ),
    _tu(
        "nci109",
        "NCI109",
        4127,
        29.68,
        32.13,
        2,
        0.8,
        "molecules screened against ovarian cancer",
        {"graphs": 4127, "nodes": 122494, "edges": 265208, "classes": 2},
        ("node_labels",),
    ),
    _tu(
        "mutagenicity",
        "Mutagenicity",
        4337,
        30.32,
        30.77,
        2,
        0.9,
        "molecules by mutagenicity",
        {"graphs": 4337, "nodes": 131488, "edges": 266894, "classes": 2},
        ("node_labels", "edge_labels"),
    ),
    _tu(
        "frankenstein",
        "FRANKENSTEIN",
        4337,
        16.90,
        17.88,
        2,
        6.0,
        "molecules by mutagenicity, atoms as image vectors",
        {},
        ("node_attributes",),
    ),
    _tu(
        "collab",
        "COLLAB",
        5000,
        74.49,
        2457.78,
        3,
        10.5,
        "ego-networks of researchers by field",
        {"graphs": 5000, "nodes": 372474, "edges": 24572158, "classes": 3},
        (),
        "undirected+loops",
    ),
]
