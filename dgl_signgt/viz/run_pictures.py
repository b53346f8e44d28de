"""The pictures of a report, from a trained model and its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from .attention import plot_attention, plot_negative_share
from .confusion import plot_confusion
from .curves import plot_k_sweep, plot_learning_curves
from .measure import attention_rows, negative_share, received_attention
from .molecule import plot_molecule
from .page import Picture
from .representation import plot_tsne
from .run_folder import RunFolder
from .spectral_figures import plot_spectral_energy, plot_spectral_response
from .spectrum import Spectrum
from .style import figure_png, new_figure

__all__ = [
    "attention_picture",
    "confusion_picture",
    "curves_picture",
    "k_sweep_picture",
    "molecule_picture",
    "negative_share_picture",
    "spectral_picture",
    "tsne_picture",
]


def curves_picture(run: RunFolder) -> Picture:
    """Loss and validation score over epochs."""
    figure = new_figure(9, 3.2)
    left, right = figure.subplots(1, 2)
    best = [row["best_epoch"] for row in run.runs]
    plot_learning_curves(run.history, best_epochs=best, title="Loss", ax=left)
    history = run.history
    name = run.metric.replace("_", " ")
    unit = name
    if run.percent:
        unit = f"{name} (%)"
        history = [
            [
                {**row, "val_score": 100 * row["val_score"]}
                for row in rows
                if "val_score" in row
            ]
            for rows in history
        ]
    plot_learning_curves(
        history, ["val_score"], best, unit, "Validation score", right
    )
    text = f"Loss and validation {name} over epochs, {len(run.runs)} seed(s)"
    return Picture(
        "learning_curves",
        figure_png(figure),
        f"{text}; best epochs {', '.join(map(str, best))}.",
        "Thick lines are the mean over seeds, up to the epoch in which the "
        "first seed stopped; thin lines are single seeds. The test score is "
        "that of each seed's best validation epoch (dotted).",
    )


def confusion_picture(
    truth: torch.Tensor, guess: torch.Tensor, num_classes: int
) -> Picture:
    """True against predicted classes of the test part."""
    figure = new_figure(4.6, 3.8)
    plot_confusion(truth, guess, num_classes, "Test part", ax=figure.subplots())
    right = int((truth == guess).sum())
    return Picture(
        "confusion",
        figure_png(figure),
        f"Confusion matrix of {num_classes} classes: {right} of "
        f"{len(truth)} on the diagonal.",
        "Numbers count the items of the test part; colours are their share "
        "of the true class.",
    )


def attention_picture(
    model: torch.nn.Module,
    graph: Any,
    feat: torch.Tensor,
    labels: torch.Tensor,
    node: int,
) -> Picture:
    """One node's attention under the original and the model's own rule."""
    trained = model.encoder.layers[0].mha.attention_kind
    other = "softmax" if trained != "softmax" else "signed"
    figure = new_figure(9, 3.2)
    counts = []
    for ax, kind in zip(figure.subplots(1, 2), (other, trained)):
        rows = attention_rows(model, graph, feat, 0, torch.tensor([node]), kind)
        name = "Original (softmax)" if kind == "softmax" else kind.capitalize()
        how = "as trained" if kind == trained else "same scores"
        plot_attention(rows[0, 0], labels, node, f"{name}, {how}", ax=ax)
        counts.append(f"{kind}: {(rows[0, 0] < 0).sum()} negative weights")
    return Picture(
        "attention",
        figure_png(figure),
        f"Attention weights of node {node} to all nodes, sorted by class; "
        f"{'; '.join(counts)}.",
        f"First layer, first head. The model was trained with {trained} "
        f"attention; the left panel turns the same scores into weights by "
        f"the other rule. The dotted line is the node itself.",
    )


def negative_share_picture(
    model: torch.nn.Module, graphs: Sequence[tuple[Any, torch.Tensor]]
) -> Picture:
    """The negative part of the attention, per layer and head."""
    shares = np.mean([negative_share(model, g, x) for g, x in graphs], axis=0)
    figure = new_figure(max(4.2, 1.2 + 0.4 * shares.size), 3.0)
    plot_negative_share(shares, ax=figure.subplots())
    words = "; ".join(
        f"layer {number}: " + ", ".join(f"{100 * s:.0f} %" for s in row)
        for number, row in enumerate(shares)
    )
    count = "" if len(graphs) == 1 else f" Mean over {len(graphs)} graphs."
    return Picture(
        "negative_share",
        figure_png(figure),
        f"Negative share of the attention of each head: {words}.",
        f"The part of Σ|M| that has a negative sign. 50 % means that "
        f"positive and negative weights balance.{count}",
    )


def tsne_picture(hidden: torch.Tensor, labels: torch.Tensor) -> Picture:
    """Representations after the last layer."""
    figure = new_figure(5.2, 4.2)
    ax = plot_tsne(
        hidden, labels, title="t-SNE of representations", ax=figure.subplots()
    )
    return Picture(
        "tsne",
        figure_png(figure),
        f"Representations in the plane, coloured by class; "
        f"{ax.get_title().splitlines()[-1]}.",
        "After the last layer. The silhouette score is of the classes in "
        "the full space: 1 is best, 0 means that they overlap. Distances "
        "between far clusters mean nothing in t-SNE.",
    )


def spectral_picture(spectra: Mapping[str, Spectrum]) -> Picture:
    """Gain and energy over graph frequencies, a row a layer."""
    layers = min(len(spectrum.gain) for spectrum in spectra.values())
    figure = new_figure(10, 3.9 * layers)
    axes = figure.subplots(layers, 2, squeeze=False)
    words = []
    for layer, (left, right) in enumerate(axes):
        plot_spectral_response(spectra, layer, ax=left)
        plot_spectral_energy(spectra, layer, ax=right)
        for name, spectrum in spectra.items():
            low, high = (
                spectrum.after[layer][inside].sum()
                for inside in (
                    spectrum.frequency < 1,
                    spectrum.frequency >= 1,
                )
            )
            words.append(
                f"{name}, layer {layer}: {100 * low:.0f} % of the output's "
                f"energy below frequency 1, {100 * high:.0f} % above"
            )
    return Picture(
        "spectral_response",
        figure_png(figure),
        f"Spectral response. {'; '.join(words)}.",
        "Left: how much of each wave of the graph the attention passes "
        "(small points), and the mean of each band; a filter that smooths "
        "is high on the left. Right: where the energy lies before the "
        "attention (dotted) and in its output (solid).",
    )


def k_sweep_picture(runs: Sequence[RunFolder]) -> Picture | None:
    """Scores over k, where the runs differ in it."""
    scores: dict[str, dict[int, list[float]]] = {}
    for run in runs:
        model = run.recipe["model"]
        name = run.recipe["data"]["name"]
        if len({r.recipe["model"]["attention"] for r in runs}) > 1:
            name = f"{model['attention']} {name}"
        found = scores.setdefault(name, {}).setdefault(model["k"], [])
        found.extend(row["test"] for row in run.runs)
    scores = {name: by_k for name, by_k in scores.items() if len(by_k) > 1}
    if not scores or len({run.metric for run in runs}) > 1:
        return None
    figure = new_figure(5.2, 3.4)
    metric = runs[0].metric.replace("_", " ")
    percent = runs[0].percent
    plot_k_sweep(
        scores,
        f"Test {metric} (%)" if percent else f"Test {metric}",
        100.0 if percent else 1.0,
        ax=figure.subplots(),
    )
    words = "; ".join(
        f"{name}, k = {k}: {runs[0].format(float(np.mean(values)))}"
        for name, by_k in scores.items()
        for k, values in sorted(by_k.items())
    )
    return Picture(
        "k_sweep",
        figure_png(figure),
        f"Test {metric} over k. {words}.",
        "The band is one standard deviation over the seeds.",
    )


def molecule_picture(
    model: torch.nn.Module,
    molecules: Sequence[tuple[Any, Any, torch.Tensor]],
    names: Sequence[str],
) -> Picture:
    """Molecules, each as (RDKit molecule, graph, features)."""
    figure = new_figure(4.8 * len(molecules), 3.6)
    axes = np.atleast_1d(figure.subplots(1, len(molecules)))
    words = []
    for ax, name, (molecule, graph, feat) in zip(axes, names, molecules):
        values = received_attention(model, graph, feat)
        plot_molecule(molecule, values, name, ax=ax)
        words.append(
            f"{name}: {(values > 0).sum()} atoms with positive, "
            f"{(values < 0).sum()} with negative sum"
        )
    return Picture(
        "molecules",
        figure_png(figure),
        f"Molecules with atoms coloured by the attention that they "
        f"receive. {'; '.join(words)}.",
        "Sum over all atoms of the weights in the last layer: blue atoms "
        "are added to the others' representations, orange ones subtracted.",
    )
