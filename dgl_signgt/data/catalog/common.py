"""What entries of node data sets have in common."""

from __future__ import annotations

from ..registry import DatasetSpec, PaperFigures, RawFiles

__all__ = ["DGL_HOME", "counts", "node_spec"]

DGL_HOME = "https://data.dgl.ai/dataset/"


def node_spec(
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


def counts(
    nodes: int, edges: int, features: int, classes: int
) -> dict[str, int]:
    """Whole raw files have these; each edge is stored in both directions."""
    return {
        "nodes": nodes,
        "edges": 2 * edges,
        "features": features,
        "classes": classes,
    }
