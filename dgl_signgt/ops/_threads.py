"""Threads that each do whole tiles, with one thread inside every operation.

torch shares each operation out to its threads and waits for the slowest of
them every time. Where a call makes thousands of operations, it is faster to
give each thread operations of its own: they let go of Python's lock.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

__all__ = ["num_workers", "run_workers"]

Result = TypeVar("Result")

_pools: dict[int, ThreadPoolExecutor] = {}
# Threads do not survive a fork: the child makes its own.
os.register_at_fork(after_in_child=_pools.clear)


def num_workers(device: torch.device) -> int:
    """How many workers a computation on this device may have."""
    return torch.get_num_threads() if device.type == "cpu" else 1


def run_workers(count: int, work: Callable[[int], Result]) -> list[Result]:
    """Call ``work(0)`` to ``work(count - 1)``, each in a thread of its own.

    Parameters
    ----------
    count : int
        The number of workers; one needs no thread.
    work : callable
        Takes the worker's number.

    Returns
    -------
    list
        The results in the order of the numbers.
    """
    if count == 1:
        return [work(0)]
    # These belong to a thread, and the workers' tensors are the caller's.
    inference = torch.is_inference_mode_enabled()

    def run(number: int) -> Result:
        with torch.inference_mode(inference), torch.no_grad():
            return work(number)

    return list(_pool(count).map(run, range(count)))


def _pool(count: int) -> ThreadPoolExecutor:
    if count not in _pools:
        ready = threading.Barrier(count + 1)

        def start() -> None:
            # Asked once, a thread no longer takes over the global number.
            torch.get_num_threads()
            torch.set_num_threads(1)
            ready.wait()

        pool = ThreadPoolExecutor(count, "dgl_signgt", start)
        # A thread is started for each task while none is idle: all wait at
        # the barrier. Setting the number of threads also set the caller's.
        for _ in range(count):
            pool.submit(int)
        ready.wait()
        torch.set_num_threads(count)
        _pools[count] = pool
    return _pools[count]
