"""The pictures of a report, from a trained model and its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from .attention import plot_attention, plot_negative_share
from .confusion import plot_confusion
from .curves import plot_k_sweep, plot_learning_curves
from .measure import (
    attention_rows,
    negative_share,
    received_attention,
    trace_attention,
)
from .molecule import plot_molecule
from .page import Picture
from .representation import plot_tsne
from .run_folder import RunFolder
from .spectral_figures import plot_spectral_energy, plot_spectral_response
from .spectrum import Spectrum
from .style import figure_png, new_figure

__all__ = [
    "attention_pictures",
    "confusion_picture",
    "curves_pictures",
    "k_sweep_picture",
    "molecule_pictures",
    "negative_share_picture",
    "spectral_pictures",
    "tsne_picture",
]

# Inches: two of them share the width of a page.
_SIZE = (4.8, 3.3)
_CURVES = (
    "Thick lines are the mean over seeds, up to the epoch in which the first "
    "seed stopped; thin lines are single seeds."
)

_NUMBERS = (
    " The numbers are the kinds of atoms in the data, which do not name the "
    "elements nor the bonds."
)


def curves_pictures(run: RunFolder) -> list[Picture]:
    """Loss and validation score over epochs."""
    best = [row["best_epoch"] for row in run.runs]
    name = run.metric.replace("_", " ")
    scale, unit = (100, f"{name} (%)") if run.percent else (1, name)
    scores = [
        [
            {"epoch": row["epoch"], "val_score": scale * row["val_score"]}
            for row in rows
            if "val_score" in row
        ]
        for rows in run.history
    ]
    pictures = []
    for file, history, keys, y, title in (
        ("loss", run.history, ["train_loss", "val_loss"], "Loss", "Loss"),
        ("validation", scores, ["val_score"], unit, "Validation score"),
    ):
        figure = new_figure(*_SIZE)
        plot_learning_curves(
            history, keys, best, y, title, ax=figure.subplots()
        )
        pictures.append(
            Picture(
                file,
                figure_png(figure),
                f"{title} over epochs, {len(run.runs)} seed(s); best epochs "
                f"{', '.join(map(str, best))}.",
                _CURVES,
            )
        )
    pictures[1].caption = (
        "The test score is that of each seed's best validation epoch (dotted)."
    )
    return pictures


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


def attention_pictures(
    model: torch.nn.Module,
    graph: Any,
    feat: torch.Tensor,
    labels: torch.Tensor,
    node: int,
) -> list[Picture]:
    """One node's attention under the model's own rule and another."""
    trained = trace_attention(model, graph, feat)[0][0].attention_kind
    other = "softmax" if trained != "softmax" else "signed"
    pictures = []
    for kind in (other, trained):
        rows = attention_rows(model, graph, feat, 0, torch.tensor([node]), kind)
        name = "Original (softmax)" if kind == "softmax" else kind.capitalize()
        how = "as trained" if kind == trained else "same scores"
        figure = new_figure(*_SIZE)
        plot_attention(
            rows[0, 0],
            labels,
            node,
            f"{name}, {how}",
            ax=figure.subplots(),
        )
        caption = "First layer, first head; the dotted line is the node itself."
        if kind != trained:
            caption += (
                f" The model was trained with {trained} attention; its "
                f"scores are turned into weights by the other rule."
            )
        pictures.append(
            Picture(
                f"attention_{kind}",
                figure_png(figure),
                f"{name} attention of node {node} to all nodes, sorted by "
                f"class: {(rows[0, 0] < 0).sum()} of {rows.shape[-1]} "
                f"weights are negative.",
                caption,
            )
        )
    return pictures


def negative_share_picture(
    model: torch.nn.Module, graphs: Sequence[tuple[Any, torch.Tensor]]
) -> Picture:
    """The negative part of the attention, per layer and head."""
    shares = np.mean([negative_share(model, g, x) for g, x in graphs], axis=0)
    figure = new_figure(max(4.8, 1.2 + 0.3 * shares.size), 3.3)
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
    figure = new_figure(4.8, 3.9)
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


def spectral_pictures(spectra: Mapping[str, Spectrum]) -> list[Picture]:
    """Gain and energy over graph frequencies, of each layer."""
    layers = min(len(spectrum.gain) for spectrum in spectra.values())
    pictures = []
    for layer in range(layers):
        gains, shares = [], []
        for name, spectrum in spectra.items():
            high = spectrum.frequency >= 1
            for values, words, total in (
                (spectrum.gain[layer], gains, np.mean),
                (spectrum.after[layer], shares, np.sum),
            ):
                low_part, high_part = total(values[~high]), total(values[high])
                words.append(f"{name} {low_part:.3g} and {high_part:.3g}")
        for file, plot, alt, caption in (
            (
                "gain",
                plot_spectral_response,
                f"Mean gain of attention layer {layer} below and above "
                f"frequency 1: {'; '.join(gains)}.",
                "How much of each wave of the graph the attention passes "
                "(small points), and the mean of each band. A filter that "
                "smooths is high on the left.",
            ),
            (
                "energy",
                plot_spectral_energy,
                f"Share of the output energy of attention layer {layer} "
                f"below and above frequency 1: {'; '.join(shares)}.",
                "Where the energy lies before the attention (dotted) and in "
                "its output (solid): a curve climbs where there is energy.",
            ),
        ):
            figure = new_figure(5.2, 4.0)
            plot(spectra, layer, ax=figure.subplots())
            pictures.append(
                Picture(
                    f"spectral_{file}_{layer}", figure_png(figure), alt, caption
                )
            )
    return pictures


def k_sweep_picture(runs: Sequence[RunFolder]) -> Picture | None:
    """Scores over k, where the runs differ in it."""
    scores: dict[str, dict[int, list[float]]] = {}
    runs = [run for run in runs if "k" in run.recipe["model"]]
    # Models without a choice of attention go by their own names.
    kinds = [
        run.recipe["model"].get("attention", run.recipe["model"]["name"])
        for run in runs
    ]
    for run, kind in zip(runs, kinds):
        model = run.recipe["model"]
        name = run.recipe["data"]["name"]
        if len({*kinds}) > 1:
            name = f"{kind} {name}"
        found = scores.setdefault(name, {}).setdefault(model["k"], [])
        found.extend(row["test"] for row in run.runs)
    scores = {name: by_k for name, by_k in scores.items() if len(by_k) > 1}
    if not scores or len({run.metric for run in runs}) > 1:
        return None
    figure = new_figure(*_SIZE)
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


def molecule_pictures(
    model: torch.nn.Module,
    molecules: Mapping[str, tuple[Any, Any, torch.Tensor]],
    named: bool = True,
) -> list[Picture]:
    """Molecules by name, each as (RDKit molecule, graph, features).

    ``named`` tells whether the data name the elements of the atoms.
    """
    pictures = []
    for number, (name, (molecule, graph, feat)) in enumerate(molecules.items()):
        values = received_attention(model, graph, feat)
        figure = new_figure(4.8, 3.6)
        plot_molecule(molecule, values, name, ax=figure.subplots())
        pictures.append(
            Picture(
                f"molecule_{number}",
                figure_png(figure),
                f"The molecule {name}, its atoms coloured by the attention "
                f"that they receive: {(values > 0).sum()} with a positive, "
                f"{(values < 0).sum()} with a negative sum.",
                "Sum of the weights that the atoms of the molecule give "
                "each atom in the last layer: blue atoms are added to the "
                "others' representations, orange ones subtracted."
                + ("" if named else _NUMBERS),
            )
        )
    return pictures
