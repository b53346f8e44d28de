"""Seeds and generator states, so that a run can be repeated bit for bit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dgl
import numpy as np
import torch

__all__ = ["deterministic", "rng_state", "seed_everything", "set_rng_state"]


def seed_everything(seed: int) -> None:
    """Seed Python, NumPy, torch and DGL.

    Parameters
    ----------
    seed : int
        The seed, from 0 to 2**31 - 1.
    """
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    dgl.seed(seed)


def rng_state() -> dict[str, Any]:
    """The states of all generators, as values a weights-only load accepts."""
    version, numbers, gauss = random.getstate()
    name, keys, position, has_gauss, cached = np.random.get_state()
    state = {
        "python": [version, [*numbers], gauss],
        "numpy": [
            str(name),
            torch.from_numpy(keys.astype(np.int64)),
            int(position),
            int(has_gauss),
            float(cached),
        ],
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def set_rng_state(state: dict[str, Any]) -> None:
    """Go on from what :func:`rng_state` gave."""
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    name, keys, position, has_gauss, cached = state["numpy"]
    keys = keys.numpy().astype(np.uint32)
    np.random.set_state((name, keys, position, has_gauss, cached))
    torch.set_rng_state(state["torch"])
    if torch.cuda.is_available() and "cuda" in state:
        torch.cuda.set_rng_state_all(state["cuda"])


@contextmanager
def deterministic(num_threads: int | None = None) -> Iterator[None]:
    """Ask torch for repeatable kernels; restore its settings afterwards.

    Parameters
    ----------
    num_threads : int, optional
        Threads of torch on the CPU. Default: leave as it is.
    """
    before = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    fill = torch.utils.deterministic.fill_uninitialized_memory
    threads = torch.get_num_threads()
    torch.use_deterministic_algorithms(True, warn_only=True)
    # Filling every torch.empty costs time and protects from nothing here.
    torch.utils.deterministic.fill_uninitialized_memory = False
    if num_threads is not None:
        torch.set_num_threads(num_threads)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warn_only)
        torch.utils.deterministic.fill_uninitialized_memory = fill
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
