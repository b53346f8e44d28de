"""Finding raw files in the data directory, or downloading them into it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import time
import urllib.error
import urllib.request
import uuid
from http.client import HTTPException
from pathlib import Path

from ..errors import DataError
from .registry import DatasetSpec, RawFiles
from .source import RawSource, open_source

__all__ = [
    "clean_leftovers",
    "data_dir",
    "download",
    "find_raw",
    "obtain_raw",
    "raw_members",
    "temporary",
]

_TRIES = 3
_DGL_HOME = "https://data.dgl.ai/"
_MARK = ".signgt-part-"


def data_dir(root: str | os.PathLike | None = None) -> Path:
    """The folder of raw files and caches.

    Parameters
    ----------
    root : path, optional
        A folder to use instead. Default: ``DGL_DOWNLOAD_DIR``, else
        ``~/.dgl``, as for DGL's own data sets.

    Returns
    -------
    Path
    """
    if root is None:
        root = os.environ.get("DGL_DOWNLOAD_DIR") or "~/.dgl"
    return Path(root).expanduser()


def find_raw(spec: DatasetSpec, root: Path) -> RawSource | None:
    """Look for an extracted folder, then for an archive.

    Parameters
    ----------
    spec : DatasetSpec
        What to look for.
    root : Path
        The data directory.

    Returns
    -------
    RawSource or None
        None where there is neither. A folder with some of the files, and
        no archive beside it, is an error, as is an archive without all.
    """
    raw = spec.raw
    if not root.is_dir():
        return None
    incomplete = None
    for path in _candidates(root, _folder_names(spec), folders=True):
        source = open_source(path)
        missing = [m for m in raw.members if source.find(m) is None]
        if not missing:
            return source
        if len(missing) < len(raw.members):
            incomplete = (source, missing[0])
    for path in _candidates(root, _archive_names(spec), folders=False):
        source = open_source(path)
        for member in raw.members:
            source.need(member)
        return source
    if incomplete is not None:
        incomplete[0].need(incomplete[1])
    return None


def obtain_raw(spec: DatasetSpec, root: Path) -> RawSource:
    """Find the raw files, or download them.

    Parameters
    ----------
    spec : DatasetSpec
        The data set.
    root : Path
        The data directory.

    Returns
    -------
    RawSource
    """
    source = find_raw(spec, root)
    if source is None:
        source = download(spec.name, spec.raw, root)
    return source


def raw_members(spec: DatasetSpec, source: RawSource) -> list[str]:
    """The members that readers of a data set look at."""
    names = {source.need(member) for member in spec.raw.members}
    for pattern in spec.raw.optional:
        names.update(source.match(pattern))
    return sorted(names)


def _folder_names(spec: DatasetSpec) -> list[str]:
    files = (spec.raw.archive, *spec.raw.aliases)
    stems = [re.sub(r"\.(zip|npz|tar\.gz|tgz)$", "", f) for f in files]
    return [*dict.fromkeys([*stems, *spec.raw.folders, spec.name])]


def _archive_names(spec: DatasetSpec) -> list[str]:
    own = [spec.name, spec.name.replace("-", "_")]
    names = [spec.raw.archive, *spec.raw.aliases]
    for stem in [*own, *_folder_names(spec)]:
        names += [f"{stem}{end}" for end in (".zip", ".tar.gz", ".tgz")]
    return [*dict.fromkeys(names)]


def _candidates(root: Path, names: list[str], folders: bool) -> list[Path]:
    """Entries of a folder under one of some names, in any case.

    DGL's own loaders put eight hexadecimal digits behind a folder's name.
    """
    entries = sorted(root.iterdir())
    found = []
    for name in names:
        for path in entries:
            plain = path.name.lower()
            if folders:
                plain = re.sub(r"_[0-9a-f]{8}$", "", plain)
            if plain == name.lower() and path.is_dir() == folders:
                found.append(path)
    return found


def download(name: str, raw: RawFiles, root: Path) -> RawSource:
    """Download an archive, check it, and only then give it its name.

    Parameters
    ----------
    name : str
        The data set, for messages.
    raw : RawFiles
        What to download.
    root : Path
        Where to.

    Returns
    -------
    RawSource
    """
    url = raw.url
    if url.startswith(_DGL_HOME) and os.environ.get("DGL_REPO"):
        url = os.environ["DGL_REPO"].rstrip("/") + "/" + url[len(_DGL_HOME) :]
    target = root / raw.archive
    part = temporary(target)
    try:
        for attempt in range(1, _TRIES + 1):
            try:
                digest = _stream(url, part)
                break
            except (OSError, HTTPException, ValueError) as error:
                gone = getattr(error, "code", 0) in (403, 404, 410)
                if attempt == _TRIES or gone:
                    reason = getattr(error, "reason", None) or error
                    raise DataError(
                        f"{name} is not in {root} and cannot be downloaded "
                        f"({reason}): fetch {raw.url} and put it there as "
                        f"{raw.archive}"
                    ) from None
                time.sleep(0.5 * attempt)
        if raw.sha256 is not None and digest != raw.sha256:
            raise DataError(
                f"{name}: the download of {url} has the checksum {digest}, "
                f"not {raw.sha256}; nothing was kept"
            )
        # The name decides how it is opened, so it is checked under its own.
        stage = part.with_name(part.name + raw.archive)
        part.rename(stage)
        part = stage
        if raw.archive.endswith(".npz"):
            checked = [raw.archive]
        else:
            source = open_source(stage)
            checked = [source.need(member) for member in raw.members]
        if not checked or not stage.stat().st_size:
            raise DataError(f"{name}: the download of {url} is empty")
        stage.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return open_source(target)


def _stream(url: str, part: Path) -> str:
    """Write a URL to a file with a progress bar; return its SHA-256."""
    from tqdm import tqdm

    digest = hashlib.sha256()
    request = urllib.request.Request(url, headers={"User-Agent": "dgl-signgt"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        part.parent.mkdir(parents=True, exist_ok=True)
        size = int(answer.headers.get("Content-Length") or 0)
        bar = tqdm(
            total=size or None,
            unit="B",
            unit_scale=True,
            desc=url.rpartition("/")[2],
            disable=not sys.stderr.isatty(),
        )
        done = 0
        with bar, part.open("wb") as handle:
            while block := answer.read(1 << 18):
                handle.write(block)
                digest.update(block)
                done += len(block)
                bar.update(len(block))
            handle.flush()
            os.fsync(handle.fileno())
    if size and done != size:
        raise OSError(f"{done} of {size} bytes arrived")
    return digest.hexdigest()


def temporary(target: Path) -> Path:
    """A name beside a target that tells whose unfinished work it is.

    Leftovers of processes that were killed are removed on the way.

    Parameters
    ----------
    target : Path
        The file or folder that is to appear whole.

    Returns
    -------
    Path
    """
    clean_leftovers(target.parent)
    unique = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
    return target.with_name(f".{target.name}{_MARK}{unique}")


def clean_leftovers(folder: Path) -> None:
    """Remove what processes that no longer run had not finished."""
    if not folder.is_dir():
        return
    for path in folder.glob(f".*{_MARK}*"):
        owner = re.search(re.escape(_MARK) + r"(\d+)-", path.name)
        if owner is None or _runs(int(owner.group(1))):
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    if process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
