from math import log

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.text.coverage import Coverage
from joingr_pyg.text.tokens import distinct_words

TEXTS = ["movie language movie id, language id", "language name", "shop movie title"]
TITLES = ["movie language", "language", "movie"]
DATABASES = ["shop", "shop", "shop movie"]


def weight(tables: int) -> float:
    """Of a word that so many of three tables hold."""
    return log(1 + (3 - tables + 0.5) / (tables + 0.5))


def shares(coverage: Coverage, *questions: str) -> tuple[Tensor, Tensor]:
    return coverage([distinct_words(question) for question in questions])


def test_shares_worked_by_hand() -> None:
    named, covered = shares(Coverage(TEXTS, TITLES, DATABASES), "Which languages have titles, languages of parrots?")
    movie, language, title = weight(2), weight(2), weight(1)
    assert named.tolist() == [pytest.approx([language / (movie + language), 1, 0])]
    # Nobody has heard of parrots.
    assert covered.tolist() == [pytest.approx([language / (language + title)] * 2 + [title / (language + title)])]


def test_words_of_the_database_are_no_name_but_where_there_is_nothing_else() -> None:
    coverage = Coverage(["sales order", "sales"], ["sales order", "sales"], ["sales", "sales"])
    assert shares(coverage, "orders")[0].tolist() == [[1, 0]]
    assert shares(coverage, "sales")[0].tolist() == [[0, 1]]


def test_questions_and_names_without_known_words_share_nothing() -> None:
    coverage = Coverage(["", "dog"], ["", "the"], ["", ""])
    for share in shares(coverage, "", "the?", "cat", "dog"):
        assert share[:3].tolist() == [[0, 0]] * 3
    assert [share.shape for share in coverage([])] == [(0, 2), (0, 2)]


@given(st.lists(st.sampled_from(["movie", "language", "title", "name", "shop", "parrot"]), max_size=6))
def test_shares_are_shares(question: list[str]) -> None:
    for share in shares(Coverage(TEXTS, TITLES, DATABASES), " ".join(question)):
        assert torch.all((share >= 0) & (share <= 1 + 1e-6))
