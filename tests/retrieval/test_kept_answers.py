"""A question that was just asked is answered from what is kept, as long as that still holds."""

import pickle
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder
from joingr_pyg.retrieval.kept_answers import KEPT
from joingr_pyg.schema import Column, Database, ForeignKey, Table

SHOP = Database(
    "shop",
    (
        Table("customer", (Column("id"), Column("name")), ("id",)),
        Table("orders", (Column("id"), Column("customer_id"), Column("day")), ("id",)),
        Table("product", (Column("id"), Column("label")), ("id",)),
    ),
    (ForeignKey("orders", "customer_id", "customer", "id"),),
)
QUESTION = "Which customer ordered on a day?"


@pytest.fixture
def retriever(encoder: CachedEncoder) -> TableRetriever:
    return TableRetriever([SHOP], encoder)


@pytest.fixture
def ranked(retriever: TableRetriever) -> Iterator[list[int]]:
    """How many questions were ranked, call by call."""
    calls: list[int] = []
    explained = retriever.model.explained

    def counted(queries: object, k: int) -> object:
        calls.append(len(queries))  # type: ignore[arg-type]
        return explained(queries, k)  # type: ignore[arg-type]

    with patch.object(retriever.model, "explained", counted):
        yield calls


def test_the_same_question_is_ranked_once(retriever: TableRetriever, ranked: list[int]) -> None:
    first = retriever.retrieve(QUESTION, k=2)
    assert retriever.retrieve(QUESTION, k=2) is first
    assert retriever.retrieve_batch(["What is a product?", QUESTION], k=2)[1] is first
    assert ranked == [1, 1]


def test_asked_in_another_way_it_is_another_answer(retriever: TableRetriever, ranked: list[int]) -> None:
    assert len(retriever.retrieve(QUESTION, k=2)) == 2
    assert len(retriever.retrieve(QUESTION, k=3)) == 3
    assert len(retriever.retrieve(QUESTION, k=None, complete=0.5)) <= len(retriever.retrieve(QUESTION, k=None))
    assert len(ranked) == 4


def test_an_answer_holds_until_something_changes(retriever: TableRetriever, ranked: list[int]) -> None:
    before = retriever.retrieve(QUESTION, k=3)
    retriever.remember([QUESTION], [["product"]])
    after = retriever.retrieve(QUESTION, k=3)
    assert after.to_dict() != before.to_dict()
    retriever.forget([QUESTION])
    assert retriever.retrieve(QUESTION, k=3).to_dict() == before.to_dict()
    renamed = Database("shop", (Table("client", SHOP.tables[0].columns), *SHOP.tables[1:]))
    retriever.refresh([renamed])
    assert "client" in {table.table for table in retriever.retrieve(QUESTION, k=3)}
    assert len(ranked) == 4


def test_a_question_twice_in_one_call(retriever: TableRetriever, ranked: list[int]) -> None:
    first, second = retriever.retrieve_batch([QUESTION, QUESTION], k=2)
    assert first is second
    assert ranked == [1]


def test_few_are_kept(retriever: TableRetriever) -> None:
    retriever.retrieve_batch([f"Which customer ordered on day {day}?" for day in range(KEPT + 3)], k=1)
    assert len(retriever._kept_answers) == KEPT


def test_a_copy_keeps_none(retriever: TableRetriever) -> None:
    retriever.retrieve(QUESTION, k=2)
    assert len(pickle.loads(pickle.dumps(retriever))._kept_answers) == 0
