"""Signed attention, exact, by whichever way is fastest."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from dgl_signgt.ops._dense import dense_attention
from dgl_signgt.ops._flex import flex_attention
from dgl_signgt.ops._reference import (
    reference_attention,
    reference_weights,
)
from dgl_signgt.ops._softmax import softmax_attention
from dgl_signgt.ops._tiled import multiplies_bfloat16, tiled_attention

__all__ = [
    "BACKENDS",
    "KINDS",
    "attention_weights",
    "choose_backend",
    "signed_attention",
]

KINDS = ("signed", "softmax", "tanh")

BACKENDS = {
    "reference": reference_attention,
    "dense": dense_attention,
    "tiled": tiled_attention,
    "flex": flex_attention,
}

# What "auto" takes: the first row whose device type matches and whose number
# of nodes a graph is not exceeded. The CPU's row is where dense and tiled
# cross in benchmarks/results. On a GPU the dense form is the one with the
# fewest launches, until its matrices no longer fit beside the model; "flex"
# is never taken unasked, since no benchmark of ours has measured it.
_AUTO = (
    ("cpu", 768, "dense"),
    ("cpu", float("inf"), "tiled"),
    ("cuda", 4096, "dense"),
    ("cuda", float("inf"), "tiled"),
)


def choose_backend(device_type: str, num_nodes: int) -> str:
    """The backend that ``"auto"`` stands for.

    Parameters
    ----------
    device_type : str
        ``"cpu"``, ``"cuda"`` or another of torch's device types.
    num_nodes : int
        Nodes of the largest graph of the batch.

    Returns
    -------
    str
        A name from :data:`BACKENDS`.

    Examples
    --------
    >>> choose_backend("cpu", 30), choose_backend("cpu", 5201)
    ('dense', 'tiled')
    """
    for device, limit, backend in _AUTO:
        if device == device_type and num_nodes <= limit:
            return backend
    return "dense"


def signed_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    dropout: float = 0.0,
    scale: float | None = None,
    backend: str = "auto",
    kind: str = "signed",
) -> Tensor:
    r"""Signed self-attention of `SignGT <https://arxiv.org/abs/2310.11025>`__.

    .. math::
        O_i = \sum_j M_{ij} v_j, \qquad
        M_{ij} = \mathrm{sgn}(s_{ij})
        \frac{\exp |s_{ij}|}{\sum_k \exp |s_{ik}|}, \qquad
        s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}}

    with :math:`\mathrm{sgn}(0) = 0`: such a pair still counts in the
    denominator.

    Parameters
    ----------
    q, k, v : Tensor
        Queries, keys and values, shape :math:`(B, H, N, d)` for a batch of
        graphs, :math:`(H, N, d)` for one graph. 16-bit types are computed
        in float32; ``"tiled"`` leaves products with bfloat16 values and
        gradients in bfloat16 where the processor has instructions for it,
        but not the scores.
    mask : Tensor, optional
        True where a node is real, shape :math:`(B, N)`. Padded keys are in
        neither the numerator nor the denominator; padded queries give zero.
    dropout : float, optional
        Probability of dropping a weight, after normalisation; on the CPU
        taken to the nearest 1 / 65536.
    scale : float, optional
        Factor of the scores. Default: :math:`1 / \sqrt{d}`.
    backend : str, optional
        ``"reference"`` (the formula, plain), ``"dense"`` (keeps one
        :math:`N \times N` matrix a head), ``"tiled"`` (memory linear in
        :math:`N`), ``"flex"`` (FlexAttention; no dropout) or ``"auto"``.
    kind : str, optional
        ``"signed"``; ``"softmax"`` is the original attention (SignGT-O),
        ``"tanh"`` has :math:`M_{ij} = \tanh s_{ij}` (SignGT-T).

    Returns
    -------
    Tensor
        Shape and type of ``v``.

    Examples
    --------
    >>> import torch
    >>> q = torch.tensor([[[2.0], [0.0]]])  # one head, two nodes, d = 1
    >>> k = torch.tensor([[[1.0], [-1.0]]])
    >>> v = torch.tensor([[[3.0], [1.0]]])
    >>> signed_attention(q, k, v).squeeze().tolist()
    [1.0, 0.0]
    """
    mask = _check(q, k, v, mask, dropout, kind)
    if scale is None:
        scale = q.shape[-1] ** -0.5
    if q.dim() == 3:
        batched = (x.unsqueeze(0) for x in (q, k, v))
        return signed_attention(
            *batched, mask, dropout, scale, backend, kind
        ).squeeze(0)
    if v.numel() == 0:
        return v.clone()
    attend = _pick(q, backend, kind)
    inputs = (q, k, v)
    # Scores rounded to 16 bits are too coarse to be exponentiated. Fused
    # kernels keep theirs in float32 whatever their inputs are.
    fused = attend is softmax_attention or (
        attend is flex_attention and q.is_cuda
    )
    # Its scores are in float32 as well.
    narrow = attend is tiled_attention and multiplies_bfloat16(q)
    if not fused and not narrow:
        wide = torch.promote_types(q.dtype, torch.float32)
        inputs = tuple(x.to(wide) for x in inputs)
    with torch.autocast(q.device.type, enabled=False):
        return attend(*inputs, mask, dropout, scale, kind).to(v.dtype)


def attention_weights(
    q: Tensor,
    k: Tensor,
    rows: Tensor | Sequence[int],
    mask: Tensor | None = None,
    scale: float | None = None,
    kind: str = "signed",
) -> Tensor:
    r"""The attention weights of a few queries, without all the others.

    Parameters
    ----------
    q, k : Tensor
        Queries and keys of one graph, shape :math:`(H, N, d)`.
    rows : Tensor or sequence of int
        Indices of the queries, shape :math:`(R,)`.
    mask : Tensor, optional
        True where a node is real, shape :math:`(N,)`.
    scale, kind
        As in :func:`signed_attention`.

    Returns
    -------
    Tensor
        Shape :math:`(H, R, N)`.

    Examples
    --------
    >>> import torch
    >>> q = torch.tensor([[[2.0], [0.0]]])
    >>> k = torch.tensor([[[1.0], [-1.0]]])
    >>> attention_weights(q, k, torch.tensor([0])).tolist()
    [[[0.5, -0.5]]]
    """
    if q.dim() != 3:
        raise ValueError(
            f"q and k must be of one graph, (H, N, d), got {tuple(q.shape)}."
        )
    if mask is not None:
        mask = mask.squeeze(0) if mask.dim() == 2 else mask
    _check(q, k, k, mask, 0.0, kind)
    if scale is None:
        scale = q.shape[-1] ** -0.5
    rows = torch.as_tensor(rows, device=q.device).reshape(-1)
    wide = torch.promote_types(q.dtype, torch.float32)
    q, k = q.to(wide), k.to(wide)
    keys = slice(None) if mask is None else mask.nonzero().squeeze(-1)
    weights = q.new_zeros(q.shape[0], len(rows), k.shape[1])
    weights[:, :, keys] = reference_weights(
        q[None, :, rows], k[None, :, keys], None, scale, kind
    )[0]
    if mask is not None:
        weights[:, ~mask[rows]] = 0.0
    return weights


def _pick(q: Tensor, backend: str, kind: str):
    if backend == "auto":
        backend = choose_backend(q.device.type, q.shape[-2])
    if backend not in BACKENDS:
        names = ("auto", *BACKENDS)
        raise ValueError(f"backend must be one of {names}, got {backend!r}.")
    if kind == "softmax" and backend != "reference":
        return softmax_attention
    return BACKENDS[backend]


def _check(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout: float,
    kind: str,
) -> Tensor | None:
    """Say what is wrong with the arguments; return the mask as booleans."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, got {kind!r}.")
    if q.dim() not in (3, 4) or q.shape != k.shape:
        raise ValueError(
            "q and k must have the same shape (B, H, N, d) or (H, N, d), got "
            f"{tuple(q.shape)} and {tuple(k.shape)}."
        )
    if v.shape[:-1] != q.shape[:-1]:
        raise ValueError(
            f"v must have the shape of q but for its last dimension, got "
            f"{tuple(v.shape)} beside {tuple(q.shape)}."
        )
    if not q.is_floating_point() or len({q.dtype, k.dtype, v.dtype}) > 1:
        raise ValueError(
            f"q, k and v must be of one floating-point type, got {q.dtype}, "
            f"{k.dtype} and {v.dtype}."
        )
    if q.shape[-1] == 0:
        raise ValueError("q and k have no features (d = 0).")
    if not 0.0 <= dropout <= 1.0:
        raise ValueError(f"dropout must be from 0 to 1, got {dropout}.")
    if mask is None:
        return None
    expected = (1 if q.dim() == 3 else q.shape[0], q.shape[-2])
    if mask.dtype != torch.bool or mask.shape not in (
        torch.Size(expected),
        torch.Size(expected[1:]) if q.dim() == 3 else None,
    ):
        raise ValueError(
            f"mask must be boolean of shape {expected}, got {mask.dtype} of "
            f"shape {tuple(mask.shape)}."
        )
    # The same object where it can be: what is known of a mask is kept on it.
    return mask.unsqueeze(0) if mask.dim() == 1 else mask
