"""What the reranker reads of a candidate by itself: one list, as :mod:`joingr_pyg.models.joingr_plus.features` is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.models.joingr_plus.features import Feature
from joingr_pyg.models.reranking.candidate_tables import TABLE_FEATURES
from joingr_pyg.models.reranking.candidates import Candidates

Array = NDArray[Any]

PHRASE_SHARPNESS = 20.0
"""Factor of similarities in a phrase's softmax over summaries."""

CONTEXT_WEIGHT = 5.0
"""Factor of the whole question's similarity there."""


@dataclass(frozen=True)
class CandidateFeature:
    """A number of a candidate for a question, and the forms in which the reranker reads it.

    Attributes:
        name: Its name.
        compute: ``[C]`` values for the candidates of a question.
        forms: ``"value"``, the number itself; ``"behind"``, its difference to the best candidate; ``"standard"``, its
            distance to the mean of the candidates in standard deviations; ``"place"``, the logarithm of one plus its
            place among the candidates.
    """

    name: str
    compute: Callable[[Candidates], Array]
    forms: tuple[str, ...] = ("value",)


def _of_joingr_plus(feature: Feature, *forms: str) -> CandidateFeature:
    return CandidateFeature(feature.name.lower(), lambda candidates: candidates.features[feature], forms)


def phrase_choices(candidates: Candidates, sharpness: float, context: float) -> Array:
    """``[S, C]`` probability with which each phrase chooses each summary."""
    whole = context * candidates.summary_similarity
    return _softmax(sharpness * candidates.phrase_similarity + whole)


def _softmax(values: Array) -> Array:
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


QUESTION_FEATURES = (
    _of_joingr_plus(Feature.SCORE, "behind", "standard", "place"),
    _of_joingr_plus(Feature.WALK, "value", "behind", "standard"),
    _of_joingr_plus(Feature.PRIOR, "behind", "standard", "place"),
    _of_joingr_plus(Feature.SIMILARITY, "behind", "standard", "place"),
    _of_joingr_plus(Feature.TABLE_SIMILARITY, "behind", "standard", "place"),
    _of_joingr_plus(Feature.WORDS, "value", "behind", "standard", "place"),
    _of_joingr_plus(Feature.PHRASE, "value"),
    _of_joingr_plus(Feature.PHRASE_WITHIN, "value"),
    _of_joingr_plus(Feature.PHRASE_SHARE, "value"),
    CandidateFeature("summary", lambda c: c.summary_similarity, ("behind", "standard", "place")),
    CandidateFeature("best_columns", lambda c: c.best_columns, ("behind", "standard")),
    CandidateFeature(
        "summary_phrase",
        lambda c: phrase_choices(c, PHRASE_SHARPNESS, CONTEXT_WEIGHT).max(axis=0),
        ("value", "behind", "standard", "place"),
    ),
    CandidateFeature(
        "summary_phrase_share", lambda c: phrase_choices(c, PHRASE_SHARPNESS, CONTEXT_WEIGHT).mean(axis=0)
    ),
    CandidateFeature("summary_phrase_alone", lambda c: phrase_choices(c, 1.5 * PHRASE_SHARPNESS, 0.0).max(axis=0)),
    CandidateFeature("summary_phrase_cosine", lambda c: c.phrase_similarity.max(axis=0), ("behind", "standard")),
    CandidateFeature("name_words", lambda c: c.tables.name_words.postings.of(c.words, c.table), ("behind", "standard")),
    CandidateFeature(
        "summary_words", lambda c: c.tables.summary_words.postings.of(c.words, c.table), ("behind", "standard")
    ),
    CandidateFeature("said", lambda c: c.said[0]),
    CandidateFeature("unsaid", lambda c: c.said[1]),
    CandidateFeature("unsaid_words", lambda c: c.said[2]),
    CandidateFeature("said_share", lambda c: c.said[0] / np.maximum(c.said[0] + c.said[1], 1e-6)),
    CandidateFeature("says_copy", lambda c: c.said[3]),
    CandidateFeature("is_unsaid_copy", lambda c: c.tables.names.is_copy[c.table] * (1 - c.said[3])),
    CandidateFeature("question_words", lambda c: np.full(len(c.table), len(c.question_words))),
)
"""The features of a candidate for a question."""

FORMS: dict[str, Callable[[Array], Array]] = {
    "value": lambda values: values,
    "behind": lambda values: values - values.max(axis=0),
    "standard": lambda values: (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-6),
    "place": lambda values: np.log1p(_places(values)),
}
"""What the forms of a feature make of values ``[C, F]`` of several ones."""

_IN_FORM = {form: [place for place, own in enumerate(QUESTION_FEATURES) if form in own.forms] for form in FORMS}

NAMES = (
    *(f"{QUESTION_FEATURES[place].name} ({form})" for form, places in _IN_FORM.items() for place in places),
    *TABLE_FEATURES,
)
"""Names of the numbers of :func:`candidate_features`."""


def candidate_features(candidates: Candidates) -> Array:
    """``[C, M]`` numbers of each candidate by itself, named by :data:`NAMES`."""
    values = np.empty((len(candidates.table), len(QUESTION_FEATURES)), np.float32)
    for place, feature in enumerate(QUESTION_FEATURES):
        values[:, place] = feature.compute(candidates)
    forms = [FORMS[form](values[:, places]) for form, places in _IN_FORM.items()]
    return np.concatenate([*forms, candidates.tables.features[candidates.table]], axis=1)


def _places(values: Array) -> Array:
    """``[C, F]`` place of each candidate by each feature, the largest value first."""
    order = np.argsort(-values, axis=0, kind="stable")
    places = np.empty_like(values)
    np.put_along_axis(places, order, np.arange(len(values), dtype=np.float32)[:, None], axis=0)
    return places
