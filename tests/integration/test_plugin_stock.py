"""SignGT in dglgo's own pipelines, and those pipelines as they were."""

from __future__ import annotations

import re

import dgl as dgl_library
import pytest
import torch
import yaml
from dgl.data import AsGraphPredDataset, AsNodePredDataset
from dgl.dataloading import GraphDataLoader
from ogb.utils.features import get_atom_feature_dims

from dgl_signgt._dglgo.datasets import stock_dataset
from dgl_signgt._dglgo.graph_model import SignGTGraphModel
from dgl_signgt._dglgo.node_model import SignGTNodeModel
from dgl_signgt.plugin import register, stock_name


@pytest.fixture(autouse=True)
def private_folder(tmp_path, monkeypatch):
    """DGL's adapters write their splits into the data folder."""
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(tmp_path / "data"))


def test_dglgo_configures_as_before(dgl, tmp_path):
    command = ("configure", "nodepred", "--data", "cora", "--model", "gcn")
    for name, env in (("with", {}), ("without", {"DGLGO_PLUGINS": "0"})):
        result = dgl(*command, "--cfg", name, env=env)
        assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "with").read_text() == (tmp_path / "without").read_text()


def test_dglgo_keeps_its_data_sets_models_and_pipelines():
    register()
    from dglgo.utils.factory import (
        ApplyPipelineFactory,
        DataFactory,
        GraphModelFactory,
        NodeModelFactory,
        PipelineFactory,
    )

    ours = ["signgt-graphpred", "signgt-nodepred"]
    own = ["nodepred", "nodepred-ns", "linkpred", "graphpred"]
    assert [*PipelineFactory.registry] == own + ours
    assert {*ApplyPipelineFactory.registry} == {*own, *ours} - {"linkpred"}
    own = ["gcn", "gat", "sage", "sgc", "gin"]
    assert [*NodeModelFactory.registry] == own + ["signgt"]
    assert [*GraphModelFactory.registry] == ["gin", "pna", "signgt"]
    cora = DataFactory.registry["cora"]
    assert cora["class_name"] == "CoraGraphDataset()"
    assert stock_name("cora") == "signgt-cora"
    assert stock_name("csbm") == "csbm"
    allowed = DataFactory.pipeline_allowed
    assert {"csbm", "digits-knn", "signgt-cora"} <= {*allowed["nodepred"]}
    assert {"nci5k", "nci1", "collab"} <= {*allowed["graphpred"]}
    # DGL reads OGB's sets itself, and a set without its path is no set.
    assert not [n for n in DataFactory.registry if n.startswith("signgt-ogb")]
    assert "tu" not in DataFactory.registry


def test_nodepred_trains_signgt(dgl, tmp_path):
    result = dgl("configure", "nodepred", "--data", "csbm", "--model", "signgt")
    assert (result.returncode, result.stderr) == (0, "")
    path = tmp_path / "nodepred_csbm_signgt.yaml"
    text = path.read_text()
    assert re.search(r"attention: signed +# Attention weights\. Can be", text)
    recipe = yaml.safe_load(text)
    assert recipe["data"]["homophily"] == 0.2
    recipe["data"]["homophily"] = 0.05
    recipe["general_pipeline"]["num_epochs"] = 60
    path.write_text(yaml.safe_dump(recipe))
    result = dgl("train", "--cfg", path)
    assert result.returncode == 0, result.stderr
    # Neighbours are nearly always of the other class, and that is learned.
    assert float(result.stdout.split("Test Accuracy ")[1].split()[0]) > 0.9
    result = dgl("configure-apply", "nodepred", "--cpt", "results/run_0.pth")
    assert result.returncode == 0, result.stderr
    result = dgl("apply", "--cfg", "apply_nodepred_csbm_signgt.yaml")
    assert result.returncode == 0, result.stderr
    output = (tmp_path / "apply_results" / "output.csv").read_text()
    assert len(output.splitlines()) == 1 + 1000


@pytest.mark.slow
def test_graphpred_trains_signgt(dgl, tmp_path):
    result = dgl(
        "configure", "graphpred", "--data", "nci5k", "--model", "signgt"
    )
    assert (result.returncode, result.stderr) == (0, "")
    path = tmp_path / "graphpred_nci5k_signgt.yaml"
    recipe = yaml.safe_load(path.read_text())
    recipe["general_pipeline"].update(num_epochs=2, num_workers=0)
    path.write_text(yaml.safe_dump(recipe))
    result = dgl("train", "--cfg", path)
    assert result.returncode == 0, result.stderr
    score = re.search(r"Test Metric across 1 runs: ([\d.]+)", result.stdout)
    assert float(score[1]) > 0.9


def test_classes_become_tasks_of_graphpred():
    data = AsGraphPredDataset(stock_dataset("nci5k"))
    ours = data.dataset.dataset
    assert data.num_tasks == 3
    assert data.node_feat_size == ours.in_size
    parts = (data.train_idx, data.val_idx, data.test_idx)
    assert torch.equal(torch.cat(parts).sort()[0], torch.arange(len(data)))
    shares = [round(len(part) / len(data), 2) for part in parts]
    assert shares == [0.8, 0.1, 0.1]
    chosen = data.val_idx[:4]
    ((graph, labels),) = GraphDataLoader(data[chosen], batch_size=4)
    assert torch.equal(labels.sum(1), torch.ones(4))
    assert torch.equal(labels.argmax(1), ours.label[chosen])
    info = {
        "name": "nci5k",
        "node_feat_size": data.node_feat_size,
        "out_size": data.num_tasks,
    }
    feat, edge_feat = graph.ndata["feat"], graph.edata["feat"]
    assert edge_feat.shape == (graph.num_edges(), data.edge_feat_size)
    assert SignGTGraphModel(info)(graph, feat, edge_feat).shape == (4, 3)


def test_categories_become_one_hot(real_data_dir, monkeypatch):
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(real_data_dir))
    block = {"name": "nci1", "split_ratio": None, "node_feat": "categorical"}
    stock = stock_dataset("nci1", **block)
    ours = stock.dataset
    assert stock.num_tasks == 1
    graph, label = stock[17]
    raw, expected = ours[17]
    assert label.tolist() == [expected.item()]
    feat = graph.ndata["feat"]
    assert feat.shape == (raw.num_nodes(), sum(ours.in_size))
    assert torch.equal(feat.argmax(1), raw.ndata["feat"].flatten())
    assert torch.equal(feat.sum(1), torch.ones(raw.num_nodes()))
    assert torch.equal(
        graph.edata["feat"], torch.ones(raw.num_edges(), 1)
    )  # NCI1 has no bond types


def test_nodes_are_what_nodepred_reads():
    data = AsNodePredDataset(stock_dataset("csbm", num_nodes=50, name="csbm"))
    graph = data[0]
    assert (graph.num_nodes(), data.num_classes) == (50, 2)
    info = {"in_size": 32, "out_size": 2, "num_nodes": 50}
    logits = SignGTNodeModel(info)(graph, graph.ndata["feat"])
    assert logits.shape == (50, 2)
    # Another option is another data set, not the cached first one.
    other = AsNodePredDataset(stock_dataset("csbm", num_nodes=60))
    assert other[0].num_nodes() == 60


def test_learned_embeddings_replace_the_features():
    graph = dgl_library.rand_graph(20, 60)
    info = {"in_size": 7, "out_size": 3, "num_nodes": 20}
    model = SignGTNodeModel(info, embed_size=7).eval()
    assert model.embed.weight.shape == (20, 7)
    logits = model(graph, torch.zeros(20, 7))
    assert logits.shape == (20, 3)
    assert torch.equal(logits, model(graph, torch.ones(20, 7)))


def test_molecules_of_ogb_are_categorical():
    graphs = dgl_library.batch([dgl_library.rand_graph(5, 8) for _ in "ab"])
    sizes = get_atom_feature_dims()
    atoms = torch.stack([torch.randint(size, (10,)) for size in sizes], 1)
    info = {"name": "ogbg-molhiv", "node_feat_size": 9, "out_size": 1}
    assert SignGTGraphModel(info)(graphs, atoms).shape == (2, 1)
