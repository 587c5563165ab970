from collections.abc import Callable

import pytest

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.datasets import Question
from joingr_pyg.datasets.gold import gold_join_numbers, gold_table_numbers


@pytest.fixture
def corpus(make_corpus: Callable[..., Corpus]) -> Corpus:
    """Columns c0 and c1 of t0, c2 of t1, c3 and c4 of t2; joins c1 = c2, c3 = c2, c4 = c3."""
    return make_corpus([[[1.0], [1.0]], [[1.0]], [[1.0], [1.0]]], joins=[(1, 2), (3, 2), (4, 3)])


def needs(
    *tables: str, joins: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = (), database: str = "db"
) -> Question:
    return Question(0, "?", database, tables, joins)


def test_gold_table_numbers_keep_their_order_and_are_padded(corpus: Corpus) -> None:
    questions = [needs("t2", "t0"), needs("t1"), needs("t0", "t1", "t2")]
    assert gold_table_numbers(questions, corpus).tolist() == [[2, 0, -1], [1, -1, -1], [0, 1, 2]]


def test_gold_joins_match_edges_in_either_direction(corpus: Corpus) -> None:
    first, second = (("t0", "c1"), ("t1", "c2")), (("t1", "c2"), ("t2", "c3"))
    loop = (("t2", "c3"), ("t2", "c4"))
    questions = [needs("t0", joins=(first, second)), needs("t0", joins=(loop,)), needs("t1")]
    assert gold_join_numbers(questions, corpus).tolist() == [[0, 1], [2, -1], [-1, -1]]


def test_a_join_that_is_not_in_the_graph_has_number_minus_one(corpus: Corpus) -> None:
    undeclared = (("t0", "c0"), ("t1", "c2"))
    declared = (("t1", "c2"), ("t0", "c1"))
    assert gold_join_numbers([needs("t0", joins=(undeclared, declared))], corpus).tolist() == [[-1, 0]]
    assert gold_join_numbers([needs("t0", joins=(declared,), database="another")], corpus).tolist() == [[-1]]


def test_without_gold_the_width_is_zero(corpus: Corpus) -> None:
    assert gold_table_numbers([], corpus).shape == (0, 0)
    assert gold_join_numbers([needs("t0"), needs("t1")], corpus).shape == (2, 0)
