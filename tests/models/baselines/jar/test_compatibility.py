from collections.abc import Callable
from dataclasses import replace

import pytest

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.baselines.jar.compatibility import compatibility

MakeCorpus = Callable[..., Corpus]


@pytest.fixture
def corpus(make_corpus: MakeCorpus) -> Corpus:
    """dog(id, ownerId) is joined with owner(id); city(id) is joined with nothing."""
    corpus = make_corpus([[[1.0, 0.0], [0.6, 0.8]], [[0.8, 0.6]], [[-1.0, 0.0]]], joins=[(1, 2)])
    return replace(
        corpus, tables=(("vet", "dog"), ("vet", "owner"), ("town", "city")), columns=("id", "ownerId", "id", "id")
    )


def test_the_best_columns_count(corpus: Corpus) -> None:
    # dog and owner: vet dog owner id / vet owner id share 3 of 3 words, cosine 0.96, joined. A negative cosine is 0.
    # dog and city: vet dog id / town city id share 1 of 3 words; so do owner and city.
    expected = [[0, 0.5 + 0.25 * 0.96 + 0.25, 0.25 / 3], [0, 0, 0.25 / 3], [0, 0, 0]]
    scores = compatibility(corpus)
    assert scores == pytest.approx(scores.T)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert scores[i, j] == pytest.approx(expected[i][j])
    assert scores.diagonal().tolist() == [0, 0, 0]


def test_columns_that_repeat_values_join_badly(corpus: Corpus) -> None:
    share = {"vet#sep#dog#sep#ownerId": 0.2, "vet#sep#owner#sep#id": 0.5, "vet#sep#dog#sep#id": 0.1}
    scores = compatibility(corpus, share)
    # The joined pair: the larger of 0.2 and 0.5. City's id is not known, so it counts as unique.
    assert scores[0, 1] == pytest.approx(0.5 * (0.5 + 0.25 * 0.96 + 0.25))
    assert scores[0, 2] == pytest.approx(0.25 / 3)
