"""Freed memory is used again instead of being mapped afresh."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys

import pytest
import torch

from dgl_signgt.training.memory import forget_peak, peak_memory

SCRIPT = """
import resource, torch
from dgl_signgt.training.memory import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        torch.ones(4_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

usual = faults()
taken = keep_freed_memory()
faults()
print(int(taken), usual, faults())
"""


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallopt"),
    reason="the C library has no mallopt",
)
def test_no_page_faults_for_memory_that_was_freed():
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True
    )
    taken, usual, kept = map(int, found.stdout.split())
    assert taken
    page = resource.getpagesize()
    assert kept < 16_000_000 / page
    assert kept < usual / 5


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="the system does not forget a peak",
)
def test_peak_is_counted_from_the_last_start():
    device = torch.device("cpu")
    held = torch.ones(50_000_000)
    high = peak_memory(device)
    assert high > held.nbytes / 2**20
    del held
    forget_peak(device)
    low = peak_memory(device)
    assert low < high - 150
    torch.ones(30_000_000)
    assert peak_memory(device) == pytest.approx(low + 114, abs=20)
