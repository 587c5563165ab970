import pytest

from joingr_pyg.schema import Column, Database, ForeignKey, Table, infer_joins
from joingr_pyg.schema.joins.few_keys import with_inferred_joins
from joingr_pyg.schema.joins.opinions import judge_of
from joingr_pyg.schema.names.glossary import Words
from joingr_pyg.schema.preparation import Preparation

SHOP = Database(
    "shop",
    (
        Table("customers", (Column("id", "INT"), Column("name", "TEXT")), ("id",)),
        Table("orders", (Column("id", "INT"), Column("customer_id", "INT")), ("id",)),
    ),
)
JOIN = "orders.customer_id = customers.id"


def test_an_opinion_is_found_in_either_direction_and_any_case() -> None:
    judge = judge_of({"CUSTOMERS.id = orders.Customer_ID ": 0.25, "gone.x = orders.id": 0.5}, SHOP)
    assert judge is not None
    assert judge(ForeignKey("orders", "customer_id", "customers", "id")) == 0.25
    assert judge(ForeignKey("orders", "id", "customers", "id")) is None
    assert judge_of({}, SHOP) is None


def test_an_opinion_counts_as_much_as_the_inference() -> None:
    (join,) = infer_joins(SHOP)
    log_odds = join.confidence / (1 - join.confidence)
    (judged,) = with_inferred_joins(SHOP, True, judge_of({JOIN: 0.9}, SHOP)).joins
    odds = judged.confidence / (1 - judged.confidence)
    assert odds == pytest.approx((log_odds * 9) ** 0.5)
    assert judged.evidence == f"{join.evidence}; a second opinion gives it a probability of 0.90"


def joins(database: Database, **given: float) -> list[str]:
    """The joins of a schema, with an opinion on the one that names suggest."""
    (candidate,) = infer_joins(database, least_confidence=0.0)
    words = Words("a test", opinions=dict.fromkeys([str(candidate)] * len(given), given.get("opinion", 0.0)))
    return [str(join) for join in Preparation(words=words, infer_joins=True)([database])[0].joins]


def test_an_opinion_of_a_words_file_takes_a_join_away() -> None:
    assert joins(SHOP) == [JOIN]
    assert joins(SHOP, opinion=0.0) == []


def test_an_opinion_of_a_words_file_brings_a_join_that_the_inference_doubts() -> None:
    doubtful = Database("shop", (SHOP["customers"], Table("orders", (Column("customer_code", "INT"),))))
    assert joins(doubtful) == []
    assert joins(doubtful, opinion=0.99) == ["orders.customer_code = customers.id"]
