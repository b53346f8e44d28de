"""matplotlib belongs to viz, and is missed with one clear line."""

import subprocess
import sys
from pathlib import Path

import dgl_signgt

PACKAGE = Path(dgl_signgt.__file__).parent


def test_only_viz_imports_matplotlib():
    guilty = [
        path.relative_to(PACKAGE)
        for path in PACKAGE.rglob("*.py")
        if "matplotlib" in path.read_text()
        and path.relative_to(PACKAGE).parts[0] != "viz"
    ]
    assert guilty == []


def test_the_package_starts_without_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import dgl_signgt.cli.report, dgl_signgt.viz\n"
        "try:\n    dgl_signgt.viz.plot_confusion\n"
        "except dgl_signgt.SignGTError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert done.stdout == (
        "figures need matplotlib: pip install 'dgl-signgt[viz]'\n"
    ), done.stderr
