"""Hand-worked numbers of two phrases and three candidates."""

from types import SimpleNamespace

import numpy as np
import pytest

from joingr_pyg.models.reranking.phrase_features import NAMES, phrase_features

SIMILARITY = np.array([[0.7, 0.5, 0.2], [0.1, 0.2, 0.6]])

P = np.array([0.5, 1.0, 0.1])


@pytest.fixture
def numbers() -> dict[str, list[float]]:
    candidates = SimpleNamespace(phrase_similarity=SIMILARITY, summary_similarity=np.zeros(3))
    rows = phrase_features(candidates, P)  # type: ignore[arg-type]
    return dict(zip(NAMES, rows.T.tolist(), strict=True))


def test_phrases_are_shared_by_probability_and_choice(numbers: dict[str, list[float]]) -> None:
    for sharpness, name in ((20, ""), (30, " alone")):
        share = P * np.exp(sharpness * SIMILARITY)
        share /= share.sum(axis=1, keepdims=True)
        assert numbers[f"best share of a phrase{name}"] == pytest.approx(share.max(axis=0), rel=1e-5)
        assert numbers[f"share of phrases{name}"] == pytest.approx(share.sum(axis=0), rel=1e-5)


def test_gain_is_what_no_other_candidate_explains(numbers: dict[str, list[float]]) -> None:
    # Above 0.2 the first phrase has .5, .3, 0, weighted .25, .3, 0; the second 0, 0, .4, weighted 0, 0, .04.
    assert numbers["best gain"] == pytest.approx([0.5 - 0.3, 0.3 - 0.25, 0.4], abs=1e-6)
    assert numbers["sum of gains"] == pytest.approx([0.2, 0.05, 0.4], abs=1e-6)
