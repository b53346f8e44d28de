"""Losses and scores, by the kind of label; the scores are scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from sklearn import metrics as sk
from torch.nn import functional as F

from ..errors import RecipeError

__all__ = ["LOSSES", "METRICS", "Objective", "to_probability"]

LOSSES = ("CrossEntropyLoss", "BCEWithLogitsLoss", "L1Loss", "MSELoss")
METRICS = ("accuracy", "roc_auc", "average_precision", "f1_macro", "mae")

_LOSSES_OF = {
    "multiclass": ("CrossEntropyLoss",),
    "multilabel": ("BCEWithLogitsLoss",),
    "regression": ("L1Loss", "MSELoss"),
}
_METRICS_OF = {
    "multiclass": ("accuracy", "roc_auc", "average_precision", "f1_macro"),
    "multilabel": ("roc_auc", "average_precision", "accuracy", "f1_macro"),
    "regression": ("mae",),
}


def to_probability(logits: torch.Tensor, label_kind: str) -> torch.Tensor:
    """Class probabilities (or, for regression, the values themselves)."""
    if label_kind == "multiclass":
        return logits.softmax(-1)
    return logits.sigmoid() if label_kind == "multilabel" else logits


class Objective:
    """What is minimised in training and what is reported.

    Parameters
    ----------
    label_kind : str
        ``"multiclass"``, ``"multilabel"`` or ``"regression"``.
    loss : str
        One of :data:`LOSSES`, or ``"auto"``: the usual one of the kind.
    metric : str
        One of :data:`METRICS`, or ``"auto"``.
    class_weights : torch.Tensor, optional
        A weight a class (multi-class) or a weight of each task's positives
        (multi-label).

    Examples
    --------
    >>> objective = Objective("multiclass")
    >>> logits = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    >>> objective.score(logits, torch.tensor([0, 0]))
    0.5
    """

    def __init__(
        self,
        label_kind: str,
        loss: str = "auto",
        metric: str = "auto",
        class_weights: torch.Tensor | None = None,
    ) -> None:
        problem = conflict(label_kind, loss, metric)
        if problem:
            raise RecipeError("; ".join(": ".join(item) for item in problem))
        self.label_kind = label_kind
        self.loss_name = _LOSSES_OF[label_kind][0] if loss == "auto" else loss
        self.metric = _METRICS_OF[label_kind][0] if metric == "auto" else metric
        self.maximize = self.metric != "mae"
        self.class_weights = class_weights

    def loss(self, logits: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        """The mean loss; unknown (NaN) labels are left out."""
        weights = self.class_weights
        if weights is not None:
            weights = weights.to(logits.device)
        logits = logits.float()
        if self.label_kind == "multiclass":
            return F.cross_entropy(logits, label, weight=weights)
        label = label.float().reshape(logits.shape)
        known = ~label.isnan()
        if self.loss_name == "BCEWithLogitsLoss":
            loss = F.binary_cross_entropy_with_logits(
                logits, label.nan_to_num(), pos_weight=weights, reduction="none"
            )
            return loss[known].mean()
        pointwise = F.l1_loss if self.loss_name == "L1Loss" else F.mse_loss
        return pointwise(logits[known], label[known])

    def score(self, logits: torch.Tensor, label: torch.Tensor) -> float:
        """The metric, a number that does not depend on any batch."""
        probability = to_probability(logits.float(), self.label_kind)
        guess, truth = probability.cpu().numpy(), label.cpu().numpy()
        if self.label_kind == "multiclass":
            return float(_MULTICLASS[self.metric](truth, guess))
        truth = truth.reshape(guess.shape)
        scores = []
        for column_truth, column_guess in zip(truth.T, guess.T):
            known = ~np.isnan(column_truth.astype(float))
            column_truth, column_guess = (
                column_truth[known],
                column_guess[known],
            )
            # As OGB does, a task with a single class in it has no ranking.
            ranked = self.metric in ("roc_auc", "average_precision")
            if len(column_truth) == 0 or (
                ranked and len(np.unique(column_truth)) < 2
            ):
                continue
            scores.append(_SINGLE[self.metric](column_truth, column_guess))
        return float(np.mean(scores)) if scores else float("nan")

    def better(self, score: float, than: float | None) -> bool:
        """Whether ``score`` beats ``than`` (None: nothing yet)."""
        if than is None:
            return True
        return score > than if self.maximize else score < than

    def format(self, score: float) -> str:
        """The score for a person: per cent, except for an error."""
        return f"{score:.4f}" if self.metric == "mae" else f"{score:.2%}"


def conflict(label_kind: str, loss: str, metric: str) -> list[tuple[str, str]]:
    """What in ``loss`` and ``metric`` does not fit labels of this kind."""
    problems = []
    for key, value, fitting in (
        ("loss", loss, _LOSSES_OF[label_kind]),
        ("metric", metric, _METRICS_OF[label_kind]),
    ):
        if value != "auto" and value not in fitting:
            problems.append(
                (
                    f"general_pipeline.{key}",
                    f"{value!r} does not fit {label_kind} labels; "
                    f"use auto or {', '.join(fitting)}",
                )
            )
    return problems


def _ranked(function: Callable) -> Callable:
    def score(truth: np.ndarray, guess: np.ndarray) -> float:
        if guess.shape[1] == 2:
            return function(truth, guess[:, 1])
        classes = range(guess.shape[1])
        one_hot = (truth[:, None] == np.array(classes)).astype(int)
        here = [c for c in classes if 0 < one_hot[:, c].sum() < len(truth)]
        return np.mean([function(one_hot[:, c], guess[:, c]) for c in here])

    return score


_MULTICLASS = {
    "accuracy": lambda y, p: sk.accuracy_score(y, p.argmax(1)),
    "f1_macro": lambda y, p: sk.f1_score(y, p.argmax(1), average="macro"),
    "roc_auc": _ranked(sk.roc_auc_score),
    "average_precision": _ranked(sk.average_precision_score),
}
_SINGLE = {
    "accuracy": lambda y, p: sk.accuracy_score(y, p > 0.5),
    "f1_macro": lambda y, p: sk.f1_score(y, p > 0.5, average="macro"),
    "roc_auc": sk.roc_auc_score,
    "average_precision": sk.average_precision_score,
    "mae": sk.mean_absolute_error,
}
