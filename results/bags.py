"""How far the features of a molecule's atoms get without a network.

    python -m results.bags

adds up the features of each molecule's atoms and puts a linear classifier on
the sums (scikit-learn's logistic regression, its C chosen on validation), on
the splits of the tables: of the kinds of atoms alone, and of these with the
encodings that the recipe adds to them. The scores are kept in
``results/bags.json``.
"""

from __future__ import annotations

import json

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler

from dgl_signgt import load
from dgl_signgt.data import make_split
from dgl_signgt.training import as_recipe
from dgl_signgt.training.checkpoint import write_atomically
from results.runs import FOLDER
from results.tables import kept_scores_table

__all__ = ["KEPT", "bag_score", "bag_scores", "bag_section"]

KEPT = FOLDER / "bags.json"
_DATA = ("nci1", "nci109", "mutagenicity")
_SEEDS = 10
_STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
_KINDS = {
    "atoms": "the kinds of atoms",
    "recipe": "these and the recipe's encodings",
}

_WORDS = """\
How much of a score is in the features? Here those of a molecule's atoms are
added up, without a network, and a linear classifier is put on the sums
(`python -m results.bags`, the ten splits of the tables):

"""


def bag_score(
    feat: sp.spmatrix, label: np.ndarray, parts: dict[str, np.ndarray]
) -> float:
    """Test accuracy of a linear classifier.

    Parameters
    ----------
    feat : scipy.sparse matrix
        A row a graph.
    label : numpy.ndarray
        A class a graph.
    parts : dict of numpy.ndarray
        Indices of the parts train, val and test. Validation chooses the
        strength of the regularisation.

    Returns
    -------
    float
    """
    train, val, test = (parts[name] for name in ("train", "val", "test"))
    scaler = MaxAbsScaler().fit(feat[train])
    feat = scaler.transform(feat)
    models = [
        LogisticRegression(C=strength, max_iter=1000).fit(
            feat[train], label[train]
        )
        for strength in _STRENGTHS
    ]
    best = max(models, key=lambda model: model.score(feat[val], label[val]))
    return float(best.score(feat[test], label[test]))


def bag_scores(name: str) -> dict[str, list[float]]:
    """The scores on ten splits, for each kind of features."""
    transforms = as_recipe(f"signgt_{name}").data.transforms
    kinds = {
        "atoms": load(name),
        "recipe": load(name, transforms=transforms),
    }
    scores: dict[str, list[float]] = {kind: [] for kind in kinds}
    for kind, data in kinds.items():
        feat = _graph_sums(data)
        for seed in range(_SEEDS):
            split = make_split(data, "random", seed)
            parts = {
                part: getattr(split, part).numpy()
                for part in ("train", "val", "test")
            }
            scores[kind].append(bag_score(feat, data.label.numpy(), parts))
    return scores


def _graph_sums(data: object) -> sp.csr_matrix:
    sizes = data.sizes.numpy()
    graph = np.repeat(np.arange(len(sizes)), sizes)
    nodes = np.arange(len(graph))
    member = sp.csr_matrix((np.ones(len(graph)), (graph, nodes)))
    return sp.csr_matrix(member @ sp.csr_matrix(data.flat.feat))


def bag_section() -> str:
    """The kept scores, as a table beside the words that explain it."""
    table = kept_scores_table(KEPT, "a linear classifier on", _KINDS)
    return f"{_WORDS}{table}"


if __name__ == "__main__":
    found = {name: bag_scores(name) for name in _DATA}
    write_atomically(KEPT, json.dumps(found, indent=1) + "\n")
    KEPT.chmod(0o644)
