"""What a training leaves on disk: one new folder, never an old one."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch

from .. import __version__
from ..errors import RecipeError, SignGTError
from .checkpoint import write_atomically
from .recipe import check_recipe, plain, read_yaml

__all__ = [
    "environment",
    "find_unfinished",
    "holds_recipe",
    "new_folder",
    "write_json",
]

_PACKAGES = (
    "dgl",
    "dglgo",
    "numpy",
    "ogb",
    "pandas",
    "pydantic",
    "scikit-learn",
    "scipy",
    "torch",
)

# Those of a processor that kernels are chosen by, and what forbids them.
_INSTRUCTIONS = ("avx2", "avx512f", "avx512_bf16", "amx_bf16")
_LIMITS = ("ONEDNN_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY")


def new_folder(parent: str | os.PathLike) -> Path:
    """Make the next numbered folder in ``parent``: 001, 002, …

    Two processes never get the same one, and none is used twice.
    """
    parent = Path(parent)
    try:
        parent.mkdir(parents=True, exist_ok=True)
        numbers = [
            int(path.name) for path in parent.iterdir() if path.name.isdecimal()
        ]
        number = max(numbers, default=0)
        while True:
            number += 1
            folder = parent / f"{number:03d}"
            try:
                folder.mkdir()
                return folder
            except FileExistsError:
                continue
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SignGTError(
            f"general_pipeline.save_path: cannot write to {parent}: {reason}"
        ) from error


def find_unfinished(parent: str | os.PathLike, recipe: dict[str, Any]) -> Path:
    """The newest folder in ``parent`` with this recipe and no summary."""
    for folder in sorted(
        (p for p in Path(parent).glob("*") if p.name.isdecimal()),
        key=lambda p: int(p.name),
        reverse=True,
    ):
        if (folder / "summary.json").exists():
            continue
        if holds_recipe(folder, recipe):
            return folder
    raise SignGTError(
        f"nothing to resume in {parent}: no unfinished training of this recipe"
    )


def holds_recipe(folder: Path, recipe: dict[str, Any]) -> bool:
    """Whether the training in a folder is one of this recipe.

    An option that is younger than the folder has its default there.
    """
    path = folder / "recipe.yaml"
    try:
        return plain(check_recipe(read_yaml(path), str(path))) == recipe
    except RecipeError:
        return False


def write_json(path: Path, content: Any) -> None:
    """Write readable JSON in one step."""
    write_atomically(path, json.dumps(content, indent=2) + "\n")


def environment(device: str) -> dict[str, Any]:
    """Versions, machine, commit and command: what a result depends on."""
    versions = {"python": platform.python_version(), "dgl_signgt": __version__}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "command": sys.argv,
        "versions": versions,
        "commit": _commit(),
        "machine": {
            "platform": platform.platform(),
            "processor": _processor(),
            "instructions": _instructions(),
            "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "device": device,
            "gpu": (
                torch.cuda.get_device_name(device)
                if device.startswith("cuda")
                else None
            ),
        },
    }


def _commit() -> str | None:
    """The commit of the source tree, where this is one."""
    source = Path(__file__).resolve().parents[2]
    if not (source / ".git").exists():
        return None
    try:
        done = subprocess.run(
            ["git", "-C", str(source), "describe", "--always", "--dirty"],
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _processor() -> str:
    return _cpuinfo("model name") or platform.processor()


def _instructions() -> list[str]:
    """What decides how products are rounded, in mixed precision above all."""
    known = _cpuinfo("flags").split()
    return [
        *(name for name in _INSTRUCTIONS if name in known),
        *(f"{x}={os.environ[x]}" for x in _LIMITS if x in os.environ),
    ]


def _cpuinfo(field: str) -> str:
    """A line of Linux's list of processors; empty elsewhere."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == field:
                return value.strip()
    except OSError:
        pass
    return ""
