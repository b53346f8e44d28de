"""What the wheel and the sdist carry."""

from __future__ import annotations

import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import dgl_signgt

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_wheel_owns_three_names_at_the_top(names):
    info = f"dgl_signgt-{dgl_signgt.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {
        "dgl_signgt",
        "_dglgo_plugins.py",
        "dglgo_plugins.pth",
        info,
    }
    assert f"{info}/licenses/LICENSE" in names


def test_wheel_has_every_recipe_and_every_module(names):
    prefix = "dgl_signgt/recipes/"
    shipped = {n.removeprefix(prefix) for n in names if n.startswith(prefix)}
    assert shipped == {
        file.relative_to(ROOT / "recipes").as_posix()
        for file in (ROOT / "recipes").rglob("*.yaml")
    }
    assert "signgt_nci5k.yaml" in shipped
    modules = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "dgl_signgt").rglob("*.py")
    }
    assert modules <= {*names}


def test_wheel_has_every_trained_model_and_its_card(names):
    prefix = "dgl_signgt/pretrained/"
    shipped = {n.removeprefix(prefix) for n in names if n.startswith(prefix)}
    files = {
        file.name
        for pattern in ("*.pt", "*.md")
        for file in (ROOT / prefix).glob(pattern)
    }
    assert {"signgt_nci5k.pt", "signgt_nci5k.md"} <= files
    assert shipped == files | {"__init__.py"}


def test_metadata(wheel, names):
    (path,) = (n for n in names if n.endswith(".dist-info/METADATA"))
    with zipfile.ZipFile(wheel) as archive:
        metadata = HeaderParser().parsestr(archive.read(path).decode())
        entry_points = archive.read(
            path.replace("METADATA", "entry_points.txt")
        ).decode()
    assert metadata["Name"] == "dgl-signgt"
    assert metadata["Version"] == dgl_signgt.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert {*metadata["Requires-Python"].split(",")} == {">=3.10", "<3.12"}
    requires = metadata.get_all("Requires-Dist")
    assert {"dgl==1.1.3", "dglgo==0.0.2", "pydantic<2,>=1.10"} <= {*requires}
    assert entry_points == "[dglgo.plugins]\nsigngt = dgl_signgt.plugin\n"


def test_sdist_has_hook_and_recipes_but_no_rubbish(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "LICENSE",
        "README.md",
        "constraints.txt",
        "hook/dglgo_plugins.pth",
        "recipes/signgt_nci5k.yaml",
        "tests/conftest.py",
    } <= names
    assert not [n for n in names if "__pycache__" in n or ".venv" in n]
