"""Figures: they draw what they are given, where they are told to."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from dgl_signgt import viz
from dgl_signgt.viz.style import NEGATIVE, OKABE_ITO, POSITIVE, colours_of

RNG = np.random.default_rng(0)
SPECTRUM = viz.Spectrum(
    np.linspace(0, 2, 40), *(RNG.random((1, 40)) for _ in range(3))
)
HISTORY = [
    [{"epoch": e, "train_loss": s + e, "val_loss": 1.0} for e in (1, 2, 3)]
    for s in (0, 2)
]
DRAW = {
    "attention": lambda ax: viz.plot_attention([0.1, -0.2, 0.3], ax=ax),
    "share": lambda ax: viz.plot_negative_share([[0.1, 0.9]], ax=ax),
    "tsne": lambda ax: viz.plot_tsne(
        RNG.random((20, 3)), np.arange(20) % 2, ax=ax
    ),
    "confusion": lambda ax: viz.plot_confusion([0, 1], [1, 1], ax=ax),
    "curves": lambda ax: viz.plot_learning_curves(HISTORY, ax=ax),
    "sweep": lambda ax: viz.plot_k_sweep({"a": {0: [0.5], 1: [0.6]}}, ax=ax),
    "gain": lambda ax: viz.plot_spectral_response({"signed": SPECTRUM}, ax=ax),
    "energy": lambda ax: viz.plot_spectral_energy({"signed": SPECTRUM}, ax=ax),
    "molecule": lambda ax: viz.plot_molecule("CCO", [1, -1, 0], ax=ax),
}


@pytest.fixture(autouse=True)
def close_all():
    yield
    pyplot.close("all")


@pytest.mark.parametrize("name", DRAW)
def test_draws_on_given_axes_and_on_new_ones(name):
    _, ax = pyplot.subplots()
    assert DRAW[name](ax) is ax
    fresh = DRAW[name](None)
    assert fresh is not ax
    for drawn in (ax, fresh):
        assert drawn.get_title()
        assert drawn.has_data()
    if name != "molecule":
        assert fresh.get_ylabel()
    png = viz.figure_png(fresh.figure, dpi=50)
    assert png.startswith(b"\x89PNG") and len(png) > 2000


def test_attention_colours_are_the_signs():
    ax = viz.plot_attention([[0.4, -0.6], [0.2, -0.2]], node=1)
    positive, negative = ax.collections
    assert positive.get_offsets().tolist() == [[0, pytest.approx(0.3)]]
    assert negative.get_offsets().tolist() == [[1, pytest.approx(-0.4)]]
    assert to_hex(positive.get_facecolor()[0]) == POSITIVE.lower()
    assert to_hex(negative.get_facecolor()[0]) == NEGATIVE.lower()
    assert "node 1" in ax.get_title()


def test_attention_sorted_by_class():
    ax = viz.plot_attention([1.0, 2.0, 3.0, 4.0], labels=[1, 0, 1, 0])
    points = ax.collections[0].get_offsets()
    assert points[:, 1].tolist() == [2, 4, 1, 3]
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks == ["0", "1"]


def test_tsne_names_the_silhouette_and_samples():
    points = np.repeat([[0.0, 0.0], [9.0, 9.0]], 30, axis=0)
    points += 0.01 * RNG.random(points.shape)
    ax = viz.plot_tsne(points, np.repeat([0, 1], 30), limit=40)
    assert "silhouette score 1.00, 40 of 60 nodes" in ax.get_title()


def test_confusion_counts():
    ax = viz.plot_confusion([0, 0, 0, 1], [0, 0, 1, 1], num_classes=3)
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["2", "1", "0", "0", "1", "0", "0", "0", "0"]
    assert "75.0 % of 4" in ax.get_title()
    shares = ax.images[0].get_array()
    assert shares[0].tolist() == pytest.approx([200 / 3, 100 / 3, 0])


def test_curves_average_the_epochs_that_all_seeds_have():
    history = [HISTORY[0], HISTORY[1][:2]]
    ax = viz.plot_learning_curves(history, ["train_loss"], best_epochs=[2, 1])
    mean = ax.lines[-1]
    assert mean.get_xdata().tolist() == [1, 2]
    assert mean.get_ydata().tolist() == [2, 3]
    assert ax.get_title() == "Learning curves, 2 seeds"


def test_sweep_has_mean_and_band():
    ax = viz.plot_k_sweep({"x": {1: [0.5, 0.7], 0: [0.2, 0.2]}})
    assert ax.lines[0].get_xdata().tolist() == [0, 1]
    assert ax.lines[0].get_ydata().tolist() == pytest.approx([20, 60])
    top = ax.collections[0].get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(60 + 100 * np.std([0.5, 0.7], ddof=1))


def test_response_breaks_where_a_band_is_empty():
    spectrum = viz.Spectrum(
        np.array([0.0, 1.0, 1.0, 2.0]),
        np.array([[4.0, 1.0, 3.0, 8.0]]),
        *(np.full((1, 4), 0.25) for _ in range(2)),
    )
    ax = viz.plot_spectral_response({"signed": spectrum}, bins=4)
    y = ax.lines[0].get_ydata()
    assert y == pytest.approx([4, np.nan, 2, 8], nan_ok=True)
    ax = viz.plot_spectral_response({"a": spectrum}, bins=4, relative=True)
    assert np.nanmax(ax.lines[0].get_ydata()) == 1


def test_energy_ends_at_the_whole():
    spectrum = viz.Spectrum(
        np.array([2.0, 0.0]),
        np.ones((1, 2)),
        np.array([[0.75, 0.25]]),
        np.array([[0.5, 0.5]]),
    )
    ax = viz.plot_spectral_energy({"signed": spectrum})
    before, after = ax.lines
    assert before.get_ydata().tolist() == [0, 25, 100, 100]
    assert after.get_ydata().tolist() == [0, 50, 100, 100]


def test_kinds_keep_their_colours():
    found = colours_of(["cora", "softmax", "signed"])
    assert found["signed"] == OKABE_ITO[0]
    assert found["softmax"] == OKABE_ITO[1]
    assert found["cora"] == OKABE_ITO[2]


def test_molecule_of_a_graph():
    molecule = viz.molecule_of_graph(
        [0, 1, 1, 2, 2],
        [1, 0, 2, 1, 2],
        ["C", "C", "17"],
        ["double", "double", "single", "single", "single"],
    )
    assert [atom.GetSymbol() for atom in molecule.GetAtoms()] == ["C", "C", "*"]
    orders = [bond.GetBondTypeAsDouble() for bond in molecule.GetBonds()]
    assert orders == [2, 1]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: viz.plot_molecule("C(", [1]), "no valid SMILES"),
        (lambda: viz.plot_molecule("CC", [1]), "2 atoms"),
        (lambda: viz.plot_confusion([0], [0, 1]), "1 and 2"),
        (lambda: viz.plot_tsne([[1.0]], [0]), "at least 4"),
        (
            lambda: viz.molecule_of_graph([0], [1], ["C", "C"], ["triangle"]),
            "TRIANGLE",
        ),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
