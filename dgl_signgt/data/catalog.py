"""The data sets: names, homes, counts, and the paper's figures."""

from __future__ import annotations

from .catalog_loaders import CSV_SET, OGB_SETS
from .registry import DatasetSpec, Option, PaperFigures, RawFiles

__all__ = ["CATALOG"]

_DGL = "https://data.dgl.ai/dataset/"
_TU = "https://www.chrsmrrs.com/graphkerneldatasets/"
_AMGCN = "https://github.com/zhumeiqiBUPT/AM-GCN/raw/master/data/"
_YANDEX = (
    "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/"
)

_NODE_FEAT = Option(
    "node_feat",
    str,
    "auto",
    "node features: one-hot or categorical node labels, node attributes, "
    "degrees; auto takes attributes, else one-hot labels, else degrees",
    ("auto", "onehot", "categorical", "attributes", "degree"),
)

_EMBEDDED = [
    DatasetSpec(
        name="nci5k",
        task="graph",
        description="molecules that RDKit carries, by polar surface area",
        size="about 5,000 graphs, 3 classes",
        origin="embedded",
        reader="embedded.nci5k:build_nci5k",
    ),
    DatasetSpec(
        name="digits-knn",
        task="node",
        description="scikit-learn's digits as a nearest-neighbour graph",
        size="1,797 nodes, 10 classes",
        origin="embedded",
        reader="embedded.digits:build_digits_knn",
        options=(
            Option("neighbours", int, 8, "nearest neighbours of each image"),
        ),
    ),
    DatasetSpec(
        name="csbm",
        task="node",
        description="contextual stochastic block model, homophily at will",
        size="1,000 nodes, 2 classes by default",
        origin="embedded",
        reader="embedded.csbm:build_csbm",
        options=(
            Option("num_nodes", int, 1000, "nodes"),
            Option("num_classes", int, 2, "classes, of equal size"),
            Option("homophily", float, 0.2, "share of edges within a class"),
            Option("avg_degree", float, 10.0, "average number of neighbours"),
            Option("feat_size", int, 32, "feature columns"),
            Option("signal", float, 1.0, "how far class centres are apart"),
            Option("seed", int, 0, "seed of the generated graph"),
        ),
    ),
]


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


_TU_ANY = DatasetSpec(
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

_TU_SETS = [
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


def _node(
    name: str,
    description: str,
    reader: str,
    fixed: dict,
    raw: RawFiles,
    expected: dict[str, int],
    paper: PaperFigures | None,
) -> DatasetSpec:
    return DatasetSpec(
        name=name,
        task="node",
        description=description,
        size=_node_size(expected, paper),
        origin="raw",
        reader=reader,
        fixed=fixed,
        raw=raw,
        expected=expected,
        paper=paper,
    )


def _node_size(expected: dict[str, int], paper: PaperFigures | None) -> str:
    nodes = expected.get("nodes") or paper.nodes
    classes = expected.get("classes") or paper.classes
    return f"{nodes:,} nodes, {classes} classes"


def _counts(nodes: int, edges: int, features: int, classes: int) -> dict:
    """Whole raw files have these; each edge is stored in both directions."""
    return {
        "nodes": nodes,
        "edges": 2 * edges,
        "features": features,
        "classes": classes,
    }


def _planetoid_raw(stem: str, other: str, megabytes: float) -> RawFiles:
    parts = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
    names = [f"ind.{stem}.{p}" for p in parts]
    if other != stem:
        names = [f"{n}|ind.{other}.{p}" for n, p in zip(names, parts)]
    return RawFiles(
        url=f"{_DGL}{stem}.zip",
        archive=f"{stem}.zip",
        members=tuple(names),
        aliases=(f"{other}.zip",),
        folders=(other,),
        megabytes=megabytes,
    )


_PLANETOID = [
    _node(
        "cora",
        "citations of machine-learning papers",
        "readers.planetoid:read_planetoid",
        {"stems": ("cora_v2", "cora")},
        _planetoid_raw("cora_v2", "cora", 0.1),
        _counts(2708, 5278, 1433, 7),
        PaperFigures(2708, 5278, 1433, 7, 0.81),
    ),
    _node(
        "pubmed",
        "citations of papers on diabetes",
        "readers.planetoid:read_planetoid",
        {"stems": ("pubmed",)},
        _planetoid_raw("pubmed", "pubmed", 4.8),
        _counts(19717, 44324, 500, 3),
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

_DIRECTED_NOTE = "the paper counts both directions"


def _shchur(
    name: str,
    description: str,
    npz: str,
    dgl_name: str,
    counts: dict[str, int],
    paper: PaperFigures,
    megabytes: float,
) -> DatasetSpec:
    return _node(
        name,
        description,
        "readers.shchur:read_shchur",
        {
            "files": (f"{npz}.npz", f"{dgl_name}.npz"),
            "num_classes": counts.get("classes"),
        },
        RawFiles(
            url=f"{_DGL}{dgl_name}.zip",
            archive=f"{dgl_name}.zip",
            members=(f"{npz}.npz|{dgl_name}.npz",),
            aliases=(f"{npz}.zip", f"{npz}.npz", f"{dgl_name}.npz"),
            folders=(dgl_name,),
            megabytes=megabytes,
        ),
        counts,
        paper,
    )


_SHCHUR = [
    _shchur(
        "photo",
        "Amazon photo goods bought together",
        "amazon_electronics_photo",
        "amazon_co_buy_photo",
        _counts(7650, 119081, 745, 8),
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
        _counts(13752, 245861, 767, 10),
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


def _geom(
    name: str,
    description: str,
    split: str,
    counts: dict[str, int],
    paper: PaperFigures,
    megabytes: float,
) -> DatasetSpec:
    return _node(
        name,
        description,
        "readers.geom_gcn:read_geom_gcn",
        {
            "split": split,
            "index_features": name == "actor",
            "num_classes": counts["classes"],
        },
        RawFiles(
            url=f"{_DGL}{name}.zip",
            archive=f"{name}.zip",
            members=("out1_graph_edges.txt", "out1_node_feature_label.txt"),
            optional=(f"{split}_split_0.6_0.2_*.npz",),
            folders=(split,),
            megabytes=megabytes,
        ),
        counts,
        paper,
    )


_GEOM = [
    _geom(
        "chameleon",
        "Wikipedia pages on chameleons by traffic (has duplicate nodes)",
        "chameleon",
        _counts(2277, 31371, 2325, 5),
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
        _counts(7600, 26659, 932, 5),
        PaperFigures(7600, 26659, 932, 5, 0.22),
        0.2,
    ),
    _geom(
        "squirrel",
        "Wikipedia pages on squirrels by traffic (has duplicate nodes)",
        "squirrel",
        _counts(5201, 198353, 2089, 5),
        PaperFigures(5201, 198353, 2089, 5, 0.22),
        0.9,
    ),
]


def _amgcn(
    name: str,
    description: str,
    stem: str,
    edge: tuple[str, ...],
    counts: dict[str, int],
    paper: PaperFigures,
    megabytes: float,
) -> DatasetSpec:
    return _node(
        name,
        description,
        "readers.amgcn:read_amgcn",
        {
            "stem": stem,
            "edge_files": edge,
            "num_classes": counts["classes"],
        },
        RawFiles(
            url=f"{_AMGCN}{stem}.zip",
            archive=f"{stem}.zip",
            members=(f"{stem}.feature", f"{stem}.label", "|".join(edge)),
            folders=(stem,),
            megabytes=megabytes,
        ),
        counts,
        paper,
    )


_AMGCN_SETS = [
    _amgcn(
        "acm",
        "ACM papers that share an author",
        "acm",
        ("acm_PAP.edge", "acm.edge"),
        _counts(3025, 13128, 1870, 3),
        PaperFigures(3025, 13128, 1870, 3, 0.82),
        0.4,
    ),
    _amgcn(
        "blogcatalog",
        "bloggers by interest",
        "BlogCatalog",
        ("BlogCatalog.edge",),
        _counts(5196, 171743, 8189, 6),
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
        _counts(3067, 28308, 4973, 19),
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
        _counts(7575, 239738, 12047, 9),
        PaperFigures(7575, 239738, 12047, 9, 0.24),
        1.7,
    ),
]

_FILTERED = [
    _node(
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
        _counts(nodes, edges, features, 5),
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

CATALOG: dict[str, DatasetSpec] = {
    spec.name: spec
    for spec in (
        *_EMBEDDED,
        *_TU_SETS,
        *_SHCHUR,
        *_PLANETOID,
        *_AMGCN_SETS,
        *_GEOM,
        *_FILTERED,
        *OGB_SETS,
        _TU_ANY,
        CSV_SET,
    )
}
