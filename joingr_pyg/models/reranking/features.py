"""What the reranker reads of a candidate: one list, as :mod:`joingr_pyg.models.joingr_plus.features` is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.models.joingr_plus.features import Feature
from joingr_pyg.models.reranking.candidates import Candidates

Array = NDArray[Any]

PHRASE_SHARPNESS = 20.0
"""Factor of similarities in a phrase's softmax over summaries."""

CONTEXT_WEIGHT = 5.0
"""Factor of the whole question's similarity there."""


@dataclass(frozen=True)
class CandidateFeature:
    """A number of a candidate, and the forms in which the reranker reads it.

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


def _phrase_choices(candidates: Candidates, sharpness: float, context: float) -> Array:
    """``[S, C]`` probability with which each phrase chooses each summary."""
    whole = context * candidates.summary_similarity
    return _softmax(sharpness * candidates.phrase_similarity + whole)


def _softmax(values: Array) -> Array:
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


FEATURES = (
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
        lambda c: _phrase_choices(c, PHRASE_SHARPNESS, CONTEXT_WEIGHT).max(axis=0),
        ("value", "behind", "standard", "place"),
    ),
    CandidateFeature(
        "summary_phrase_share", lambda c: _phrase_choices(c, PHRASE_SHARPNESS, CONTEXT_WEIGHT).mean(axis=0)
    ),
    CandidateFeature("summary_phrase_alone", lambda c: _phrase_choices(c, 1.5 * PHRASE_SHARPNESS, 0.0).max(axis=0)),
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
    CandidateFeature("name_length", lambda c: c.tables.names.length[c.table]),
    CandidateFeature("rarest_word", lambda c: c.tables.names.rarest[c.table]),
    CandidateFeature("commonest_word", lambda c: c.tables.names.commonest[c.table]),
    CandidateFeature("satellites", lambda c: np.log1p(c.tables.names.satellites[c.table])),
    CandidateFeature("is_satellite", lambda c: c.tables.names.base[c.table] >= 0),
    CandidateFeature("has_name", lambda c: c.tables.has_name[c.table]),
    CandidateFeature("names_base", lambda c: c.tables.names_base[c.table]),
    CandidateFeature("columns_of_base", lambda c: c.tables.columns_of_base[c.table]),
    CandidateFeature("columns", lambda c: np.log1p(c.tables.num_columns[c.table])),
    CandidateFeature("referenced", lambda c: np.log1p(c.tables.referenced[c.table])),
    CandidateFeature("referencing", lambda c: np.log1p(c.tables.referencing[c.table])),
    CandidateFeature("degree", lambda c: np.log1p(c.tables.degree[c.table])),
    CandidateFeature("key_share", lambda c: c.tables.key_share[c.table]),
    CandidateFeature("question_words", lambda c: np.full(len(c.table), len(c.question_words))),
    CandidateFeature("database_size", lambda c: np.log(c.tables.names.database_size[c.table])),
)
"""The features of a candidate by itself."""

FORMS: dict[str, Callable[[Array], Array]] = {
    "value": lambda value: value,
    "behind": lambda value: value - value.max(),
    "standard": lambda value: (value - value.mean()) / (value.std() + 1e-6),
    "place": lambda value: np.log1p(_places(value)),
}

NAMES = tuple(f"{feature.name} ({form})" for feature in FEATURES for form in feature.forms)
"""Names of the numbers of :func:`candidate_features`."""


def candidate_features(candidates: Candidates) -> Array:
    """``[C, M]`` numbers of each candidate by itself, named by :data:`NAMES`."""
    columns = []
    for feature in FEATURES:
        value = feature.compute(candidates).astype(np.float32)
        columns += [FORMS[form](value) for form in feature.forms]
    return np.stack(columns, axis=1)


def _places(value: Array) -> Array:
    place = np.empty(len(value), np.float32)
    place[np.argsort(-value, kind="stable")] = np.arange(len(value))
    return place
