"""Raw files where they lie: in a folder, an archive, or on their own.

Archives are read in place and never extracted, so nothing half-extracted
can be left behind or taken for whole.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ..errors import DataError

__all__ = ["RawSource", "open_source"]

_DAMAGE = (
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


class RawSource:
    """Named files for readers, with one way to speak of them in messages.

    Parameters
    ----------
    path : Path
        A folder, a zip or tar archive, or a single file.

    Examples
    --------
    >>> source = open_source(Path("NCI1.zip"))
    >>> source.read(source.need("NCI1_A.txt"))[:4]
    b'8,1\\n'
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sizes = self._list()
        for name in self._sizes:
            parts = PurePosixPath(name.replace("\\", "/")).parts
            if ".." in parts or name[:1] in "/\\" or name[1:2] == ":":
                raise DataError(
                    f"{path}: member {name!r} would leave the folder; "
                    f"the archive is refused"
                )

    def _list(self) -> dict[str, int]:
        """Name and size of each regular file."""
        return {self.path.name: self.path.stat().st_size}

    def _open(self, name: str) -> BinaryIO:
        return self.path.open("rb")

    def _checksum(self, name: str) -> int:
        total = 0
        with self.open(name) as handle:
            while block := handle.read(1 << 22):
                total = zlib.crc32(block, total)
        return total

    def find(self, names: str) -> str | None:
        """The member with one of some file names, wherever it lies.

        Parameters
        ----------
        names : str
            A file name, or several separated by ``|``.

        Returns
        -------
        str or None
        """
        for wanted in names.split("|"):
            for name in sorted(self._sizes, key=len):
                if PurePosixPath(name).name.lower() == wanted.lower():
                    return name
        return None

    def need(self, names: str) -> str:
        """As :meth:`find`, but a missing member is an error."""
        found = self.find(names)
        if found is None:
            raise DataError(
                f"{self.path} has no file {' or '.join(names.split('|'))}"
            )
        return found

    def match(self, pattern: str) -> list[str]:
        """Members whose file name matches a shell pattern, sorted."""
        return sorted(
            name
            for name in self._sizes
            if fnmatch(PurePosixPath(name).name, pattern)
        )

    def where(self, name: str) -> str:
        """How to call a member in a message."""
        return f"{self.path} ({name})"

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Open a member; damage found while reading becomes one clear line.

        Parameters
        ----------
        name : str
            What :meth:`find` returned.
        """
        try:
            with self._open(name) as handle:
                yield handle
        except _DAMAGE as error:
            raise DataError(
                f"{self.where(name)} is damaged or cut short: "
                f"{_one_line(error)}; fetch it again"
            ) from error

    def read(self, name: str) -> bytes:
        """All bytes of a member."""
        with self.open(name) as handle:
            data = handle.read()
        if not data.strip():
            raise DataError(f"{self.where(name)} is empty")
        return data

    def fingerprint(self, names: Iterable[str]) -> str:
        """A hash of some members that does not depend on their packing.

        Parameters
        ----------
        names : iterable of str
            Members.

        Returns
        -------
        str
            64 bits in hexadecimal.
        """
        digest = hashlib.sha256()
        for name in sorted(names, key=lambda n: PurePosixPath(n).name):
            size, check = self._sizes[name], self._checksum(name)
            line = f"{PurePosixPath(name).name.lower()} {size} {check}\n"
            digest.update(line.encode())
        return digest.hexdigest()[:16]


class _Folder(RawSource):
    def _list(self) -> dict[str, int]:
        return {
            path.relative_to(self.path).as_posix(): path.stat().st_size
            for path in self.path.rglob("*")
            if path.is_file()
        }

    def _open(self, name: str) -> BinaryIO:
        return (self.path / name).open("rb")

    def where(self, name: str) -> str:
        return str(self.path / name)


class _Zip(RawSource):
    def _list(self) -> dict[str, int]:
        with self._damage(), zipfile.ZipFile(self.path) as archive:
            self._members = {
                info.filename: info
                for info in archive.infolist()
                if not info.is_dir()
            }
        return {n: info.file_size for n, info in self._members.items()}

    @contextmanager
    def _open(self, name: str) -> Iterator[BinaryIO]:
        with (
            zipfile.ZipFile(self.path) as archive,
            archive.open(name) as handle,
        ):
            yield handle

    def _checksum(self, name: str) -> int:
        # zipfile itself checks it against the bytes whenever they are read.
        return self._members[name].CRC

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            raise DataError(
                f"{self.path} is not a whole archive: {_one_line(error)}; "
                f"fetch it again"
            ) from error


class _Tar(_Zip):
    def _list(self) -> dict[str, int]:
        with self._damage():
            if not self.path.name.lower().endswith(".tar"):
                # tarfile stops at the last member; the checksum comes later.
                with gzip.open(self.path) as stream:
                    while stream.read(1 << 22):
                        pass
            with tarfile.open(self.path) as archive:
                return {m.name: m.size for m in archive if m.isfile()}

    @contextmanager
    def _open(self, name: str) -> Iterator[BinaryIO]:
        with tarfile.open(self.path) as archive:
            yield archive.extractfile(name)

    def _checksum(self, name: str) -> int:
        return RawSource._checksum(self, name)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def open_source(path: Path) -> RawSource:
    """Open a folder, an archive or a single file by what it is.

    Parameters
    ----------
    path : Path
        Where it lies.

    Returns
    -------
    RawSource
    """
    if path.is_dir():
        return _Folder(path)
    lower = path.name.lower()
    if lower.endswith(".zip"):
        return _Zip(path)
    if lower.endswith((".tar.gz", ".tgz", ".tar")):
        return _Tar(path)
    return RawSource(path)
