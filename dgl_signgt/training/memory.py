"""The memory of a run: kept from batch to batch, measured from its start."""

from __future__ import annotations

import ctypes
import resource
import sys
from functools import cache
from pathlib import Path

import torch

__all__ = ["forget_peak", "keep_freed_memory", "peak_memory"]

# Of glibc's malloc.h; other libraries have no mallopt, or ignore these.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST_KEPT = 1 << 30
_NEVER = (1 << 31) - 1


@cache
def keep_freed_memory() -> bool:
    """Tell the C library not to give freed tensors back to the system.

    By default, each large tensor is mapped afresh, and its first use takes
    a page fault for every 4 kB.

    Returns
    -------
    bool
        Whether the C library took the settings.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(
        mallopt(_M_MMAP_THRESHOLD, _LARGEST_KEPT)
        and mallopt(_M_TRIM_THRESHOLD, _NEVER)
    )


def forget_peak(device: torch.device) -> None:
    """Let :func:`peak_memory` start anew, as far as the system can.

    What earlier runs of this process left is given back first.
    """
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        return
    try:
        ctypes.CDLL(None).malloc_trim(0)
        # See proc_pid_clear_refs(5): 5 sets the peak to what is used now.
        Path("/proc/self/clear_refs").write_text("5")
    except (AttributeError, OSError, TypeError):
        return


def peak_memory(device: torch.device) -> float:
    """Peak memory of this process (or of the GPU) in megabytes.

    It is counted from the last call of :func:`forget_peak`; where the system
    cannot do that, from the start of the process.
    """
    if device.type == "cuda":
        return round(torch.cuda.max_memory_allocated(device) / 2**20, 1)
    try:
        status = Path("/proc/self/status").read_text()
        peak = int(status.partition("VmHWM:")[2].split()[0]) * 2**10
    except (OSError, IndexError, ValueError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak *= 1 if sys.platform == "darwin" else 2**10
    return round(peak / 2**20, 1)
