"""Draw the figures of the documentation, and log the numbers in them.

Run from the root of the repository: ``python docs/figures/make.py``. It
trains on embedded data only and takes some minutes on one core. The pages
read the numbers from ``spectral.json``; nothing in them is typed.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import torch

from dgl_signgt import __version__, load, viz
from dgl_signgt.training import train
from dgl_signgt.viz.style import new_figure

HERE = Path(__file__).parent
NODES, SEEDS, EPOCHS = 600, 5, 60
KINDS = ("signed", "softmax", "tanh")
# The node that stands for all in the figure of attention.
NODE = 7


def main() -> None:
    """Train, measure, draw and log."""
    torch.set_num_threads(1)
    rows, drawn, model, data = [], {}, None, None
    for homophily in (0.1, 0.9):
        dataset = load("csbm", homophily=homophily, num_nodes=NODES)
        pair = (dataset.graph, dataset.feat)
        for kind in KINDS:
            spectra, scores, shares = [], [], []
            for seed in range(SEEDS):
                result = run(homophily, kind, seed)
                scores.append(result.mean)
                spectra.append(viz.measure_spectrum(result.model, [pair]))
                shares.append(viz.negative_share(result.model, *pair).mean())
                if (homophily, kind, seed) == (0.1, "signed", 0):
                    model, data = result.model, dataset
            mean = average(spectra)
            drawn.setdefault(homophily, {})[kind] = mean
            rows.append(
                {
                    "homophily": homophily,
                    "attention": kind,
                    "test": scores,
                    "negative_share": float(np.mean(shares)),
                    **summary(dataset, spectra),
                }
            )
            print(json.dumps(rows[-1]))
    draw_spectra(drawn)
    draw_attention(model, data)
    draw_tsne(model, data)
    log = {
        "command": "python docs/figures/make.py",
        "dgl_signgt": __version__,
        "torch": torch.__version__.split("+")[0],
        "recipe": "signgt_csbm_low",
        "nodes": NODES,
        "seeds": SEEDS,
        "most_epochs": EPOCHS,
        "rows": rows,
    }
    (HERE / "spectral.json").write_text(json.dumps(log, indent=1) + "\n")


def run(homophily: float, kind: str, seed: int):
    """One training of the small model on a block model."""
    with tempfile.TemporaryDirectory() as folder:
        return train(
            "signgt_csbm_low",
            folder=folder,
            quiet=True,
            **{
                "data.homophily": homophily,
                "data.num_nodes": NODES,
                "model.attention": kind,
                "general_pipeline.num_runs": 1,
                "general_pipeline.seed": seed,
                "general_pipeline.num_epochs": EPOCHS,
            },
        )


def average(spectra: list[viz.Spectrum]) -> viz.Spectrum:
    """The mean over seeds; all are of the same graph."""
    parts = [
        np.mean([getattr(s, name) for s in spectra], axis=0)
        for name in ("gain", "before", "after")
    ]
    return viz.Spectrum(spectra[0].frequency, *parts)


def summary(dataset, spectra: list[viz.Spectrum]) -> dict:
    """Three kinds of waves: the common one, the classes', all others."""
    _, waves = viz.laplacian_spectrum(dataset.graph)
    sides = np.where(dataset.label.numpy() == 0, -1.0, 1.0)
    overlap = np.abs(waves.T @ sides) / np.linalg.norm(sides)
    overlap[0] = 0
    own = int(overlap.argmax())
    rest = np.setdiff1d(np.arange(len(waves)), [0, own])
    found = {
        "class_frequency": float(spectra[0].frequency[own]),
        "class_overlap": float(overlap[own]),
    }
    for name in ("gain", "before", "after"):
        values = np.stack([getattr(s, name)[0] for s in spectra])
        others = values[:, rest]
        others = others.mean(1) if name == "gain" else others.sum(1)
        for wave, column in (
            ("common", values[:, 0]),
            ("class", values[:, own]),
            ("others", others),
        ):
            found[f"{name}_{wave}"] = column.tolist()
    return found


def draw_spectra(drawn: dict) -> None:
    """Gain and energy, at low and at high homophily."""
    figure = new_figure(10, 7.6)
    for row, (homophily, spectra) in zip(figure.subplots(2, 2), drawn.items()):
        viz.plot_spectral_response(
            spectra, title=f"Gain, homophily {homophily}", ax=row[0]
        )
        pair = {kind: spectra[kind] for kind in ("signed", "softmax")}
        viz.plot_spectral_energy(
            pair, title=f"Energy, homophily {homophily}", ax=row[1]
        )
    (HERE / "spectral.png").write_bytes(viz.figure_png(figure, 120))


def draw_attention(model, dataset) -> None:
    """One node's attention under both rules, as in the paper."""
    figure = new_figure(9, 3.2)
    axes = figure.subplots(1, 2)
    node = torch.tensor([NODE])
    for ax, kind in zip(axes, ("softmax", "signed")):
        rows = viz.attention_rows(
            model, dataset.graph, dataset.feat, 0, node, kind
        )
        name = "Original" if kind == "softmax" else "Signed"
        viz.plot_attention(
            rows[0, 0],
            dataset.label,
            NODE,
            f"{name} attention, head 0",
            ax=ax,
        )
    (HERE / "attention.png").write_bytes(viz.figure_png(figure, 120))


def draw_tsne(model, dataset) -> None:
    """Node representations after the last layer."""
    with torch.no_grad():
        hidden = model.encoder(dataset.graph, dataset.feat)
    figure = new_figure(4.8, 4.2)
    viz.plot_tsne(hidden, dataset.label, ax=figure.subplots())
    (HERE / "tsne.png").write_bytes(viz.figure_png(figure, 120))


if __name__ == "__main__":
    main()
