"""Whether a question is one that the schemas can answer at all.

A ranking has a first table for every question, also for one about the weather. A logistic regression tells from what
the first tables of a ranking have in common with the question how probable it is that both are about the same matter.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import exp

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.explanation import TableExplanation
from joingr_pyg.text.tokens import distinct_words, words

LOOKED_AT = 5
"""How many of the first tables are looked at, whatever number of tables is asked for."""

LEAST_FIT = 0.2
"""Probability below which nothing in the schemas seems to fit a question; it refuses about one answerable question in
twenty on schemas that the fit had not seen."""


@dataclass(frozen=True)
class FitModel:
    """A logistic regression of whether a question fits the schemas that it is asked of.

    Args:
        encoder: Identity of the encoder whose cosines it was fitted to.
        intercept: Log-odds where all evidence is 0.
        weights: Weights of the evidence, in its order.
    """

    encoder: str
    intercept: float
    weights: tuple[float, ...]

    @classmethod
    @cache
    def fitted(cls) -> "FitModel":
        """The model that comes with the package; ``benchmarks/fit_answerable.py`` makes it again."""
        saved = json.loads((files("joingr_pyg.retrieval") / "fit_weights.json").read_text(encoding="utf-8"))
        return cls(saved["encoder"], saved["intercept"], tuple(saved["weights"].values()))

    def probability(self, evidence: Sequence[float]) -> float:
        """Probability that a question fits, where as many do as do not."""
        odds = sum(weight * value for weight, value in zip(self.weights, evidence, strict=True))
        return 1 / (1 + exp(-self.intercept - odds))


EVIDENCE = ("similarity", "covered")
"""The names of what :func:`evidence` returns."""


def evidence(corpus: Corpus, question: str, first: Sequence[TableExplanation]) -> tuple[float, float]:
    """What a question has in common with the first tables of its ranking.

    Args:
        corpus: The tables.
        question: The question.
        first: The first tables, :data:`LOOKED_AT` or all that there are.

    Returns:
        The best cosine of the question and one of their columns, and the share of the question's words that their texts
        hold.
    """
    said = distinct_words(question)
    held = frozenset[str]().union(*(_words(corpus.documents[table.table]) for table in first))
    similarity = max((table.similarity for table in first), default=0.0)
    return similarity, len(held.intersection(said)) / max(1, len(said))


@lru_cache(maxsize=1 << 12)  # The same tables are found again and again.
def _words(document: str) -> frozenset[str]:
    return frozenset(words(document))
