"""Keep the memory that one batch frees for the next one."""

from __future__ import annotations

import ctypes
from functools import cache

__all__ = ["keep_freed_memory"]

# Of glibc's malloc.h; other libraries have no mallopt, or ignore these.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST_KEPT = 1 << 30
_NEVER = (1 << 31) - 1


@cache
def keep_freed_memory() -> bool:
    """Tell the C library not to give freed tensors back to the system.

    By default, each large tensor is mapped afresh, and its first use takes
    a page fault for every 4 kB: a fifth of an epoch on NCI1.

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
