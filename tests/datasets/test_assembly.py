import logging

import pytest

from joingr_pyg.datasets.assembly import RawQuestion, assemble, require_choice
from joingr_pyg.datasets.benchmark import Dropped, Question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, Table

SHOP = Database("shop", tuple(Table(name, (Column("id"),)) for name in ("OrderDetails", "items", "sqlite_sequence")))
JOIN = ((("items", "id"), ("OrderDetails", "id")),)

GOOD = RawQuestion("How many items?", "shop", "SELECT count(*) FROM Items")
BAD = {
    "The question is empty.": RawQuestion(" \n", "shop", "SELECT 1 FROM items"),
    "Its database 'shops' is not in the schema file.": RawQuestion("q", "shops", "SELECT 1 FROM items"),
    "The gold SQL reads table 'Order Details', not in database 'shop'.": RawQuestion(
        "q", "shop", 'SELECT * FROM "Order Details"'
    ),
    "The SQL 'SELECT FROM (' does not parse as sqlite": RawQuestion("q", "shop", "SELECT FROM ("),
    "The gold SQL reads no table.": RawQuestion("q", "shop", ""),
    "Its gold table 'orders' is not in database 'shop'.": RawQuestion(
        "q", "shop", "SELECT 1 FROM items", ("items", "orders")
    ),
    "Its gold table 'sqlite_sequence' is an internal table of SQLite, which is never retrieved.": RawQuestion(
        "q", "shop", "SELECT seq FROM items JOIN sqlite_sequence USING (id)"
    ),
}


def test_gold_tables_come_from_the_sql_or_from_the_annotation() -> None:
    annotated = RawQuestion("Which?", "shop", "not read", ("ORDERDETAILS", "items", "OrderDetails"), JOIN)
    benchmark = assemble("b", "dev", [SHOP], [GOOD, annotated], "sqlite", strict=True)
    assert benchmark.questions == (
        Question(0, "How many items?", "shop", ("items",), (), "SELECT count(*) FROM Items"),
        Question(1, "Which?", "shop", ("OrderDetails", "items"), JOIN, "not read"),
    )
    assert (benchmark.name, benchmark.split, benchmark.databases, benchmark.dropped) == ("b", "dev", (SHOP,), ())


@pytest.mark.parametrize("reason", BAD)
def test_a_question_that_cannot_be_resolved_is_dropped_with_its_reason(reason: str) -> None:
    benchmark = assemble("b", "dev", [SHOP], [GOOD, BAD[reason], GOOD], "sqlite", strict=False)
    assert [question.index for question in benchmark.questions] == [0, 2]
    (dropped,) = benchmark.dropped
    assert (dropped.index, dropped.database) == (1, BAD[reason].database)
    assert dropped.reason.startswith(reason)


@pytest.mark.parametrize("reason", BAD)
def test_strict_mode_raises_at_the_first_question_that_cannot_be_resolved(reason: str) -> None:
    with pytest.raises(JoinGRError) as caught:
        assemble("b", "dev", [SHOP], [GOOD, BAD[reason], RawQuestion("", "", "")], "sqlite", strict=True)
    assert str(caught.value).startswith(f"Question 1 of b dev cannot be resolved: {reason}")


def test_dropped_questions_are_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assemble("b", "dev", [SHOP], [GOOD], "sqlite", strict=False)
        assert caplog.messages == []
        assemble("b", "dev", [SHOP], [GOOD, *BAD.values()], "sqlite", strict=False)
    assert caplog.messages == [
        "b dev: 7 of 8 questions are dropped, the first (question 1) because: The question is empty."
    ]


def test_each_question_is_either_kept_or_dropped() -> None:
    benchmark = assemble("b", "dev", [SHOP], [*BAD.values(), GOOD], "sqlite", strict=False)
    indices = sorted(question.index for question in (*benchmark.questions, *benchmark.dropped))
    assert indices == list(range(8))
    assert benchmark.dropped[0] == Dropped(0, "shop", "The question is empty.")


def test_an_unknown_choice_is_refused_with_the_choices() -> None:
    require_choice("split of bird", "dev", ("train", "dev"))
    with pytest.raises(JoinGRError, match="There is no split of bird 'test': choose 'train' or 'dev'"):
        require_choice("split of bird", "test", ("train", "dev"))
