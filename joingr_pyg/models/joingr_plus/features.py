"""The features of JoinGR+: every number that a table has for a question, in one list.

Tensors, compiled code, training and explanations all read this list. To add a feature, add one member to
:class:`Feature`, with a ``compute`` function and the places that use it::

    COLUMNS = FeatureSpec(
        "Logarithm of the table's number of columns.",
        compute=lambda queries, corpus: corpus.column_ptr.diff().log().expand(len(queries), -1),
        rerank=(Scale(mean=1.8, deviation=0.7),),
    )

It then has a column in the reranker's input. With ``term="columns", initial_weight=0.1, reason="it has many columns"``
it also is a term of the prior with a weight that is learned, and explanations name it; with ``walk=1.0`` the walk's
edge scores read it. A model with one more feature has other weights: checkpoints of the model before do not fit it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import exp
from typing import Any

from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries

COSINE_SCALE = 10.0
"""Factor that brings cosines and votes to the order of one, so that one learning rate suits all inputs of the walk."""

EPSILON = exp(-4)
"""Constant added to the deposits of the walk before their logarithm, so that tables without deposits have a score."""

ALL_NAMED_FROM = 0.999
"""Share of a name from which all of it counts as said: shares are sums of rounded numbers."""


@dataclass(frozen=True)
class Scale:
    """How the reranker standardises a feature: ``(value - mean) / deviation``.

    Attributes:
        mean: Mean over candidates on BIRD train.
        deviation: Standard deviation there. Both are guesses for votes, which BIRD train has none of, and for phrases.
        behind_best: Whether the value is the difference to the best of all tables, which is 0 or below.
    """

    mean: float
    deviation: float
    behind_best: bool = False


@dataclass(frozen=True, eq=False)
class FeatureSpec:
    """What a feature means and where it is used.

    Attributes:
        meaning: What the number says, in one sentence.
        rerank: Inputs of the reranker that are made of it.
        term: Term of the prior that it belongs to; empty if the prior does not use it.
        option: Name of the term's weight in :class:`~joingr_pyg.models.joingr_plus.TablePrior` and of the model's
            argument that sets it; by default the name of the term.
        initial_weight: Initial weight of the term; ``None`` where the weights of two features sum to one.
        context: Weight in the whole-question score that phrases use as context (see
            :func:`~joingr_pyg.models.phrase_matches.phrase_choices`). It is fixed.
        walk: Factor as an input of the walk's edge scores, at the table that an edge leads to; 0 leaves it out.
        reason: Clause of an explanation; may name ``{column}``, ``{cosine}``, ``{words}`` and ``{phrase}``.
        in_evidence: Whether it depends on the question and the corpus alone, so that it is computed once.
        compute: ``[B, T]`` values for ``B`` questions and the ``T`` tables of a corpus, for a feature that no part of
            the model computes already.
    """

    meaning: str
    rerank: tuple[Scale, ...] = ()
    term: str = ""
    option: str = ""
    initial_weight: float | None = None
    context: float = 0.0
    walk: float = 0.0
    reason: str = ""
    in_evidence: bool = True
    compute: Callable[[Queries, Corpus], Tensor] | None = None


class Feature(Enum):
    """A feature; where all features lie in one array, they lie in this order, which is that of the reranker's input."""

    SCORE = FeatureSpec(
        "Fused score of walk and prior.",
        rerank=(Scale(-4.7, 2.4, behind_best=True),),
        in_evidence=False,
    )
    WALK = FeatureSpec(
        "Logarithm of the deposits that the walk left at the table, plus a small constant.",
        rerank=(Scale(-2.9, 1.1),),
        in_evidence=False,
    )
    PRIOR = FeatureSpec(
        "Weighted sum of the features with a term: how likely the question needs the table, before any walk.",
        rerank=(Scale(-0.6, 0.35, behind_best=True),),
        in_evidence=False,
    )
    SIMILARITY = FeatureSpec(
        "Cosine of the question and the table's most similar column.",
        rerank=(Scale(-0.19, 0.11, behind_best=True),),
        term="similarity",
        context=0.7,
        walk=COSINE_SCALE,
        reason="column {column} resembles the question (cosine {cosine:.2f})",
    )
    TABLE_SIMILARITY = FeatureSpec(
        "Cosine of the question and the table's own text.",
        rerank=(Scale(-0.19, 0.11, behind_best=True),),
        term="similarity",
        context=0.3,
    )
    WORDS = FeatureSpec(
        "BM25 score of the question's words in the table's text, scaled to the order of cosines.",
        rerank=(Scale(-1.4, 0.85, behind_best=True), Scale(0.7, 0.55)),
        term="words",
        option="lexical",
        initial_weight=0.3,
        context=0.3,
        walk=1.0,
        reason="shares {words} with the question",
    )
    VOTES = FeatureSpec(
        "Votes of remembered questions for the table, from 0 to 1.",
        rerank=(Scale(0.1, 0.2),),
        term="votes",
        option="memory",
        initial_weight=0.5,
        walk=COSINE_SCALE,
        reason="similar answered questions needed it",
        in_evidence=False,
    )
    PHRASE = FeatureSpec(
        "Probability that the phrase which points at the table most surely gives it, among all tables.",
        rerank=(Scale(0.1, 0.2),),
        term="phrases",
        option="phrases",
        initial_weight=0.2,
        reason="matches {phrase!r}",
    )
    PHRASE_WITHIN = FeatureSpec(
        "The same probability among the tables of its database.",
        rerank=(Scale(0.3, 0.3), Scale(0.0, 0.3, behind_best=True)),
    )
    PHRASE_SHARE = FeatureSpec(
        "Mean over the question's phrases of the probability among the tables of its database.",
        rerank=(Scale(0.1, 0.15),),
    )
    DATABASE_SHARE = FeatureSpec(
        "Share of the softmax over all scores that falls on the table's database.",
        rerank=(Scale(0.25, 0.33),),
        in_evidence=False,
    )
    NAMED = FeatureSpec(
        "Share of the table's name that the question says, from 0 to 1, words weighted by rarity.",
        rerank=(Scale(0.2, 0.36),),
    )
    ALL_NAMED = FeatureSpec(
        "Whether the question says all of the table's name, 1 or 0.",
        rerank=(Scale(0.15, 0.36),),
        in_evidence=False,
    )
    COVERED = FeatureSpec(
        "Share of the question's words that the table's text holds, from 0 to 1, words weighted by rarity.",
        rerank=(Scale(0.2, 0.18),),
    )

    __hash__ = object.__hash__  # Faster than the hash of the name, and many dictionaries have features as keys.

    @property
    def row(self) -> int:
        """Its place in an array of all features."""
        return ROWS[self]

    @property
    def option(self) -> str:
        """Name of its weight in the prior."""
        return self.value.option or self.value.term

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        # By name, because the functions in its value cannot be pickled.
        return getattr, (Feature, self.name)


FEATURES = tuple(Feature)
IN_EVIDENCE = tuple(feature for feature in FEATURES if feature.value.in_evidence)
ROWS = {feature: row for row, feature in enumerate(FEATURES)}

EXPLAINED = tuple(feature for feature in FEATURES if feature.name not in ("SCORE", "DATABASE_SHARE", "ALL_NAMED"))
"""The features that explanations give; the others are made of scores on the way to the final one."""

RERANK_INPUTS = tuple((feature, scale) for feature in FEATURES for scale in feature.value.rerank)
"""The reranker's input, number by number."""

WALK_INPUTS = {feature: feature.value.walk for feature in FEATURES if feature.value.walk}
"""What edge scores read of the table that an edge leads to, with its factor; the log degree comes last."""

CONTEXT = {feature: feature.value.context for feature in FEATURES if feature.value.context}
"""Weights of the whole-question score that phrases use as context."""

WEIGHTED = tuple(feature for feature in FEATURES if feature.value.initial_weight is not None)
"""The features that have a weight of their own in the prior."""

COMPUTED = {feature: feature.value.compute for feature in FEATURES if feature.value.compute is not None}
"""The features that bring a function of their own."""

REASONS = {feature.value.term: feature.value.reason for feature in FEATURES if feature.value.reason}
"""For each term of the prior, the clause of an explanation."""
