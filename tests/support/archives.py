"""Packing tiny raw files as archives or folders."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path


def write_zip(
    path: Path,
    files: dict[str, str | bytes],
    method: int = zipfile.ZIP_DEFLATED,
) -> Path:
    """Pack files as the official archives do."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def write_tar(path: Path, files: dict[str, str | bytes]) -> Path:
    """Pack files into a tar.gz."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def write_folder(path: Path, files: dict[str, str | bytes]) -> Path:
    """Lay files into a folder, as if they had been extracted."""
    for name, content in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        target.write_bytes(data)
    return path
