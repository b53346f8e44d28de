"""Time of competing functions in one run, and peak memory of one of them."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["best_times", "peak_memory", "report_peak"]


def best_times(
    functions: dict[str, Callable[[], None]], seconds: float = 2.5
) -> dict[str, float]:
    """The shortest time of each function, all taken in turns.

    Turns make a slow moment of the machine hit all competitors alike, and
    the shortest time is the one with the least disturbance.

    Parameters
    ----------
    functions : dict
        What to measure, by name.
    seconds : float, optional
        Roughly how long to go on for each function; at least three turns.

    Returns
    -------
    dict
        Seconds, by name.
    """
    best = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        function()
    begin, turns = time.perf_counter(), 0
    while turns < 3 or time.perf_counter() - begin < seconds * len(functions):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - start)
        turns += 1
    return best


def peak_memory(module: str, case: dict) -> float:
    """Megabytes that a measured piece adds, in a process of its own.

    The module is run as ``python -m module JSON``; it does what the case
    says inside :func:`report_peak`.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(case)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.splitlines()[-1])


def report_peak(piece: Callable[[], object]) -> None:
    """Print by how many megabytes ``piece`` raises the peak of memory."""
    before = _resident()
    _reset_peak()
    piece()
    print(max(0.0, _peak() - before))


def _status(key: str) -> float | None:
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    for line in status.read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    return None


def _resident() -> float:
    now = _status("VmRSS")
    return _max_resident() if now is None else now


def _reset_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        # Not Linux: the peak since the start of the process must do.
        return


def _peak() -> float:
    peak = _status("VmHWM")
    return _max_resident() if peak is None else peak


def _max_resident() -> float:
    value = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return value / (1024 * 1024 if sys.platform == "darwin" else 1024)
