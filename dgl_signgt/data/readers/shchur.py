"""The npz files of Shchur et al. (Amazon Photo and Computers, CoraFull)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...errors import DataError
from ..flat import FlatGraphs, simple_edges
from ..source import RawSource
from ..text import check_classes, read_npz

__all__ = ["read_shchur"]

_PARTS = ("data", "indices", "indptr", "shape")


def read_shchur(
    source: RawSource, files: tuple[str, ...], num_classes: int | None = None
) -> FlatGraphs:
    """Read an npz file with adjacency and features in CSR form.

    Parameters
    ----------
    source : RawSource
        Where it lies.
    files : tuple of str
        Names that it may have.
    num_classes : int, optional
        Number of classes, where it is known.

    Returns
    -------
    FlatGraphs
        Undirected; features sparse, with the values of the file.
    """
    name = source.need("|".join(files))
    keys = [f"{m}_{p}" for m in ("adj", "attr") for p in _PARTS]
    arrays = read_npz(source, name, (*keys, "labels"))
    adj = _matrix(source, name, arrays, "adj")
    feat = _matrix(source, name, arrays, "attr").astype(np.float32)
    label = arrays["labels"]
    num_nodes = adj.shape[0]
    if adj.shape[1] != num_nodes or feat.shape[0] != num_nodes:
        raise DataError(
            f"{source.where(name)}: adjacency {adj.shape} and features "
            f"{feat.shape} are of different sizes"
        )
    whole = np.issubdtype(label.dtype, np.integer)
    if not whole or label.shape != (num_nodes,):
        raise DataError(
            f"{source.where(name)}: labels must be {num_nodes} whole numbers"
        )
    check_classes(source, name, label, num_classes)
    coo = adj.tocoo()
    src, dst = simple_edges(coo.row, coo.col, num_nodes)
    return FlatGraphs(
        task="node",
        label_kind="multiclass",
        feat_kind="sparse",
        num_classes=int(label.max()) + 1,
        in_size=feat.shape[1],
        node_counts=np.array([num_nodes]),
        edge_counts=np.array([len(src)]),
        src=src,
        dst=dst,
        feat=feat,
        label=label.astype(np.int64),
        info={
            "raw_edge_lines": int(adj.nnz),
            "self_loops": int(np.count_nonzero(coo.row == coo.col)),
            "files": dict.fromkeys(
                ("nodes", "edges", "features", "classes"), name
            ),
        },
    )


def _matrix(
    source: RawSource, name: str, arrays: dict[str, np.ndarray], key: str
) -> sp.csr_matrix:
    data, indices, indptr, shape = (arrays[f"{key}_{p}"] for p in _PARTS)
    try:
        matrix = sp.csr_matrix(
            (data, indices, indptr), shape=tuple(int(n) for n in shape)
        )
        matrix.check_format(full_check=True)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{source.where(name)}: {key}_* is not a sparse matrix: "
            f"{' '.join(str(error).split())}"
        ) from None
    matrix.eliminate_zeros()
    return matrix
