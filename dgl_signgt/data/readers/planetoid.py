"""Planetoid's ``ind.*`` files, whose pickles are read but never obeyed."""

from __future__ import annotations

import io
import pickle
from collections import defaultdict
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ...errors import DataError
from ..flat import FlatGraphs, simple_edges
from ..source import RawSource
from ..text import first_line, read_table

__all__ = ["read_planetoid"]


class _CsrState:
    """Takes the place of scipy's matrix, so that none of its code runs."""

    def matrix(self) -> sp.csr_matrix:
        state = self.__dict__
        shape = state.get("_shape", state.get("shape"))
        return sp.csr_matrix(
            (state["data"], state["indices"], state["indptr"]), shape=shape
        )


def _latin1(text: str, encoding: str) -> bytes:
    """What Python 2's pickles call to turn text into bytes."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"encoding {encoding!r}")
    return text.encode("latin1")


class _Restricted(pickle.Unpickler):
    """Builds arrays, sparse matrices and dictionaries of lists, no more."""

    _reconstruct = np.zeros(0).__reduce__()[0]
    _known: ClassVar[dict[tuple[str, str], Any]] = {
        ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
        ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        ("scipy.sparse.csr", "csr_matrix"): _CsrState,
        ("scipy.sparse._csr", "csr_matrix"): _CsrState,
        ("collections", "defaultdict"): defaultdict,
        ("__builtin__", "list"): list,
        ("builtins", "list"): list,
        ("_codecs", "encode"): _latin1,
    }

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._known:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return self._known[module, name]


def read_planetoid(source: RawSource, stems: tuple[str, ...]) -> FlatGraphs:
    """Read the eight files of a Planetoid data set.

    Parameters
    ----------
    source : RawSource
        Where they lie.
    stems : tuple of str
        Names that may stand between ``ind.`` and the ending.

    Returns
    -------
    FlatGraphs
        With Planetoid's own split (20 a class, then 500, then 1000).
    """

    def member(ending: str) -> str:
        return source.need("|".join(f"ind.{s}.{ending}" for s in stems))

    parts = {}
    for ending in ("x", "y", "tx", "ty", "allx", "ally", "graph"):
        parts[ending] = _unpickle(source, member(ending))
    test_file = member("test.index")
    test = read_table(source, test_file, 1)
    known, num_test = parts["allx"].shape[0], len(test)
    # Isolated test nodes may be missing from the index: their rows stay
    # empty and their label none.
    num_nodes = max(known + num_test, int(test.max()) + 1)
    wrong = (test < known) | (test >= num_nodes)
    if wrong.any() or num_test != parts["tx"].shape[0]:
        line = first_line(wrong) if wrong.any() else num_test
        raise DataError(
            f"{source.where(test_file)}, line {line}: expected "
            f"{parts['tx'].shape[0]} test nodes from {known} up"
        )
    feat = sp.lil_matrix((num_nodes, parts["allx"].shape[1]), dtype=np.float32)
    feat[:known] = parts["allx"]
    feat[test] = parts["tx"]
    onehot = np.zeros((num_nodes, parts["ally"].shape[1]))
    onehot[:known] = parts["ally"]
    onehot[test] = parts["ty"]
    label = np.where(onehot.any(axis=1), onehot.argmax(axis=1), -1)
    src, dst, loops = _edges(source, member("graph"), parts["graph"], num_nodes)
    split = np.zeros((1, num_nodes), dtype=np.int8)
    num_train = parts["y"].shape[0]
    split[0, :num_train] = 1
    split[0, num_train : num_train + 500] = 2
    split[0, test] = 3
    return FlatGraphs(
        task="node",
        label_kind="multiclass",
        feat_kind="sparse",
        num_classes=onehot.shape[1],
        in_size=feat.shape[1],
        node_counts=np.array([num_nodes]),
        edge_counts=np.array([len(src)]),
        src=src,
        dst=dst,
        feat=feat.tocsr(),
        label=label.astype(np.int64),
        splits=split,
        info={
            "self_loops": loops,
            "files": {
                "nodes": test_file,
                "edges": member("graph"),
                "features": member("allx"),
                "classes": member("ally"),
            },
        },
    )


def _unpickle(source: RawSource, name: str) -> Any:
    data = source.read(name)
    try:
        value = _Restricted(io.BytesIO(data), encoding="latin1").load()
        if isinstance(value, _CsrState):
            value = value.matrix()
            value.check_format(full_check=True)
    except Exception as error:
        # A damaged pickle can fail in any way; none of them is a crash.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(
            f"{source.where(name)} is not the pickle that was expected: "
            f"{reason}"
        ) from None
    wanted = dict if name.endswith("graph") else (np.ndarray, sp.csr_matrix)
    if not isinstance(value, wanted):
        raise DataError(
            f"{source.where(name)} holds a {type(value).__name__}, not a "
            f"{'dict' if wanted is dict else 'matrix'}"
        )
    return value


def _edges(
    source: RawSource, name: str, graph: dict[int, list[int]], num_nodes: int
) -> tuple[np.ndarray, np.ndarray, int]:
    try:
        counts = [len(ends) for ends in graph.values()]
        src = np.repeat(np.array([*graph], dtype=np.int64), counts)
        dst = np.array(
            [end for ends in graph.values() for end in ends], dtype=np.int64
        )
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"{source.where(name)} is not a dictionary of lists of nodes"
        ) from None
    wrong = (src < 0) | (src >= num_nodes) | (dst < 0) | (dst >= num_nodes)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise DataError(
            f"{source.where(name)}: edge {src[at]}-{dst[at]} has an end that "
            f"does not exist; nodes are numbered 0 to {num_nodes - 1}"
        )
    loops = len(np.unique(src[src == dst]))
    return *simple_edges(src, dst, num_nodes), loops
