"""Hand-worked candidates: t0 - t1 - t2 are joined, t3 is not."""

from collections.abc import Callable

import numpy as np
import pytest

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.joingr_plus import Feature
from joingr_pyg.models.reranking.candidate_tables import TABLE_FEATURES, CandidateTables
from joingr_pyg.models.reranking.candidates import FAR, Candidates
from joingr_pyg.models.reranking.features import FORMS, NAMES, QUESTION_FEATURES, candidate_features


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


def test_features_that_are_the_same_for_all_questions(tables: CandidateTables) -> None:
    columns, degree = (tables.features[:, list(TABLE_FEATURES).index(name)] for name in ("columns", "degree"))
    np.testing.assert_allclose(columns, np.log([3, 5, 2, 2]), rtol=1e-6)
    np.testing.assert_allclose(degree, np.log([2, 3, 2, 1]), rtol=1e-6)


def test_shares_of_steps(candidates: Candidates) -> None:
    # t0 has joins of 0.5, t1 of 0.5 + 1, t2 of 1; candidates are t2, t0, t1, t3.
    share = np.zeros((4, 4))
    share[1, 2], share[2, 1], share[2, 0], share[0, 2] = 1, 1 / 3, 2 / 3, 1
    np.testing.assert_allclose(candidates.share, share, atol=1e-6)
    np.testing.assert_allclose(candidates.symmetric_share, np.sqrt(share * share.T), atol=1e-6)


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
    assert len({feature.name for feature in QUESTION_FEATURES}) == len(QUESTION_FEATURES)
    np.testing.assert_allclose(numbers[:, NAMES.index("said_share (value)")], [0, 0, 1, 0])


def test_forms() -> None:
    values = np.array([[1.0, 3.0, 3.0, 2.0], [0, 0, 1, 0]]).T
    assert FORMS["behind"](values).T.tolist() == [[-2, 0, 0, -1], [-1, -1, 0, -1]]
    np.testing.assert_allclose(FORMS["standard"](values).mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(FORMS["standard"](values).std(axis=0), 1, atol=1e-4)
    # Equal values keep their order.
    np.testing.assert_allclose(FORMS["place"](values).T, np.log([[4, 1, 2, 3], [2, 3, 1, 4]]), atol=1e-6)


def test_a_question_without_phrases(tables: CandidateTables) -> None:
    features = {feature: np.zeros(1, np.float32) for feature in Feature}
    alone = Candidates(tables, np.array([3]), features, "?", [], np.array([1.0, 0.0], np.float32), np.zeros((0, 2)))
    assert np.isfinite(candidate_features(alone)).all()
