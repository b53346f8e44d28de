"""The spectral response, against what is known by hand."""

import dgl
import numpy as np
import pytest
import torch

from dgl_signgt import khop_graph, viz
from dgl_signgt.nn import SignGTNodeClassifier


def ring(count: int) -> dgl.DGLGraph:
    nodes = torch.arange(count)
    return dgl.graph((nodes, (nodes + 1) % count))


def test_ring_has_the_cosines_as_frequencies():
    frequency, waves = viz.laplacian_spectrum(ring(8))
    expected = np.sort(1 - np.cos(2 * np.pi * np.arange(8) / 8))
    assert frequency == pytest.approx(expected, abs=1e-12)
    assert waves.T @ waves == pytest.approx(np.eye(8), abs=1e-12)


def test_loops_double_edges_and_lonely_nodes_do_not_count():
    g = dgl.graph(([0, 1, 0, 2], [1, 0, 1, 2]), num_nodes=4)
    frequency, _ = viz.laplacian_spectrum(g)
    assert frequency == pytest.approx([0, 0, 0, 2], abs=1e-12)


def test_spectrum_of_khop_weights_is_refused():
    with pytest.raises(ValueError, match="raw graph"):
        viz.laplacian_spectrum(khop_graph(ring(5), 2))


def test_mean_passes_the_constant_alone():
    _, waves = viz.laplacian_spectrum(ring(9))
    gain = viz.spectral_gain([np.full((1, 9, 9), 1 / 9)], waves)
    assert gain[0] == pytest.approx([1] + 8 * [0], abs=1e-7)


def test_laplacian_itself_has_its_frequencies_as_gain():
    frequency, waves = viz.laplacian_spectrum(ring(7))
    matrix = waves @ np.diag(frequency) @ waves.T
    blocks = [matrix[None, :3], matrix[None, 3:]]
    gain = viz.spectral_gain(blocks, waves)
    assert gain[0] == pytest.approx(frequency, abs=1e-7)


def test_energy_of_all_waves_is_the_signal():
    _, waves = viz.laplacian_spectrum(ring(6))
    signal = torch.randn(6, 4, dtype=torch.float64)
    energy = viz.spectral_energy(signal, waves)
    assert energy.sum() == pytest.approx(float(signal.square().sum()))
    one_wave = viz.spectral_energy(3 * waves[:, [2]], waves)
    assert one_wave == pytest.approx([0, 0, 9, 0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("norm_place", ["post", "pre"])
def test_measured_gain_is_that_of_the_models_attention(norm_place):
    torch.manual_seed(0)
    g, feat = ring(12), torch.randn(12, 5)
    model = SignGTNodeClassifier(
        5, 2, hidden_size=8, num_heads=2, norm_place=norm_place, dropout=0.5
    )
    model.train()
    spectrum = viz.measure_spectrum(model, [(g, feat)])
    assert model.training
    _, waves = viz.laplacian_spectrum(g)
    for layer in range(2):
        weights = model.attention(g, feat, layer, torch.arange(12))
        product = weights.double().numpy() @ waves
        expected = np.linalg.norm(product, axis=1).mean(0)
        assert spectrum.gain[layer] == pytest.approx(expected, rel=1e-5)
    assert spectrum.before.sum(1) == pytest.approx([1, 1])
    assert spectrum.after.sum(1) == pytest.approx([1, 1])


def test_several_graphs_are_put_side_by_side():
    torch.manual_seed(0)
    model = SignGTNodeClassifier(5, 2, hidden_size=8, num_heads=2)
    graphs = [(ring(n), torch.randn(n, 5)) for n in (4, 7)]
    spectrum = viz.measure_spectrum(model, graphs)
    assert spectrum.frequency.shape == (11,)
    alone = viz.measure_spectrum(model, graphs[1:])
    assert spectrum.gain[:, 4:] == pytest.approx(alone.gain)


def test_spectrum_survives_json():
    spectrum = viz.Spectrum(*(np.array([[0.5, 1.25]]) for _ in range(4)))
    again = viz.Spectrum.from_dict(spectrum.to_dict())
    assert again.gain.tolist() == [[0.5, 1.25]]
