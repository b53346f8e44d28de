"""Search over a recipe's ``search:`` block with Optuna, on validation only."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ..errors import RecipeError, SignGTError
from .checkpoint import write_atomically
from .experiment import as_recipe, load_data, train
from .loop import TrainingError
from .recipe import merge, plain
from .space import Range, parse_space

__all__ = ["search"]


def search(
    recipe: str | os.PathLike | Mapping[str, Any],
    trials: int,
    folder: str | os.PathLike | None = None,
    seed: int = 0,
    **overrides: Any,
) -> dict[str, Any]:
    """Find the options with the best validation score.

    The recipe's own options are the first trial. Trials are kept in a
    journal: called again with the same folder, the search goes on, and
    several processes may share it. A trial that is worse than the median
    of the earlier ones is stopped early. The test score is never looked
    at.

    Parameters
    ----------
    recipe : path-like or mapping
        A recipe with a ``search:`` block.
    trials : int
        The number of finished trials to have in the end, in all.
    folder : path-like, optional
        Where the search is kept. Default: ``search`` in ``save_path``.
    seed : int, optional
        Seed of the sampler. Default: 0.
    **overrides
        Values to replace in the recipe; see :func:`dgl_signgt.train`.

    Returns
    -------
    dict
        The best recipe, as plain values; also written to ``best.yaml``,
        and all trials, one a line, to ``trials.jsonl``.
    """
    try:
        import optuna
        from optuna.storages.journal import JournalFileBackend
    except ImportError as error:
        raise SignGTError(
            "search: optuna is not installed; run: pip install optuna"
        ) from error
    checked = as_recipe(recipe, overrides)
    if not checked.search:
        raise RecipeError(
            "search: the recipe has no search: block; for example "
            "search: {model.num_layers: [1, 2, 3]}"
        )
    space = parse_space(checked.search)
    base = {**plain(checked), "search": None}
    home = Path(folder or Path(checked.general_pipeline.save_path) / "search")
    home.mkdir(parents=True, exist_ok=True)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        study_name=_name(base, checked.search),
        storage=optuna.storages.JournalStorage(
            JournalFileBackend(str(home / "journal.log"))
        ),
        pruner=optuna.pruners.MedianPruner(
            n_startup_trials=5, n_warmup_steps=10
        ),
        direction=_direction(checked),
        load_if_exists=True,
    )
    own = _own(base, space)
    if not study.trials and own:
        study.enqueue_trial(own)
    datasets: dict[str, Any] = {}

    def objective(trial: Any) -> float:
        chosen = {
            key: _suggest(trial, key, values) for key, values in space.items()
        }
        try:
            candidate = as_recipe(merge(base, chosen))
        except RecipeError as error:
            # Options that do not go together, such as heads and width.
            raise optuna.TrialPruned(str(error)) from error

        def report(run: int, record: dict[str, Any]) -> None:
            if run == 0 and "val_score" in record:
                trial.report(record["val_score"], record["epoch"])
                if trial.should_prune():
                    raise optuna.TrialPruned

        # Trials share the data unless their Â^k or their data differ.
        key = json.dumps(
            [plain(candidate)["data"], candidate.model.graph_options()]
        )
        if key not in datasets:
            datasets.clear()
            datasets[key] = load_data(candidate)
        try:
            result = train(
                candidate,
                folder=home / f"trial_{trial.number:04d}",
                dataset=datasets[key],
                on_epoch=report,
                quiet=True,
            )
        except TrainingError as error:
            raise optuna.TrialPruned(str(error)) from error
        return float(np.mean([run["val"] for run in result.runs]))

    def show(study: Any, trial: Any) -> None:
        write_atomically(home / "trials.jsonl", _lines(study))
        value = "stopped" if trial.value is None else f"{trial.value:.4f}"
        best = _best(study)
        print(
            (
                f"trial {trial.number + 1}: validation {value}, best "
                f"{best.value:.4f} {best.params}"
                if best
                else f"trial {trial.number + 1}: {value}"
            ),
            flush=True,
        )

    while sum(trial.state.is_finished() for trial in study.trials) < trials:
        # By the trial's number: a search that goes on, or a second process,
        # would otherwise draw the first trials again.
        waiting = optuna.trial.TrialState.WAITING
        number = sum(trial.state != waiting for trial in study.trials)
        own_seed = (seed * 10_000 + number) % 2**32
        study.sampler = optuna.samplers.TPESampler(seed=own_seed)
        study.optimize(objective, n_trials=1, callbacks=[show])
    best = _best(study)
    if best is None:
        raise SignGTError(f"search: no trial in {home} has finished")
    found = plain(as_recipe(merge(base, best.params)))
    found.pop("search")
    path = home / "best.yaml"
    write_atomically(path, yaml.safe_dump(found, sort_keys=False))
    print(f"best validation {best.value:.4f}; recipe in {path}")
    return found


def _own(
    base: Mapping[str, Any], space: Mapping[str, list[Any] | Range]
) -> dict[str, Any]:
    """The recipe's own values of the keys that are searched."""
    own = {}
    for key, values in space.items():
        value: Any = base
        for part in key.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(values, Range):
            inside = isinstance(value, (int, float)) and (
                values.low <= value <= values.high
            )
        else:
            inside = value in values
        if inside:
            own[key] = value
    return own


def _lines(study: Any) -> str:
    """The trials so far as JSON lines; only what the search itself saw."""
    rows = (
        {
            "trial": trial.number,
            "state": trial.state.name.lower(),
            "val": trial.value,
            "epochs": max(trial.intermediate_values, default=None),
            "seconds": trial.duration
            and round(trial.duration.total_seconds(), 1),
            "options": trial.params,
        }
        for trial in study.trials
        if trial.state.is_finished()
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def _suggest(trial: Any, key: str, values: list[Any] | Range) -> Any:
    if isinstance(values, Range):
        return trial.suggest_float(key, values.low, values.high, log=values.log)
    return trial.suggest_categorical(key, values)


def _best(study: Any) -> Any:
    """The best finished trial, None where there is none."""
    try:
        return study.best_trial
    except ValueError:
        return None


def _direction(recipe: Any) -> str:
    errors = recipe.general_pipeline.metric == "mae" or (
        recipe.general_pipeline.loss in ("L1Loss", "MSELoss")
    )
    return "minimize" if errors else "maximize"


def _name(base: dict[str, Any], space: dict[str, Any]) -> str:
    """One study for one recipe and space; another one gets its own."""
    import hashlib

    text = json.dumps([base, space], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{base['data']['name']}-{digest}"
