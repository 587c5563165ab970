from typing import Any

import pytest

from joingr_pyg.describing.opinions import BATCH_JOINS, candidate_batches, opinion_messages, read_opinions
from joingr_pyg.schema import Column, Database, ForeignKey, Table

JOIN = ForeignKey("ORD", "CUST_KEY", "CUST", "CUST_KEY")


def test_joins_that_names_suggest_are_candidates_until_there_is_an_opinion(shop: Database) -> None:
    bare = Database("shop", shop.tables)
    (batch,) = candidate_batches(bare, {})
    assert JOIN in batch
    assert JOIN not in candidate_batches(bare, {"cust.CUST_KEY = ORD.CUST_KEY": 0.0})[0]
    assert JOIN not in [join for batch in candidate_batches(shop, {}) for join in batch]


def test_many_candidates_are_several_requests() -> None:
    tables = [Table(f"t{number}", (Column("customer_id"),)) for number in range(BATCH_JOINS + 1)]
    customer = Table("customer", (Column("id"),), ("id",))
    batches = candidate_batches(Database("d", (customer, *tables)), {})
    assert [len(batch) for batch in batches] == [BATCH_JOINS, 1]


def test_a_request_shows_both_tables(shop: Database) -> None:
    content = opinion_messages(Database("shop", shop.tables), [JOIN])[1]["content"]
    assert content.startswith("Database: shop\n\nTable ORD\n  ORD_KEY INT primary key")
    assert "Table CUST: Buyers." in content
    assert content.endswith("How probable are these joins?\n- ORD.CUST_KEY = CUST.CUST_KEY")


@pytest.mark.parametrize(
    ("answer", "opinions"),
    [
        ({"joins": [{"join": "CUST.cust_key = ord.CUST_KEY", "probability": 1}]}, {str(JOIN): 1.0}),
        (
            {"joins": [{"join": str(JOIN), "probability": 0.2}, {"join": str(JOIN), "probability": 0.9}]},
            {str(JOIN): 0.2},
        ),
        ({"joins": [{"join": str(JOIN), "probability": 2}]}, {}),
        ({"joins": [{"join": str(JOIN), "probability": "high"}]}, {}),
        ({"joins": [{"join": str(JOIN), "probability": True}]}, {}),
        ({"joins": [{"join": "a.x = b.y", "probability": 1}, {"probability": 1}, "no", None]}, {}),
        ({"joins": "no"}, {}),
        ([], {}),
    ],
)
def test_what_is_malformed_is_left_out(answer: Any, opinions: dict[str, float]) -> None:
    assert read_opinions(answer, [JOIN]) == opinions
