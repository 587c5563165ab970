from math import exp

import pytest
import torch
from torch import Tensor

from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.phrase_matches import phrase_choices, phrase_matches

VECTORS = {"movies": [1.0, 0.0], "france": [0.0, 1.0]}


class Dictionary:
    """Encodes the phrases that it knows, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode_queries(self, texts: list[str]) -> Tensor:
        self.asked.append(texts)
        return torch.tensor([VECTORS[text.lower()] for text in texts])


@pytest.fixture
def corpus(make_corpus):
    return make_corpus([[[1.0, 0.0]], [[0.6, 0.8]], [[0.0, 1.0], [0.8, 0.6]]])


def test_choices_worked_by_hand(corpus) -> None:
    encoder = Dictionary()
    queries = Queries(torch.zeros(2, 2), ("Which movies are in France?", "movies"), encoder)
    prior = torch.tensor([[0.0, 0.2, 0.0], [0.0, 0.0, 0.0]])
    first, second = phrase_choices(queries, corpus, prior, "it")
    movies = [exp(20), exp(20 * 0.6 + 1), exp(20 * 0.8)]
    france = [1.0, exp(20 * 0.8 + 1), exp(20)]
    assert list(first) == ["France", "movies"]
    assert first["movies"].tolist() == pytest.approx([each / sum(movies) for each in movies])
    assert first["France"].tolist() == pytest.approx([each / sum(france) for each in france], abs=1e-6)
    assert second == {}  # The phrase is the question, which speaks for itself.
    assert encoder.asked == [["France", "movies"]]
    best, within, share = phrase_matches(queries, corpus, prior, "it")
    assert torch.equal(best[0], torch.maximum(first["movies"], first["France"]))
    assert best[1].tolist() == [0, 0, 0]
    assert torch.equal(within[0], best[0])  # There is one database.
    assert torch.allclose(share[0], (first["movies"] + first["France"]) / 2)
    for part, whole in zip(
        phrase_matches(queries[[1, 0]], corpus, prior.flip(0), "it"), (best, within, share), strict=True
    ):
        assert torch.allclose(part, whole.flip(0))


def test_what_is_missing_is_told(corpus) -> None:
    prior = torch.zeros(1, 3)
    with pytest.raises(JoinGRError, match="Method 'it' reads the words"):
        phrase_matches(Queries(torch.zeros(1, 2)), corpus, prior, "it")
    with pytest.raises(JoinGRError, match="Method 'it' embeds parts"):
        phrase_matches(Queries(torch.zeros(1, 2), ("movies in France",)), corpus, prior, "it")
    assert phrase_matches(Queries(torch.zeros(0, 2)), corpus, prior[:0], "it").best.shape == (0, 3)
