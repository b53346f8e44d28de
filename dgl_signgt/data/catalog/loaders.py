"""Data sets that OGB's and DGL's own loaders read."""

from __future__ import annotations

from ..registry import DatasetSpec, Option, RawFiles

__all__ = ["CSV_SET", "OGB_SETS"]

_OGB = "http://snap.stanford.edu/ogb/data/"


def _ogb(
    name: str, task: str, description: str, size: str, path: str, mega: float
) -> DatasetSpec:
    return DatasetSpec(
        name=name,
        task=task,
        description=description,
        size=size,
        origin="ogb",
        reader="readers.ogb:read_ogb",
        fixed={"name": name},
        raw=RawFiles(
            url=_OGB + path,
            archive=path.rpartition("/")[2],
            members=("edge.csv.gz", "num-node-list.csv.gz"),
            folders=(name.replace("-", "_"),),
            megabytes=mega,
        ),
    )


OGB_SETS = [
    _ogb(
        "ogbg-molhiv",
        "graph",
        "OGB: molecules that inhibit HIV (ROC-AUC)",
        "41,127 graphs, 1 binary task",
        "graphproppred/csv_mol_download/hiv.zip",
        2.7,
    ),
    _ogb(
        "ogbg-molpcba",
        "graph",
        "OGB: molecules in 128 bioassays (average precision)",
        "437,929 graphs, 128 binary tasks",
        "graphproppred/csv_mol_download/pcba.zip",
        43.0,
    ),
    _ogb(
        "ogbn-arxiv",
        "node",
        "OGB: citations of arXiv papers",
        "169,343 nodes, 40 classes",
        "nodeproppred/arxiv.zip",
        81.0,
    ),
    _ogb(
        "ogbn-products",
        "node",
        "OGB: Amazon goods bought together",
        "2,449,029 nodes, 47 classes",
        "nodeproppred/products.zip",
        1380.0,
    ),
]

CSV_SET = DatasetSpec(
    name="csv",
    task="any",
    description="your own CSV files, in the form of dgl.data.CSVDataset",
    size="as the files",
    origin="csv",
    reader="readers.csv:read_csv",
    options=(
        Option(
            "data_path",
            str,
            None,
            "folder with meta.yaml and the CSV files it names",
            required=True,
        ),
    ),
)
