"""The paper's formulas in plain Python, one number at a time.

Nothing here shares a line or a library routine with the package.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def weights(q: Tensor, k: Tensor, kind: str) -> list[list[float]]:
    """M of one head of one graph without padding, from (N, d) lists."""
    q, k = q.tolist(), k.tolist()
    scale = 1.0 / math.sqrt(len(q[0]))
    rows = []
    for query in q:
        scores = [
            scale * sum(a * b for a, b in zip(query, key, strict=True))
            for key in k
        ]
        if kind == "tanh":
            rows.append([math.tanh(s) for s in scores])
            continue
        powers = [abs(s) if kind == "signed" else s for s in scores]
        top = max(powers)
        exponentials = [math.exp(p - top) for p in powers]
        total = math.fsum(exponentials)
        signs = [(s > 0) - (s < 0) if kind == "signed" else 1 for s in scores]
        rows.append(
            [g * e / total for g, e in zip(signs, exponentials, strict=True)]
        )
    return rows


def attention(q: Tensor, k: Tensor, v: Tensor, kind: str) -> Tensor:
    """Output of one head of one graph, float64."""
    values = v.tolist()
    out = [
        [
            math.fsum(w * value[c] for w, value in zip(row, values))
            for c in range(len(values[0]))
        ]
        for row in weights(q, k, kind)
    ]
    return torch.tensor(out, dtype=torch.float64)
