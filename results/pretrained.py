"""Make a model that ships with the package, and its card.

    python -m results.pretrained FOLDER RECIPE

FOLDER is that of a campaign, or what ``dgl train`` left of one training. Among
the finished runs of the recipe, as it is now and without overrides, the one
with the best validation score is taken; test scores play no part. Its weights
and its recipe become ``dgl_signgt/pretrained/<recipe>.pt``, and what there is
to know about it ``<recipe>.md``.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import dgl_signgt.pretrained
from dgl_signgt.errors import SignGTError
from dgl_signgt.training import (
    Objective,
    TrainedModel,
    as_recipe,
    load_checkpoint,
    load_data,
    score,
)
from dgl_signgt.training.campaign import Job, read_results, run_origin
from dgl_signgt.training.checkpoint import (
    FORMAT,
    read_checkpoint,
    write_atomically,
)
from results.card import make_card
from results.keep import training_lines

__all__ = ["MOST_BYTES", "main", "make_pretrained"]

MOST_BYTES = 1_000_000

# All but the weights that it takes to build the model again.
_ABOUT = (
    "recipe",
    "in_size",
    "num_classes",
    "label_kind",
    "fingerprint",
    "seed",
)


def make_pretrained(
    folder: str | Path, recipe: str | Path, output: str | Path | None = None
) -> Path:
    """Write the checkpoint and the card of the best run of a recipe.

    Parameters
    ----------
    folder : path-like
        The folder of a campaign or of a training.
    recipe : path-like
        A recipe file, or the name of one that comes with the package.
    output : path-like, optional
        Where to write. Default: the package's folder of trained models.

    Returns
    -------
    pathlib.Path
        The checkpoint; the card has the same name with ``.md``.

    Examples
    --------
    >>> make_pretrained("campaigns/embedded", "signgt_nci5k").name
    'signgt_nci5k.pt'
    """
    folder = Path(folder)
    if output is None:
        output = Path(dgl_signgt.pretrained.__file__).parent
    target = Path(output) / f"{Path(recipe).stem}.pt"
    rows = _runs_of(folder, recipe)
    homes = [
        folder if _is_training(folder) else folder / f"runs/{row['key']}/train"
        for row in rows
    ]
    files = [
        home / f"seed_{row['seed']}" / "best.pt"
        for home, row in zip(homes, rows)
    ]
    objective = Objective(
        read_checkpoint(files[0])["label_kind"], metric=rows[0]["metric"]
    )
    sign = 1 if objective.maximize else -1
    # The first of equals, as in a training of several runs.
    best = max(range(len(rows)), key=lambda i: sign * rows[i]["val"])
    content = _strip(read_checkpoint(files[best]))
    if len(content) >= MOST_BYTES:
        raise SignGTError(
            f"{files[best]}: {len(content) / 1e6:.2f} MB without all but "
            f"weights and recipe; a model that ships is smaller than "
            f"{MOST_BYTES / 1e6:g} MB"
        )
    trained, dataset = _check(content, rows[best])
    facts = _facts(
        target.stem, rows, best, trained, run_origin(homes[best]), content
    )
    card = make_card(facts, trained, dataset, objective)
    for path, text in ((target, content), (target.with_suffix(".md"), card)):
        write_atomically(path, text)
        # Temporary files are for their owner alone, packages for everyone.
        path.chmod(0o644)
    return target


def _runs_of(folder: Path, recipe: str | Path) -> list[dict[str, Any]]:
    """The finished runs of exactly this recipe, one a seed."""
    if _is_training(folder):
        lines = training_lines(folder, Path(recipe).stem)
    else:
        lines = read_results(folder / "results.jsonl")
    if not lines:
        missing = (
            "seed that one thread has finished"
            if _is_training(folder)
            else "results.jsonl with results in it"
        )
        raise SignGTError(f"{folder}: no {missing}")
    # A key names all that a recipe decides: rows with overrides, or of an
    # older version of the recipe, have other ones.
    keys = {seed: _key(recipe, seed) for seed in {r["seed"] for r in lines}}
    rows = {
        row["seed"]: row
        for row in lines
        if row["key"] == keys[row["seed"]] and row["status"] == "done"
    }
    if not rows:
        names = sorted({row["recipe"] for row in lines})
        raise SignGTError(
            f"{folder}: no finished run of {recipe} as it is now, without "
            f"overrides; there are runs of {', '.join(names)}"
        )
    return [rows[seed] for seed in sorted(rows)]


def _is_training(folder: Path) -> bool:
    return (folder / "recipe.yaml").exists()


def _key(recipe: str | Path, seed: int) -> str:
    """The key that a campaign gives to the recipe with this seed."""
    one = {"general_pipeline.seed": seed, "general_pipeline.num_runs": 1}
    return Job(as_recipe(recipe, one), Path(recipe).stem, {}, None).key


def _strip(checkpoint: dict[str, Any]) -> bytes:
    content = {"format": FORMAT, **{name: checkpoint[name] for name in _ABOUT}}
    # A copy, since torch saves all of the memory that a view looks at.
    content["model"] = {
        name: (value.float() if value.is_floating_point() else value).clone()
        for name, value in checkpoint["model"].items()
        # Batch norm counts its batches, but with a momentum never uses the
        # number, and sets it to 0 where it is missing.
        if not name.endswith(".num_batches_tracked")
    }
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def _check(content: bytes, row: dict[str, Any]) -> tuple[TrainedModel, Any]:
    """Load what would be shipped; it has to score as its run did."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt"
        path.write_bytes(content)
        trained = load_checkpoint(path)
    dataset = load_data(trained.recipe)
    for part in ("val", "test"):
        found = score(trained, dataset, part)
        if abs(found - row[part]) > 1e-6:
            raise SignGTError(
                f"run {row['key']}: {part} score {found} here, {row[part]} in "
                f"its line; the data or the versions differ"
            )
    return trained, dataset


def _facts(
    name: str,
    rows: Sequence[dict[str, Any]],
    best: int,
    trained: TrainedModel,
    origin: dict[str, Any],
    content: bytes,
) -> dict[str, Any]:
    """The front matter of the card."""
    row = rows[best]
    tests = [row["test"] for row in rows]
    return {
        "name": name,
        "key": row["key"],
        "dataset": row["dataset"],
        "task": trained.recipe.task,
        "metric": row["metric"],
        "seed": row["seed"],
        "split_hash": row["split_hash"],
        "val": row["val"],
        "test": row["test"],
        "seeds": [row["seed"] for row in rows],
        "test_mean": statistics.mean(tests),
        "test_std": statistics.stdev(tests) if len(tests) > 1 else None,
        "best_epoch": row["best_epoch"],
        "num_parameters": row["num_parameters"],
        "num_classes": trained.num_classes,
        "in_size": trained.in_size,
        **origin,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m results.pretrained",
        description="Make a model that ships with the package, and its card.",
    )
    parser.add_argument("folder", help="the folder of a campaign or training")
    parser.add_argument("recipe", help="a shipped recipe's name, or a file")
    parser.add_argument("--output", help="folder (default: the package's)")
    given = parser.parse_args(arguments)
    try:
        path = make_pretrained(given.folder, given.recipe, given.output)
    except SignGTError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{path} and its card, {path.stat().st_size:,} bytes of weights")
    return 0


if __name__ == "__main__":
    sys.exit(main())
