"""Data sets that need no download."""

from __future__ import annotations

from ..registry import DatasetSpec, Option

__all__ = ["EMBEDDED"]

EMBEDDED = [
    DatasetSpec(
        name="nci5k",
        task="graph",
        description="molecules that RDKit carries, by polar surface area",
        size="about 5,000 graphs, 3 classes",
        origin="embedded",
        reader="embedded.nci5k:build_nci5k",
        packages=("rdkit-pypi",),
    ),
    DatasetSpec(
        name="digits-knn",
        task="node",
        description="scikit-learn's digits as a nearest-neighbour graph",
        size="1,797 nodes, 10 classes",
        origin="embedded",
        reader="embedded.digits:build_digits_knn",
        packages=("scikit-learn",),
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
