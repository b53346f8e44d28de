"""How far scores hang on the way a processor rounds.

    ONEDNN_MAX_CPU_ISA=AVX512_CORE python -m results.rounding

trains a recipe in mixed precision, seed by seed, without the instructions that
the variable forbids oneDNN to use, and keeps the scores in
``results/rounding.json``. The products are the same ones, rounded at other
places.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from typing import Any

from dgl_signgt.training import as_recipe, train
from dgl_signgt.training.campaign import Job
from dgl_signgt.training.checkpoint import write_atomically
from dgl_signgt.training.folder import environment
from dgl_signgt.training.schema import Recipe
from results.compared import plain_runs
from results.runs import FOLDER
from results.tables import markdown_table

__all__ = ["KEPT", "rounding_key", "rounding_scores", "rounding_section"]

KEPT = FOLDER / "rounding.json"
_DATA = "chameleon"
_SEEDS = 10
_LIMIT = "ONEDNN_MAX_CPU_ISA"
# With AVX-512 oneDNN makes up for the instructions; up to AVX2 it has no
# products in bfloat16 and the attention takes those of float32.
_KINDS = {
    "AVX512_CORE": "bfloat16 products emulated",
    "AVX2": "without bfloat16 products in the attention",
}

_WORDS = """\
## What the rounding does

Chameleon's recipe trains in mixed precision, as do most of those of the node
sets. How a product in bfloat16 is rounded on its way is the processor's affair.
Here are the seeds of the table with less of the same processor
(`ONEDNN_MAX_CPU_ISA=… python -m results.rounding`); *by seed* is the mean of
the differences to the table's runs, without their signs. On one processor runs
are the same digit by digit. Newer lines of results name theirs; some of those
that do not are of another. Chameleon's recipe of before (below) had 73.36 there
(`results/nodes.jsonl` before commit 1fe7a44) and 72.99 when it was made again;
the package of that day gives the later numbers here (seen on one seed). Where a
processor itself has no instructions for bfloat16, the attention's products are
now those of float32: lines whose instructions are `avx2` and `avx512f` alone
are of such a one.
"""


def _recipe(**changes: Any) -> Recipe:
    return as_recipe(
        f"signgt_{_DATA}",
        {
            "general_pipeline.seed": 0,
            "general_pipeline.num_runs": _SEEDS,
            **changes,
        },
    )


def rounding_key() -> str:
    """A name of what is trained, as the recipe is now."""
    return Job(_recipe(), _DATA, {}, None).key


def rounding_scores() -> list[float]:
    """Test accuracy for each seed, with one thread as in the table."""
    recipe = _recipe(**{"general_pipeline.num_threads": 1})
    with tempfile.TemporaryDirectory() as folder:
        trained = train(recipe, folder=os.path.join(folder, "run"))
    return trained.scores


def rounding_section(runs: list[dict[str, Any]]) -> str:
    """The kept scores beside those of the table.

    Parameters
    ----------
    runs : list of dict
        All kept runs.

    Returns
    -------
    str
        The section; empty where the table lacks one of the seeds.
    """
    own = {row["seed"]: row["test"] for row in plain_runs(_DATA, runs)}
    kept = _kept()
    if not kept["scores"] or not own.keys() >= {*range(_SEEDS)}:
        return ""
    table = [own[seed] for seed in range(_SEEDS)]
    rows = [("as in the table", _words(table), "—")]
    for name, scores in kept["scores"].items():
        apart = [abs(x - y) for x, y in zip(scores, table, strict=True)]
        mean = 100 * statistics.mean(apart)
        rows.append((_KINDS[name], _words(scores), f"{mean:.2f}"))
    head = ("processor", _DATA, "by seed")
    return f"{_WORDS}\n{markdown_table(head, rows)}"


def _words(scores: list[float]) -> str:
    mean, std = statistics.mean(scores), statistics.stdev(scores)
    return f"{100 * mean:.2f} ± {100 * std:.2f}"


def _kept() -> dict[str, Any]:
    """What is kept; nothing of another recipe."""
    key = rounding_key()
    found = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return found if found.get("key") == key else {"key": key, "scores": {}}


def _keep(limit: str, scores: list[float]) -> None:
    """Add to what is kept of this recipe and this processor."""
    found = _kept()
    processor = environment("cpu")["machine"]["processor"]
    if found.setdefault("processor", processor) != processor:
        found |= {"processor": processor, "scores": {}}
    found["scores"][limit] = scores
    write_atomically(KEPT, json.dumps(found, indent=1) + "\n")
    KEPT.chmod(0o644)


if __name__ == "__main__":
    given = os.environ.get(_LIMIT)
    if given not in _KINDS:
        sys.exit(f"{_LIMIT}: must be one of {', '.join(_KINDS)}, got {given}")
    _keep(given, rounding_scores())
