"""Options that are each valid but do not go together."""

from __future__ import annotations

from typing import Any

__all__ = ["conflicts"]


def conflicts(recipe: Any) -> list[tuple[str, str]]:
    """What does not fit in a recipe whose single values are all valid.

    Parameters
    ----------
    recipe : Recipe or ApplyRecipe
        The recipe.

    Returns
    -------
    list of (str, str)
        Each conflict's path in the YAML and what is wrong.
    """
    if recipe.pipeline_mode == "apply":
        return []
    found: list[tuple[str, str]] = []
    add = lambda path, text: found.append((path, text))  # noqa: E731
    _general(recipe, add)
    _data(recipe, add)
    model = recipe.model
    num_heads = getattr(model, "num_heads", 1)
    attends = getattr(model, "attention", None) != "none"
    if attends and model.hidden_size % num_heads:
        add(
            "model.num_heads",
            f"{num_heads} heads do not divide "
            f"hidden_size {model.hidden_size}",
        )
    if recipe.search is not None and not found:
        from .space import check_space

        found += check_space(recipe)
    return found


def _general(recipe: Any, add: Any) -> None:
    from .metrics import conflict

    cfg = recipe.general_pipeline
    here = "general_pipeline"
    if cfg.warmup_epochs > cfg.num_epochs:
        add(
            f"{here}.warmup_epochs",
            f"{cfg.warmup_epochs} is more than num_epochs {cfg.num_epochs}",
        )
    if cfg.eval_period > cfg.num_epochs:
        add(
            f"{here}.eval_period",
            f"{cfg.eval_period} is more than num_epochs {cfg.num_epochs}",
        )
    if cfg.amp == "float16" and recipe.device == "cpu":
        add(f"{here}.amp", "float16 needs a GPU; use bfloat16 on the CPU")
    optimizer = cfg.optimizer
    if (
        optimizer.name == "SGD"
        and optimizer.nesterov
        and not optimizer.momentum
    ):
        add(f"{here}.optimizer.nesterov", "needs momentum above 0")
    label_kind = _label_kind(recipe)
    if label_kind is None:
        return
    for path, text in conflict(label_kind, cfg.loss, cfg.metric):
        add(path, text)
    if label_kind == "regression" and cfg.class_weights != "none":
        add(f"{here}.class_weights", "has no meaning for regression")


def _label_kind(recipe: Any) -> str | None:
    from ..data import dataset_spec

    spec = dataset_spec(recipe.data.name)
    # The paper's sets and ours are; of other people's we know after loading.
    known = spec.paper is not None or spec.origin == "embedded"
    return "multiclass" if known else None


def _data(recipe: Any, add: Any) -> None:
    data = recipe.data
    if data.split_ratio is not None:
        if abs(sum(data.split_ratio) - 1) > 1e-6:
            add(
                "data.split_ratio",
                f"the shares add up to {sum(data.split_ratio):g}, not to 1",
            )
        if data.split in ("public", "kfold"):
            add(
                "data.split_ratio",
                f"has no meaning for the split {data.split!r}",
            )
    if data.split_fold is not None and data.split not in ("public", "kfold"):
        add(
            "data.split_fold", "has a meaning only for the splits public, kfold"
        )
    if data.split == "kfold" and (data.split_fold or 0) >= data.num_folds:
        add(
            "data.split_fold",
            f"must be less than num_folds {data.num_folds}",
        )
