"""What the site takes from the repository when it is built.

Numbers come from logs: the page on the sign from ``figures/spectral.json``,
the page on performance from ``benchmarks/results/README.md``. A page whose
source is not there is left out of the site, and of its menu.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks" / "results" / "README.md"

# Title and file of each page, in the order of the menu.
PAGES = [
    ("Home", "index.md"),
    ("Installation", "installation.md"),
    ("Recipes and training", "recipes.md"),
    ("Data", "data.md"),
    ("The maths", "maths.md"),
    ("What the sign does", "sign.md"),
    ("Architecture", "architecture.md"),
    ("Figures and reports", "figures.md"),
    ("Performance", "performance.md"),
    ("Results", "results.md"),
    ("Questions", "faq.md"),
]
API = [
    ("Modules", "api/nn.md"),
    ("Operations", "api/ops.md"),
    ("Data", "api/data.md"),
    ("Training", "api/training.md"),
    ("Figures", "api/viz.md"),
]


def on_config(config: Any) -> Any:
    """Make the menu of the pages that are there."""
    folder = Path(config.docs_dir)
    made = {"performance.md"} if BENCHMARKS.is_file() else set()

    def there(pages: list[tuple[str, str]]) -> list[dict[str, str]]:
        return [
            {title: name}
            for title, name in pages
            if (folder / name).is_file() or name in made
        ]

    config.nav = [*there(PAGES), {"API reference": there(API)}]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the page that lies beside the benchmarks."""
    if BENCHMARKS.is_file():
        text = BENCHMARKS.read_text(encoding="utf-8")
        # Files beside it are in the repository, not on the site.
        text = re.sub(r"\[([^\]]+)\]\((?!https?://|#)[^)]+\)", r"\1", text)
        files.append(File.generated(config, "performance.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **kwargs: Any) -> str:
    """Put tables from logs in their place."""
    mark = "<!-- table of spectral.json -->"
    if mark in markdown:
        log = json.loads((ROOT / "docs/figures/spectral.json").read_text())
        markdown = markdown.replace(mark, _spectral_table(log))
    return markdown


def on_page_content(html: str, **kwargs: Any) -> str:
    """Turn formulas into MathML, which browsers draw without any script."""
    for pattern, display in (
        (r"\\\((.*?)\\\)", "inline"),
        (r"\\\[(.*?)\\\]", "block"),
    ):
        html = re.sub(
            pattern,
            lambda found, display=display: convert(
                unescape(found[1]).strip(), display=display
            ),
            html,
            flags=re.DOTALL,
        )
    return html


def _spectral_table(log: dict[str, Any]) -> str:
    head = (
        "homophily", "attention", "gain: common", "gain: classes",
        "gain: others", "energy: common", "energy: classes", "test accuracy",
    )  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in log["rows"]:
        cells = [f"{row['homophily']}", row["attention"]]
        for wave in ("common", "class", "others"):
            cells.append(_spread(row[f"gain_{wave}"], 1, 3))
        for wave in ("common", "class"):
            cells.append(_spread(row[f"after_{wave}"], 100, 0) + " %")
        cells.append(_spread(row["test"], 100, 1) + " %")
        lines.append("| " + " | ".join(cells) + " |")
    overlap = {
        row["homophily"]: (row["class_frequency"], row["class_overlap"])
        for row in log["rows"]
    }
    where = "; ".join(
        f"at homophily {homophily} it lies at λ = {frequency:.2f} (overlap "
        f"with the labels {share:.2f})"
        for homophily, (frequency, share) in overlap.items()
    )
    lines += [
        "",
        f"Mean ± standard deviation over {log['seeds']} seeds of the recipe "
        f"`{log['recipe']}` with {log['nodes']} nodes and at most "
        f"{log['most_epochs']} epochs. Gains are of the common wave, of the "
        f"classes' wave and of all others (mean); energies are shares of "
        f"the attention's output. The classes' wave is the one most "
        f"like the labels: {where}. Logged by `{log['command']}` in "
        f"`docs/figures/spectral.json`.",
        "",
        "Seed by seed (the two start from the same parameters and have the "
        f"same split): {_pairs(log['rows'])}.",
    ]
    return "\n".join(lines)


def _spread(values: list[float], scale: float, digits: int) -> str:
    scaled = scale * np.array(values)
    if scaled.mean() > 10 and digits == 3:
        digits = 0
    return f"{scaled.mean():.{digits}f} ± {scaled.std(ddof=1):.{digits}f}"


def _pairs(rows: list[dict[str, Any]]) -> str:
    """In how many seeds signed attention has more than softmax."""
    found = {(row["homophily"], row["attention"]): row for row in rows}
    words = []
    for homophily in dict.fromkeys(row["homophily"] for row in rows):
        signed, softmax = (found[homophily, k] for k in ("signed", "softmax"))
        counts = []
        for key, name in (
            ("gain_class", "gain of the classes' wave"),
            ("after_class", "energy in the classes' wave"),
            ("after_common", "energy in the common wave"),
        ):
            more = sum(a > b for a, b in zip(signed[key], softmax[key]))
            counts.append(f"{name} in {more} of {len(signed[key])}")
        words.append(
            f"at homophily {homophily} signed attention has the larger "
            + ", ".join(counts)
        )
    return "; ".join(words)
