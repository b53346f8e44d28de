"""What every test shares: real data, the real ``dgl`` command, threads."""

from __future__ import annotations

import os

os.environ.setdefault("DGLBACKEND", "pytorch")

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

# Spinning thread pools of several processes on few cores slow each other
# tenfold, and a fixed count keeps sums in one order.
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def real_data_dir() -> Path:
    """Folder with the benchmark archives, as users name it to DGL."""
    named = os.environ.get("DGL_DOWNLOAD_DIR")
    if not named or not (Path(named) / "NCI1.zip").is_file():
        pytest.skip(
            "the benchmark archives (NCI1.zip, cora.zip, …) are not in "
            "DGL_DOWNLOAD_DIR"
        )
    return Path(named)


@pytest.fixture
def dgl(tmp_path: Path) -> Command:
    """Run the ``dgl`` command of this environment in an empty folder.

    ``dgl("recipe", "list", env={"NAME": "value"})`` returns the finished
    process with its output as text; ``cwd=`` names another folder.
    """
    executable = Path(sys.executable).with_name("dgl")

    def run(
        *arguments: str | os.PathLike[str],
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        timeout: float = 240,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(executable), *map(str, arguments)],
            cwd=cwd or tmp_path,
            env={
                **os.environ,
                "OMP_NUM_THREADS": "1",
                "DGLBACKEND": "pytorch",
                "COLUMNS": "100",
                **(env or {}),
            },
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run
