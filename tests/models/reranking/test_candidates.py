"""Hand-worked candidates: t0 - t1 - t2 are joined, t3 is not."""

from collections.abc import Callable

import numpy as np
import pytest

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.joingr_plus import Feature
from joingr_pyg.models.reranking.candidates import FAR, Candidates, CandidateTables
from joingr_pyg.models.reranking.features import FEATURES, FORMS, NAMES, candidate_features


@pytest.fixture(scope="module")
def tables(make_corpus: Callable[..., Corpus]) -> CandidateTables:
    one, other = [1.0, 0.0], [0.0, 1.0]
    vectors = [[one, other], [one, [0.6, 0.8], [0.8, 0.6], other], [other], [[0.6, 0.8]]]
    return CandidateTables(make_corpus(vectors, [(1, 2), (5, 6), (4, 6)], [0.5, 1.0, 0.8]))


@pytest.fixture(scope="module")
def candidates(tables: CandidateTables) -> Candidates:
    table = np.array([2, 0, 1, 3])
    features = {feature: np.linspace(1, 0, 4, dtype=np.float32) for feature in Feature}
    question = np.array([1.0, 0.0], np.float32)
    return Candidates(tables, table, features, "which t1", ["t1"], question, np.array([[0.0, 1.0]], np.float32))


def test_joins_of_tables(tables: CandidateTables) -> None:
    # t0 references t1, and t1 twice t2: the surer join counts.
    assert tables.referencing.tolist() == [1, 1, 0, 0]
    assert tables.referenced.tolist() == [0, 1, 1, 0]
    assert tables.degree.tolist() == [1, 2, 1, 0]
    np.testing.assert_allclose(tables.weighted_degree, [0.5, 1.5, 1.0, 0])
    np.testing.assert_allclose(tables.key_share, [1 / 2, 2 / 4, 0, 0])


def test_joins_among_candidates(candidates: Candidates) -> None:
    expected = np.zeros((4, 4))
    expected[1, 2], expected[2, 0] = 0.5, 1.0
    np.testing.assert_allclose(candidates.references, expected)
    np.testing.assert_allclose(candidates.joined, expected + expected.T)
    assert candidates.distance.tolist() == [[0, 2, 1, FAR], [2, 0, 1, FAR], [1, 1, 0, FAR], [FAR, FAR, FAR, 0]]


def test_cosines(candidates: Candidates) -> None:
    np.testing.assert_allclose(candidates.best_columns, [0, 0.5, (1 + 0.8 + 0.6) / 3, 0.6], atol=1e-6)
    expected = candidates.tables.corpus.summary_x[[2, 0, 1, 3]]
    np.testing.assert_allclose(candidates.summary_similarity, expected[:, 0], atol=1e-6)
    np.testing.assert_allclose(candidates.phrase_similarity, expected[:, 1][None], atol=1e-6)


def test_numbers_have_names_and_are_finite(candidates: Candidates) -> None:
    numbers = candidate_features(candidates)
    assert numbers.shape == (4, len(NAMES))
    assert len(set(NAMES)) == len(NAMES)
    assert np.isfinite(numbers).all()
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    np.testing.assert_allclose(numbers[:, NAMES.index("said_share (value)")], [0, 0, 1, 0])


def test_forms() -> None:
    value = np.array([1.0, 3.0, 3.0, 2.0])
    assert FORMS["behind"](value).tolist() == [-2, 0, 0, -1]
    np.testing.assert_allclose(FORMS["standard"](value).mean(), 0, atol=1e-6)
    np.testing.assert_allclose(FORMS["standard"](value).std(), 1, atol=1e-4)
    # Equal values keep their order.
    np.testing.assert_allclose(FORMS["place"](value), np.log([4, 1, 2, 3]), atol=1e-6)


def test_a_question_without_phrases(tables: CandidateTables) -> None:
    features = {feature: np.zeros(1, np.float32) for feature in Feature}
    alone = Candidates(tables, np.array([3]), features, "?", [], np.array([1.0, 0.0], np.float32), np.zeros((0, 2)))
    assert np.isfinite(candidate_features(alone)).all()
