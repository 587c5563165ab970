from math import log

import numpy as np
import pytest

from joingr_pyg.models.reranking.table_names import TableNames

TITLES = ["order", "order item", "order item audit", "customer", "order"]
DATABASES = ["shop", "shop", "shop", "shop", "other"]


@pytest.fixture(scope="module")
def names() -> TableNames:
    return TableNames(TITLES, DATABASES)


def test_weight_of_a_word_falls_with_the_names_of_its_database_that_hold_it(names: TableNames) -> None:
    order, customer = log(1 + 1.5 / 3.5), log(1 + 3.5 / 1.5)
    np.testing.assert_allclose(names.rarest[[0, 3]], [order, customer], rtol=1e-6)
    np.testing.assert_allclose(names.commonest[[1, 2]], [order, order], rtol=1e-6)
    np.testing.assert_allclose(names.rarest[4], log(1 + 0.5 / 1.5), rtol=1e-6)


def test_base_is_the_heaviest_other_name_within_this_one(names: TableNames) -> None:
    assert names.base.tolist() == [-1, 0, 1, -1, -1]
    assert names.satellites.tolist() == [2, 1, 0, 0, 0]


def test_copies_are_told_by_their_words(names: TableNames) -> None:
    assert names.is_copy.tolist() == [False, False, True, False, False]


def test_sizes(names: TableNames) -> None:
    assert names.database_size.tolist() == [4, 4, 4, 4, 1]
    assert names.length.tolist() == [1, 2, 3, 1, 1]


def test_what_a_question_says_of_names(names: TableNames) -> None:
    said, unsaid, words, copy = names.said(frozenset(["order", "audit"]), np.arange(3))
    order, item, audit = log(1 + 1.5 / 3.5), log(1 + 2.5 / 2.5), log(1 + 3.5 / 1.5)
    np.testing.assert_allclose(said, [order, order, order + audit], rtol=1e-5)
    np.testing.assert_allclose(unsaid, [0, item, item], atol=1e-6)
    assert words.tolist() == [0, 1, 1]
    assert copy.tolist() == [0, 0, 1]


def test_a_very_long_name_is_compared_with_those_without_one_or_two_of_its_words() -> None:
    long = "alpha beta gamma delta epsilon zeta theta kappa"
    names = TableNames([long, long.removesuffix(" kappa"), "alpha"], ["d"] * 3)
    assert names.base.tolist() == [1, -1, -1]


def test_names_without_words() -> None:
    names = TableNames(["", "the"], ["d", "d"])
    assert names.rarest.tolist() == [0, 0]
    assert names.base.tolist() == [-1, -1]
