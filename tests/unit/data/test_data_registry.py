"""Names, options and specs."""

import subprocess
import sys

import pytest

from dgl_signgt.data import dataset_names, dataset_spec, load
from dgl_signgt.data.catalog.checksums import GOOD_COPIES
from dgl_signgt.data.registry import check_options
from dgl_signgt.errors import DataError

GRAPH = ["nci1", "nci109", "mutagenicity", "frankenstein", "collab"]
NODE = [
    *("photo", "acm", "cora", "pubmed", "computer", "corafull"),
    *("blogcatalog", "uai2010", "flickr", "chameleon", "actor", "squirrel"),
]


def test_all_promised_names_are_there():
    more = ["chameleon-filtered", "squirrel-filtered", "tu", "csv"]
    ogb = ["ogbg-molhiv", "ogbg-molpcba", "ogbn-arxiv", "ogbn-products"]
    built_in = ["nci5k", "digits-knn", "csbm"]
    assert set(dataset_names()) == {*GRAPH, *NODE, *more, *ogb, *built_in}


def test_names_by_task():
    assert set(GRAPH) <= set(dataset_names("graph"))
    assert set(NODE) <= set(dataset_names("node"))
    assert not set(dataset_names("graph")) & set(NODE)
    assert "csv" in dataset_names("node")
    assert "csv" in dataset_names("graph")


@pytest.mark.parametrize("name", [*GRAPH, *NODE])
def test_specs_of_the_paper_are_complete(name):
    spec = dataset_spec(name)
    assert spec.paper is not None
    assert spec.paper.classes is not None
    assert spec.raw.url.startswith("https://")
    assert spec.raw.members
    assert spec.raw.megabytes > 0


def test_known_good_copies_are_of_known_sets():
    assert set(GOOD_COPIES) < set(dataset_names())
    for name in ("chameleon-filtered", "squirrel-filtered"):
        assert dataset_spec(name).raw.sha256 == GOOD_COPIES[name]


def test_unknown_name_names_the_nearest():
    with pytest.raises(DataError, match=r"'nci11'.*did you mean 'nci1") as e:
        load("nci11")
    assert "\n" not in str(e.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"homophilly": 0.1}, "did you mean 'homophily'"),
        ({"homophily": "high"}, "must be of type float, got 'high'"),
        ({"num_nodes": 10.5}, "must be of type int"),
        ({"num_nodes": True}, "must be of type int"),
        ({"homophily": 1.5}, "from 0 to 1"),
        ({"num_classes": 1}, "at least 2 classes"),
        ({"avg_degree": 5000}, "more edges than"),
    ],
)
def test_wrong_options_are_one_line(given, said):
    with pytest.raises(DataError, match=said) as error:
        load("csbm", **given)
    assert "\n" not in str(error.value)


def test_whole_numbers_are_floats_too():
    spec = dataset_spec("csbm")
    values = check_options(spec, {"homophily": 1})
    assert values["homophily"] == 1.0
    assert type(values["homophily"]) is float


def test_choices_and_required():
    with pytest.raises(DataError, match="did you mean 'onehot'"):
        load("nci1", node_feat="onehott")
    with pytest.raises(DataError, match="tu needs the option 'dataset'"):
        load("tu")
    with pytest.raises(DataError, match="is not the name of a TUDataset"):
        load("tu", dataset="../etc/passwd")


def test_listing_needs_neither_torch_nor_dgl():
    code = (
        "import sys; from dgl_signgt.data import dataset_names, list_datasets;"
        "dataset_names(); list_datasets();"
        "print([m for m in ('torch', 'dgl') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
