from collections.abc import Callable

import pytest

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.datasets import Question
from joingr_pyg.datasets.gold import gold_joins, gold_tables


@pytest.fixture
def corpus(make_corpus: Callable[..., Corpus]) -> Corpus:
    """Columns c0 and c1 of t0, c2 of t1, c3 and c4 of t2; joins c1 = c2, c3 = c2, c4 = c3."""
    return make_corpus([[[1.0], [1.0]], [[1.0]], [[1.0], [1.0]]], joins=[(1, 2), (3, 2), (4, 3)])


def asks(
    *tables: str, joins: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = (), database: str = "db"
) -> Question:
    return Question(0, "?", database, tables, joins)


def test_gold_tables_are_padded_numbers_in_their_order(corpus: Corpus) -> None:
    questions = [asks("t2", "t0"), asks("t1"), asks("t0", "t1", "t2")]
    assert gold_tables(questions, corpus).tolist() == [[2, 0, -1], [1, -1, -1], [0, 1, 2]]


def test_gold_joins_are_edges_in_either_direction(corpus: Corpus) -> None:
    first, second = (("t0", "c1"), ("t1", "c2")), (("t1", "c2"), ("t2", "c3"))
    loop = (("t2", "c3"), ("t2", "c4"))
    questions = [asks("t0", joins=(first, second)), asks("t0", joins=(loop,)), asks("t1")]
    assert gold_joins(questions, corpus).tolist() == [[0, 1], [2, -1], [-1, -1]]


def test_a_join_that_the_graph_lacks_is_an_empty_place(corpus: Corpus) -> None:
    undeclared = (("t0", "c0"), ("t1", "c2"))
    known = (("t1", "c2"), ("t0", "c1"))
    assert gold_joins([asks("t0", joins=(undeclared, known))], corpus).tolist() == [[-1, 0]]
    assert gold_joins([asks("t0", joins=(known,), database="another")], corpus).tolist() == [[-1]]


def test_nothing_is_of_no_width(corpus: Corpus) -> None:
    assert gold_tables([], corpus).shape == (0, 0)
    assert gold_joins([asks("t0"), asks("t1")], corpus).shape == (2, 0)
