"""``python -m dgl_signgt report``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..errors import SignGTError

__all__ = ["main", "write_report"]


def main(argv: Sequence[str]) -> None:
    """Write a page about one training or several: scores, curves, attention.

    The page is one HTML file that needs no network; its pictures lie beside
    it as PNG files, too.
    """
    parser = argparse.ArgumentParser(
        prog="python -m dgl_signgt report",
        description=main.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="folder of a training, such as results/cora/001",
    )
    parser.add_argument(
        "--output",
        default="report",
        metavar="FOLDER",
        help="where to write report.html and figures/; default: report",
    )
    parser.add_argument(
        "--node",
        type=int,
        metavar="ID",
        help="whose attention to show; default: the first of the test part",
    )
    parser.add_argument(
        "--spectrum-nodes",
        type=int,
        default=4000,
        metavar="N",
        help="leave out the spectral response of larger graphs (it takes "
        "time by the cube of the nodes); default: 4000",
    )
    args = parser.parse_args(argv)
    path = write_report(args.runs, args.output, args.node, args.spectrum_nodes)
    print(f"The report is {path}")


def write_report(
    runs: Sequence[str],
    output: str = "report",
    node: int | None = None,
    spectrum_nodes: int = 4000,
) -> Path:
    """Write a report.

    Parameters
    ----------
    runs : sequence of path-like
        Folders of trainings.
    output : path-like, optional
        Folder to write to. Default: ``report``.
    node : int, optional
        The node whose attention is shown. Default: the first test node.
    spectrum_nodes : int, optional
        The most nodes of a graph whose spectrum is computed.

    Returns
    -------
    pathlib.Path
        The HTML file.
    """
    from ..viz.page import Picture, Section, page
    from ..viz.run_folder import read_run
    from ..viz.run_pictures import k_sweep_picture, spectral_pictures
    from .report_model import ModelView

    folders = [read_run(path) for path in runs]
    # Before any work is done: a folder that cannot be written is no use.
    figures = _make_folder(Path(output))
    sections, spectra = [], {}
    if len(folders) > 1:
        parts: list[Any] = [_comparison(folders)]
        sweep = k_sweep_picture(folders)
        parts += [sweep] if sweep else []
        sections.append(Section("Comparison", parts))
    for number, run in enumerate(folders, 1):
        before = f"Run {number}: " if len(folders) > 1 else ""
        view = ModelView(run, node, spectrum_nodes)
        for title, content in (
            ("Scores", _scores(run)),
            ("Learning curves", _curves(run)),
            ("Data", view.data()),
            ("Model", view.pictures()),
        ):
            sections.append(Section(before + title, content))
        if view.spectrum is not None:
            key = json.dumps(run.recipe["data"], sort_keys=True)
            name = _model_options(run)["attention"]
            group = spectra.setdefault(key, {})
            if name in group:
                name = f"{name}, run {number}"
            group[name] = view.spectrum
        sections.append(Section(f"{before}Recipe", _recipe(run)))
        sections.append(
            Section(f"{before}Environment", [_environment(run.environment)])
        )
    place = 1 if len(folders) > 1 else 4
    for number, group in enumerate(spectra.values()):
        sections.insert(
            place + number,
            Section("Spectral response", spectral_pictures(group)),
        )
    names = ", ".join(run.name for run in folders)
    text = page(
        f"{_model_names(folders)} on {_data_names(folders)}",
        f"A report on {names}.",
        sections,
    )
    pictures = [
        part
        for section in sections
        for part in section.parts
        if isinstance(part, Picture)
    ]
    _write_pictures(figures, pictures)
    path = Path(output) / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def _make_folder(folder: Path) -> Path:
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SignGTError(
            f"--output: cannot write to {folder}: {error.strerror}"
        ) from error
    return folder / "figures"


def _write_pictures(folder: Path, pictures: Sequence[Any]) -> None:
    """One file a picture; those of further runs get a number."""
    used: dict[str, int] = {}
    for picture in pictures:
        count = used[picture.name] = used.get(picture.name, 0) + 1
        name = picture.name if count == 1 else f"{picture.name}_run{count}"
        (folder / f"{name}.png").write_bytes(picture.png)


def _data_names(folders: Sequence[Any]) -> str:
    return ", ".join(
        dict.fromkeys(run.recipe["data"]["name"] for run in folders)
    )


def _model_names(folders: Sequence[Any]) -> str:
    from ..training.models import MODELS

    names = (MODELS[run.recipe["model"]["name"]].title for run in folders)
    return ", ".join(dict.fromkeys(names))


def _model_options(run: Any) -> dict[str, Any]:
    """The recipe's, with what the model's name stands for."""
    from ..training.models import MODELS

    model = run.recipe["model"]
    return {**MODELS[model["name"]].fixed, **model}


def _comparison(folders: Sequence[Any]) -> str:
    from ..viz.page import table

    rows = [
        (
            number,
            run.name,
            run.recipe["data"]["name"],
            run.recipe["model"]["name"],
            _model_options(run).get("attention", "–"),
            _model_options(run).get("k", "–"),
            f"{run.mean_and_std()} {run.metric}",
            len(run.runs),
            f"{run.runs[0]['num_parameters']:,}",
        )
        for number, run in enumerate(folders, 1)
    ]
    head = (
        "run", "folder", "data", "model", "attention", "k",
        "test", "seeds", "parameters",
    )  # fmt: skip
    return table(head, rows)


def _scores(run: Any) -> list[Any]:
    from ..viz.page import table

    wanted = run.recipe["general_pipeline"]["num_runs"]
    parts = [
        f"<p>Test {escape(run.metric)}: <strong>{run.mean_and_std()}</strong> "
        f"({len(run.runs)} of {wanted} seed{'s' * (wanted > 1)}).</p>"
    ]
    rows = [
        (
            row["seed"],
            run.format(row["val"]),
            run.format(row["test"]),
            f"{row['best_epoch']} of {row['epochs']}",
            f"{row['seconds']:.1f}",
            f"{row['peak_memory_mb']:.0f}",
            row["split_hash"][:12],
        )
        for row in run.runs
    ]
    head = (
        "seed", "validation", "test", "best epoch",
        "time (s)", "peak memory (MB)", "split",
    )  # fmt: skip
    return [*parts, table(head, rows)]


def _curves(run: Any) -> list[Any]:
    from ..viz.run_pictures import curves_pictures

    return curves_pictures(run)


def _recipe(run: Any) -> list[str]:
    text = escape((run.path / "recipe.yaml").read_text())
    return [f'<pre tabindex="0">{text}</pre>']


def _environment(environment: dict[str, Any]) -> str:
    from ..viz.page import definitions

    values: dict[str, Any] = {}
    for name, value in environment.items():
        if isinstance(value, dict):
            values |= {k: v for k, v in value.items() if v is not None}
        elif isinstance(value, list):
            values[name] = " ".join(map(str, value))
        elif value is not None:
            values[name] = value
    return definitions(values)
