from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.encoders import PairScorer
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.baselines import Rear
from joingr_pyg.models.baselines.rear import table_text

MakeCorpus = Callable[..., Corpus]


@pytest.fixture
def corpus(make_corpus: MakeCorpus) -> Corpus:
    """Cosines with (1, 0, 0): t0 0.8, t1 0.6, t2 0, t3 0.5. t0 shares a column with t2, and nearly one with t3."""
    return make_corpus(
        [
            [[0.8, 0.6, 0.0], [0.0, 0.0, 1.0]],
            [[0.6, -0.8, 0.0]],
            [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
            [[0.5, 0.0, 0.75**0.5]],
        ]
    )


QUESTION = Queries(torch.tensor([[1.0, 0.0, 0.0]]), ("Which?",))


class FakeScorer(PairScorer):
    """Scores tables by the number in their name, and records its calls."""

    def __init__(self) -> None:
        super().__init__("given")
        self.calls: list[tuple[str, list[str]]] = []

    def require(self) -> None:
        pass

    def score(self, question: str, texts: Sequence[str]) -> torch.Tensor:
        self.calls.append((question, list(texts)))
        return torch.tensor([float(text.split()[1][1:]) * 10 - 30 for text in texts])


def test_tables_are_expanded_by_similar_columns(corpus: Corpus) -> None:
    # With t0: t2 1.0, t3 0.866, t1 0. With t1: t3 0.3, t0 and t2 0, which t0 wins by number.
    model = Rear(expansions=1).index(corpus)
    assert model.expand([0]) == [0, 2]
    assert model.expand([0, 1]) == [0, 1, 2, 3]
    assert Rear(expansions=2).index(corpus).expand([0]) == [0, 2, 3]
    assert Rear(expansions=9).index(corpus).expand([1]) == [0, 1, 2, 3]
    assert Rear(expansions=0).index(corpus).expand([1]) == [1]


def test_the_expanded_pool_is_ranked_by_the_cross_encoder(corpus: Corpus) -> None:
    refiner = FakeScorer()
    table, score = Rear(retrieved=1, expansions=1, refiner=refiner).index(corpus).rank(QUESTION, 5)
    # The pool is t0 and t2; t1 and t3 come behind by similarity.
    assert table.tolist() == [[2, 0, 1, 3, -1]]
    assert score.tolist() == [[-10, -30, pytest.approx(-32 + 0.6), pytest.approx(-32 + 0.5), -torch.inf]]
    texts = ["table t0 in database db; columns: c0, c1", "table t2 in database db; columns: c3, c4"]
    assert refiner.calls == [("Which?", texts)]


def test_the_variant_ranks_by_table_embeddings(corpus: Corpus) -> None:
    corpus = replace(corpus, table_x=torch.tensor([[0.1, 0, 0], [0.9, 0, 0], [0.3, 0, 0], [0.2, 0, 0]]))
    ranking = Rear(retrieved=1, expansions=1).index(corpus).rank(Queries(QUESTION.vector), 4)
    assert ranking.table.tolist() == [[2, 0, 1, 3]]
    assert ranking.score[0, :2].tolist() == pytest.approx([0.3, 0.1])


def test_a_cross_encoder_reads_names_in_words(corpus: Corpus) -> None:
    named = replace(corpus, columns=("ownerId", "NAME", "a", "b", "c", "d"))
    assert table_text(named, 0) == "table t0 in database db; columns: owner id, name"


def test_a_cross_encoder_needs_words(corpus: Corpus) -> None:
    with pytest.raises(JoinGRError, match="'rear' reads the words"):
        Rear(refiner=FakeScorer()).index(corpus).rank(Queries(QUESTION.vector), 1)


def test_a_missing_cross_encoder_is_reported_before_any_work(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(JoinGRError, match=r"method.refiner.path='.*' is not the folder of a cross-encoder"):
        Rear(refiner=PairScorer("someone/model", path=tmp_path)).index(corpus)


@pytest.mark.parametrize(("arguments", "name"), [({"retrieved": 0}, "retrieved"), ({"expansions": -1}, "expansions")])
def test_arguments_out_of_range_are_refused(arguments: dict[str, int], name: str) -> None:
    with pytest.raises(JoinGRError, match=f"'{name}' needs to be at least"):
        Rear(**arguments)  # type: ignore[arg-type]
