from math import e

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import Ranking, Vanilla
from joingr_pyg.models.baselines import NearestQuestions

MEMORY = Queries(torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.75**0.5]]))
"""Their cosines with the question are 1, 0 and 0.5."""

GOLD = [[("db", "t2"), ("db", "t3")], [("db", "t3")], [("db", "t4")]]


def ranked(ranking: Ranking) -> tuple[list[int], list[float]]:
    return ranking.table[0].tolist(), ranking.score[0].tolist()


def test_votes_are_weighted_by_similarity(chain: Corpus, question: Queries) -> None:
    model = NearestQuestions(temperature=2.0, similarity_weight=0.0).index(chain).remember(MEMORY, GOLD)
    total = e**2 + 1 + e
    table, score = ranked(model.rank(question, 5))
    assert table == [3, 2, 4, 0, 1]
    assert score == pytest.approx([(e**2 + 1) / total, e**2 / total, e / total, 0, 0])


def test_the_similarity_is_added(chain: Corpus, question: Queries) -> None:
    model = NearestQuestions(temperature=2.0, similarity_weight=0.5).index(chain).remember(MEMORY, GOLD)
    total = e**2 + 1 + e
    table, score = ranked(model.rank(question, 5))
    scores = [0.4, 0.3, e**2 / total, (e**2 + 1) / total + 0.14, e / total + 0.25]
    assert table == sorted(range(5), key=lambda number: -scores[number])
    assert score == pytest.approx(sorted(scores, reverse=True))


def test_the_null_similarity_weakens_votes(chain: Corpus, question: Queries) -> None:
    model = NearestQuestions(temperature=2.0, similarity_weight=0.0, null_similarity=0.5)
    _, score = ranked(model.index(chain).remember(MEMORY, GOLD).rank(question, 3))
    total = e**2 + 1 + e + e
    assert score == pytest.approx([(e**2 + 1) / total, e**2 / total, e / total])


def test_temperature_zero_weighs_votes_equally(chain: Corpus, question: Queries) -> None:
    votes = NearestQuestions(temperature=0.0).index(chain).remember(MEMORY, GOLD).votes(question.vector)
    assert votes is not None
    assert votes.tolist() == [[0, 0, pytest.approx(1 / 3), pytest.approx(2 / 3), pytest.approx(1 / 3)]]


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_an_empty_memory_ranks_by_similarity(chain: Corpus, question: Queries, weight: float) -> None:
    vanilla = ranked(Vanilla().index(chain).rank(question, 5))
    foreign = [[("other", "t0")], [], [("db", "t9")]]
    nothing = Queries(torch.zeros(0, 3))
    for memory, gold in ((None, None), (nothing, []), (MEMORY, foreign)):
        model = NearestQuestions(similarity_weight=weight).index(chain)
        if memory is not None and gold is not None:
            model.remember(memory, gold)
        table, score = ranked(model.rank(question, 5))
        assert table == vanilla[0]
        assert score == pytest.approx(vanilla[1])


def test_questions_on_other_tables_do_not_vote(chain: Corpus, question: Queries) -> None:
    gold = [[("other", "t2")], GOLD[1], [("other", "t4"), ("db", "t4"), ("db", "t4")]]
    votes = NearestQuestions(temperature=2.0).index(chain).remember(MEMORY, gold).votes(question.vector)
    assert votes is not None
    assert votes.tolist() == [[0, 0, 0, pytest.approx(1 / (1 + e)), pytest.approx(e / (1 + e))]]


def test_a_new_memory_or_corpus_replaces_the_old_one(chain: Corpus, question: Queries, make_corpus: object) -> None:
    model = NearestQuestions(similarity_weight=0.0).index(chain).remember(MEMORY, GOLD)
    assert ranked(model.rank(question, 1))[0] == [3]
    model.remember(MEMORY[[1]], [[("db", "t1")]])
    assert ranked(model.rank(question, 1))[0] == [1]
    small = make_corpus([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]])  # type: ignore[operator]
    table, score = ranked(model.index(small).rank(question, 3))
    assert (table, score) == ([1, 0, -1], [1, 0, -torch.inf])


@pytest.mark.parametrize("name", ["temperature", "similarity_weight"])
def test_negative_arguments_are_refused(name: str) -> None:
    with pytest.raises(JoinGRError, match=f"'{name}' needs to be at least 0"):
        NearestQuestions(**{name: -1.0})
