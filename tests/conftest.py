"""What every test shares: real data, the real ``dgl`` command, threads."""

from __future__ import annotations

import os

os.environ.setdefault("DGLBACKEND", "pytorch")

import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from dataclasses import dataclass
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
            env=_environ(**(env or {})),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@dataclass(frozen=True)
class Environment:
    """A virtual environment that has everything but this package."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def site(self) -> Path:
        (site,) = self.folder.glob("lib/python3.*/site-packages")
        return site

    def pip(self, *arguments: str | os.PathLike[str]) -> None:
        """Run this environment's pip on the other one; it has to succeed."""
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", str(self.python), "-q"]
            + [str(argument) for argument in arguments],
            check=True,
            env=_environ(),
            cwd=self.folder,
        )

    def run(
        self,
        program: str,
        *arguments: str | os.PathLike[str],
        cwd: Path | None = None,
        timeout: float = 240,
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in an empty folder."""
        empty = self.folder / "empty"
        empty.mkdir(exist_ok=True)
        return subprocess.run(
            [str(self.folder / "bin" / program), *map(str, arguments)],
            cwd=cwd or empty,
            env=_environ(**variables),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )


def _environ(**variables: str) -> dict[str, str]:
    """The variables of a user: this checkout is on no path."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    kept.update(OMP_NUM_THREADS="1", DGLBACKEND="pytorch", COLUMNS="100")
    return kept | variables


@pytest.fixture(scope="session")
def make_environment(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[], Environment]:
    """Make virtual environments with the packages of this one but ours.

    The packages are linked, not installed again, and the ``dgl`` command is
    the one that pip wrote for this environment, with the other's Python.
    """
    ours = ("dgl_signgt", "_dgl_signgt", "dglgo_plugins", "_dglgo_plugins")
    packages = tmp_path_factory.mktemp("packages")
    for item in Path(sysconfig.get_path("purelib")).iterdir():
        if not item.name.startswith(ours) and item.suffix != ".pth":
            (packages / item.name).symlink_to(item)

    def make() -> Environment:
        folder = tmp_path_factory.mktemp("environment")
        venv.create(folder, with_pip=False, symlinks=True)
        environment = Environment(folder)
        (environment.site / "packages.pth").write_text(f"{packages}\n")
        command = folder / "bin" / "dgl"
        script = Path(sys.executable).with_name("dgl").read_text()
        command.write_text(
            script.replace(sys.executable, str(environment.python))
        )
        command.chmod(0o755)
        return environment

    return make


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("built")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "-o", str(folder)]
        + [str(Path(__file__).parents[1])],
        check=True,
        capture_output=True,
        env=_environ(),
    )
    return folder


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    """The wheel of this package."""
    (wheel,) = built.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def installed(
    make_environment: Callable[[], Environment], wheel: Path
) -> Environment:
    """An environment with our wheel; tests must leave it as it is."""
    environment = make_environment()
    environment.pip("install", "--no-deps", "--no-index", wheel)
    return environment
