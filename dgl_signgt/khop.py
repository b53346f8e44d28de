r"""Structure weights :math:`\hat{A}^k` that travel with a ``DGLGraph``.

A *k-hop graph* is an ordinary homogeneous graph whose edges are the entries
of :math:`W`, where :math:`W^t = \hat{A}^k` (see
:mod:`dgl_signgt.ops.propagation`). What it knows is kept in node and edge
data, so that it survives ``dgl.batch``, ``dgl.unbatch``, ``dgl.save_graphs``
and ``g.to(device)`` like any other feature.
"""

from __future__ import annotations

import weakref

import dgl
import dgl.function as fn
import torch
from dgl import DGLGraph
from torch import Tensor

from dgl_signgt.ops import propagation
from dgl_signgt.ops.csr import csr_tensor

__all__ = [
    "KERNELS",
    "KHOP_ORDER",
    "KHOP_TIMES",
    "KHOP_WEIGHT",
    "KHopOperator",
    "is_khop_graph",
    "khop_graph",
    "khop_operator",
    "mark_khop_graph",
]

KHOP_WEIGHT = "khop_weight"
KHOP_TIMES = "khop_times"
KHOP_ORDER = "khop_order"
KERNELS = ("auto", "csr", "dgl")

# The operators that were computed for a graph, for as long as it lives. Not
# an attribute of the graph: copies and pickles would take it along.
_OPERATORS: weakref.WeakKeyDictionary[DGLGraph, dict] = (
    weakref.WeakKeyDictionary()
)


class KHopOperator:
    r"""Multiplies node features by :math:`\hat{A}^k`.

    Parameters
    ----------
    g : DGLGraph
        A k-hop graph.
    dtype : torch.dtype
        Type of the weights.
    kernel : str, optional
        ``"dgl"`` passes messages with ``update_all``; ``"csr"`` multiplies
        with torch's sparse CSR product; ``"auto"`` takes ``"csr"`` on the
        CPU, where DGL's kernel for one weight an edge is several times
        slower (``benchmarks/``), and ``"dgl"`` elsewhere.
    """

    def __init__(
        self, g: DGLGraph, dtype: torch.dtype, kernel: str = "auto"
    ) -> None:
        if kernel == "auto":
            kernel = "csr" if g.device.type == "cpu" else "dgl"
        self.kernel = kernel
        times = g.ndata[KHOP_TIMES]
        #: How often the weights are applied, at the most.
        self.times = int(times.max()) if len(times) else 0
        # Graphs of one batch may have taken different routes. They share no
        # edge, so those that are done keep their values in later products.
        self._done = [
            None if done.logical_not().all() else done.unsqueeze(-1)
            for done in (times < t for t in range(1, self.times + 1))
        ]
        weight = g.edata[KHOP_WEIGHT].to(dtype)
        if weight.is_inference():
            weight = weight.clone()
        if kernel == "csr":
            shape = (g.num_nodes(), g.num_nodes())
            self._matrix = _csr(*g.adj_tensors("csc"), weight, shape)
            self._transposed = _csr(*g.adj_tensors("csr"), weight, shape)
        else:
            self._graph = g.local_var()
            self._weight = weight.unsqueeze(-1)

    def __call__(self, feat: Tensor) -> Tensor:
        """Apply the operator to ``feat`` of shape :math:`(N, d)`."""
        for done in self._done:
            product = self._product(feat)
            feat = product if done is None else torch.where(done, feat, product)
        return feat

    def _product(self, feat: Tensor) -> Tensor:
        if self.kernel == "csr":
            return propagation.propagate(
                feat, self._matrix, self._transposed, 1
            )
        # A graph of its own: two threads may be here with one operator.
        g = self._graph.local_var()
        g.edata["w"] = self._weight
        g.ndata["h"] = feat.to(self._weight.dtype)
        g.update_all(fn.u_mul_e("h", "w", "m"), fn.sum("m", "h"))
        return g.ndata["h"].to(feat.dtype)


def khop_graph(
    g: DGLGraph,
    k: int,
    route: str = "auto",
    symmetric: bool = True,
    dtype: torch.dtype = torch.float32,
) -> DGLGraph:
    r"""Build the graph of the weights :math:`\hat{A}^k` of ``g``.

    Parameters
    ----------
    g : DGLGraph
        A homogeneous graph, batched or not.
    k : int
        The neighbourhood's range, from 0 up.
    route : str, optional
        ``"weights"``, ``"products"`` or ``"auto"``: see
        :func:`dgl_signgt.ops.propagation.khop_weights`.
    symmetric : bool, optional
        Take every edge in both directions.
    dtype : torch.dtype, optional
        Type of the weights.

    Returns
    -------
    DGLGraph
        A graph with the nodes, the node data and the batch of ``g``, and
        the entries of :math:`W` as edges with their weights in
        ``edata["khop_weight"]``.

    Examples
    --------
    >>> import dgl
    >>> g = khop_graph(dgl.graph(([0, 1], [1, 2])), k=2)
    >>> g.num_edges(), is_khop_graph(g)
    (9, True)
    """
    _check_homogeneous(g)
    if is_khop_graph(g):
        raise ValueError("The graph carries k-hop weights already.")
    src, dst = _any_format(g).edges()
    row, col, weight, times = propagation.khop_weights(
        src, dst, g.num_nodes(), k, route, symmetric, dtype
    )
    out = dgl.graph(
        (col, row), num_nodes=g.num_nodes(), idtype=g.idtype, device=g.device
    )
    for name, value in g.ndata.items():
        out.ndata[name] = value
    out.edata[KHOP_WEIGHT] = weight
    mark_khop_graph(out, k, times)
    if g.batch_size > 1:
        _set_batch(out, g.batch_num_nodes(), row)
    return out


def mark_khop_graph(g: DGLGraph, k: int, times: int) -> None:
    """Write the order and the count of products into the node data."""
    options = {"dtype": torch.int64, "device": g.device}
    g.ndata[KHOP_TIMES] = torch.full((g.num_nodes(),), times, **options)
    g.ndata[KHOP_ORDER] = torch.full((g.num_nodes(),), k, **options)


def is_khop_graph(g: DGLGraph) -> bool:
    """Whether ``g`` carries :math:`\\hat{A}^k` weights."""
    return KHOP_TIMES in g.ndata and KHOP_WEIGHT in g.edata


def khop_operator(
    g: DGLGraph,
    k: int,
    route: str = "auto",
    dtype: torch.dtype = torch.float32,
    kernel: str = "auto",
) -> KHopOperator:
    r"""The operator :math:`\hat{A}^k` of a graph, computed at most once.

    Parameters
    ----------
    g : DGLGraph
        A k-hop graph, whose weights are taken as they are, or a raw graph,
        whose weights are computed on first use and kept on the object
        ``g`` for as long as its structure does not change.
    k : int
        The neighbourhood's range.
    route : str, optional
        As in :func:`khop_graph`; for raw graphs only.
    dtype : torch.dtype, optional
        Type of the weights; 16-bit types are widened to float32.
    kernel : str, optional
        As in :class:`KHopOperator`.

    Returns
    -------
    KHopOperator
    """
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {KERNELS}, got {kernel!r}.")
    if dtype in (torch.float16, torch.bfloat16):
        dtype = torch.float32
    key = (k, route, dtype, kernel)
    known = _OPERATORS.setdefault(g, {})
    # DGL puts a new index in place when nodes or edges change.
    index, weights, operator = known.get(key, (None, None, None))
    if index is g._graph and weights == _weights_of(g):
        return operator
    # What is built while predicting must serve training later.
    with torch.inference_mode(False):
        khop = g if is_khop_graph(g) else khop_graph(g, k, route, dtype=dtype)
        _check_order(khop, k)
        operator = KHopOperator(_any_format(khop), dtype, kernel)
    known[key] = (g._graph, _weights_of(g), operator)
    return operator


def _weights_of(g: DGLGraph) -> tuple[int, int] | None:
    """Equal as long as the weights that ``g`` carries do not change."""
    if not is_khop_graph(g):
        return None
    weight = g.edata[KHOP_WEIGHT]
    version = 0 if weight.is_inference() else weight._version
    return weight.data_ptr(), version


def _check_order(g: DGLGraph, k: int) -> None:
    """Raise ``ValueError`` unless all weights of ``g`` are of ``k`` hops."""
    if g.num_nodes() == 0:
        return
    low, high = map(int, torch.aminmax(g.ndata[KHOP_ORDER]))
    if low != high:
        raise ValueError("The batch mixes k-hop graphs of different k.")
    if low != k:
        raise ValueError(
            f"The graph carries weights of {low} hops, but the model has "
            f"k = {k}."
        )


def _any_format(g: DGLGraph) -> DGLGraph:
    """The graph, freed from a restriction to some sparse formats."""
    formats = g.formats()
    if len(formats["created"]) + len(formats["not created"]) == 3:
        return g
    return g.formats(["coo", "csr", "csc"])


def _csr(
    indptr: Tensor,
    indices: Tensor,
    eids: Tensor,
    weight: Tensor,
    shape: tuple[int, int],
) -> Tensor:
    if eids.numel():
        weight = weight[eids.long()]
    return csr_tensor(indptr, indices, weight, shape)


def _set_batch(g: DGLGraph, sizes: Tensor, row: Tensor) -> None:
    """Mark the boundaries of a batch; ``row`` is sorted."""
    ends = torch.cumsum(sizes, 0)
    last = torch.searchsorted(row, ends.to(row.dtype))
    edges = torch.diff(last, prepend=last.new_zeros(1))
    g.set_batch_num_nodes(sizes)
    g.set_batch_num_edges(edges.to(sizes.dtype))


def _check_homogeneous(g: DGLGraph) -> None:
    if not g.is_homogeneous or g.is_block:
        raise ValueError("SignGT takes a homogeneous graph.")
