"""The wheel in real environments, with the real ``dgl`` command."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOOK = ("_dglgo_plugins.py", "dglgo_plugins.pth")
PRINT_MODULES = (
    "import sys; print([f.__name__ for f in sys.meta_path if "
    "getattr(f, '__name__', '') == 'DglgoPlugins'], sorted({'torch', 'dgl', "
    "'dgl_signgt', 'importlib.metadata', '_dglgo_plugins'} & {*sys.modules}))"
)


def files(environment):
    """Everything in the environment's own site-packages, but bytecode."""
    return {
        p.relative_to(environment.site).as_posix()
        for p in environment.site.rglob("*")
        if "__pycache__" not in p.parts and p.is_file()
    }


def test_dgl_lists_our_recipes_beside_its_own(installed):
    result = installed.run("dgl", "recipe", "list")
    assert (result.returncode, result.stderr) == (0, "")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in result.stdout.splitlines()
        if line.startswith("|")
    ]
    assert rows[0] == ["Filename", "Pipeline", "Dataset"]
    assert ["nodepred_cora_gcn.yaml", "nodepred", "cora"] in rows
    assert ["signgt_nci5k.yaml", "signgt-graphpred", "nci5k"] in rows
    assert sum(row[0].startswith("signgt_") for row in rows) == len(
        [*(ROOT / "recipes").glob("*.yaml")]
    )
    assert len(rows) - 1 == 17 + len([*(ROOT / "recipes").glob("*.yaml")])


def test_switched_off_dgl_is_as_before(installed):
    result = installed.run("dgl", "recipe", "list", DGLGO_PLUGINS="0")
    assert (result.returncode, result.stderr) == (0, "")
    assert "signgt" not in result.stdout
    assert result.stdout.count(".yaml") == 17


def test_module_entry_has_us_too(installed):
    result = installed.run(
        "python", "-m", "dglgo.cli.cli", "train", "--cfg", "absent.yaml"
    )
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith("error: absent.yaml: ")
    assert "Traceback" not in result.stderr


def test_our_module_needs_no_hook(installed):
    result = installed.run(
        "python", "-m", "dgl_signgt", "recipe", "list", DGLGO_PLUGINS="0"
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "signgt_nci5k.yaml" in result.stdout


def test_other_interpreters_import_nothing(installed):
    result = installed.run("python", "-c", PRINT_MODULES)
    assert (result.stdout, result.stderr) == ("['DglgoPlugins'] []\n", "")


def test_failing_plugins_are_named_and_skipped(installed, tmp_path):
    # Three packages of others, each broken in another way, on the path.
    broken = {
        "absent": ("nowhere_to_be_found", None),
        "crash": ("crash_plugin", "def register():\n    1 / 0\n"),
        "leave": (
            "leave_plugin",
            "def extend(app):\n    raise SystemExit(3)\n",
        ),
    }
    for name, (module, source) in broken.items():
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(
            f"[dglgo.plugins]\n{name} = {module}\n"
        )
        if source:
            (tmp_path / f"{module}.py").write_text(source)
    result = installed.run("dgl", "recipe", "list", PYTHONPATH=str(tmp_path))
    assert result.returncode == 0
    assert "signgt_nci5k.yaml" in result.stdout
    assert sorted(result.stderr.splitlines()) == [
        "dgl: plug-in absent (nowhere_to_be_found) is skipped: "
        "ModuleNotFoundError: No module named 'nowhere_to_be_found'",
        "dgl: plug-in crash (crash_plugin) is skipped: "
        "ZeroDivisionError: division by zero",
        "dgl: plug-in leave (leave_plugin) is skipped: SystemExit: 3",
    ]


def test_half_removed_package_breaks_nothing(make_environment, wheel):
    environment = make_environment()
    environment.pip("install", "--no-deps", "--no-index", wheel)
    shutil.rmtree(environment.site / "dgl_signgt")
    result = environment.run("dgl", "recipe", "list")
    assert result.returncode == 0
    assert result.stdout.count(".yaml") == 17
    assert result.stderr.splitlines() == [
        "dgl: plug-in signgt (dgl_signgt.plugin) is skipped: "
        "ModuleNotFoundError: No module named 'dgl_signgt'"
    ]
    # Only the .pth file is left: nothing to say, nothing to break.
    (environment.site / "_dglgo_plugins.py").unlink()
    result = environment.run("dgl", "recipe", "list")
    assert (result.returncode, result.stderr) == (0, "")


def test_uninstalling_removes_everything(make_environment, wheel):
    environment = make_environment()
    before = files(environment)
    environment.pip("install", "--no-deps", "--no-index", wheel)
    assert {*HOOK} <= files(environment)
    environment.pip("uninstall", "-y", "dgl-signgt")
    assert files(environment) == before
    assert environment.run("python", "-c", PRINT_MODULES).stdout == "[] []\n"


def test_editable_install(make_environment):
    environment = make_environment()
    environment.pip("install", "--no-deps", "--no-build-isolation", "-e", ROOT)
    assert {*HOOK} <= files(environment)
    # Modules and recipes come from the working tree, not from copies.
    assert not (environment.site / "dgl_signgt").exists()
    result = environment.run("dgl", "recipe", "get", "signgt_nci5k.yaml")
    assert (result.returncode, result.stderr) == (0, "")
    source = ROOT / "recipes" / "signgt_nci5k.yaml"
    assert f"Recipe {source} is copied to " in result.stdout
    copy = environment.folder / "empty" / "signgt_nci5k.yaml"
    assert copy.read_bytes() == source.read_bytes()
    environment.pip("uninstall", "-y", "dgl-signgt")
    assert not {*HOOK} & files(environment)


def test_hook_line_is_what_site_accepts(tmp_path):
    # A .pth line that fails is reported by site on every start of Python.
    shutil.copy(ROOT / "hook" / "dglgo_plugins.pth", tmp_path)
    result = subprocess.run(
        [sys.executable, "-S", "-c"]
        + [f"import site; site.addsitedir({str(tmp_path)!r}); import json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
