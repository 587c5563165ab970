import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from joingr_pyg.schema import Column, Database, Table, read_tables_json
from joingr_pyg.schema.joins.mining import mine_joins


def table(name: str, *columns: str) -> Table:
    return Table(name, tuple(map(Column, columns)), primary_key=(columns[0],))


SHOP = Database(
    "shop",
    (
        table("customer", "id", "name", "city_id"),
        table("orders", "order_id", "customer_id", "day", "parent_id"),
        table("item", "item_id", "order_id", "product_id"),
        table("product", "product_id", "name"),
        table("city", "id", "name"),
    ),
)

CUSTOMER = "orders.customer_id = customer.id"
ITEM = "item.order_id = orders.order_id"


def mined(*queries: str, dialect: str = "sqlite", database: Database = SHOP) -> dict[str, int]:
    return {str(mine.join): mine.count for mine in mine_joins(queries, database, dialect)}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM orders o JOIN customer c ON o.customer_id = c.id", {CUSTOMER}),
        ("SELECT * FROM ORDERS JOIN Customer ON CUSTOMER_ID = ID", {CUSTOMER}),
        ("SELECT * FROM orders, customer WHERE customer_id = id AND day > 1", {CUSTOMER}),
        ("SELECT * FROM orders o JOIN customer c ON CAST(o.customer_id AS text) = (c.id)", {CUSTOMER}),
        ("SELECT * FROM item JOIN orders USING (order_id)", {ITEM}),
        ("SELECT * FROM item NATURAL JOIN orders", {ITEM}),
        (
            "SELECT * FROM orders JOIN item USING (order_id) JOIN product USING (product_id)",
            {ITEM, "item.product_id = product.product_id"},
        ),
        # Subqueries.
        ("SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)", {CUSTOMER}),
        ("SELECT 1 FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)", {CUSTOMER}),
        ("SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders LIMIT 1)", {CUSTOMER}),
        ("SELECT (SELECT name FROM customer c WHERE c.id = o.customer_id) FROM orders o", {CUSTOMER}),
        ("SELECT 1 FROM orders WHERE (order_id, 1) IN (SELECT order_id, product_id FROM item)", {ITEM}),
        # Columns traced through derived tables, common table expressions and set operations.
        (
            "SELECT * FROM (SELECT customer_id AS who FROM orders) s JOIN customer c ON s.who = c.id",
            {CUSTOMER},
        ),
        ("WITH s AS (SELECT * FROM orders) SELECT * FROM s JOIN customer c ON s.customer_id = c.id", {CUSTOMER}),
        ("WITH s(who) AS (SELECT customer_id FROM orders) SELECT * FROM s, customer WHERE who = id", {CUSTOMER}),
        (
            "SELECT 1 FROM (SELECT customer_id AS x FROM orders UNION SELECT id FROM city) s, customer c WHERE x=c.id",
            {CUSTOMER, "city.id = customer.id"},
        ),
        ("CREATE VIEW v AS SELECT * FROM orders o JOIN customer c ON o.customer_id = c.id", {CUSTOMER}),
        # A table joined to itself, over two columns.
        ("SELECT * FROM orders a JOIN orders b ON a.parent_id = b.order_id", {"orders.parent_id = orders.order_id"}),
        ("SELECT * FROM orders a JOIN orders b ON a.order_id = b.order_id", set()),
        # What is no join.
        ("SELECT * FROM orders o, customer c WHERE NOT o.customer_id = c.id", set()),
        ("SELECT * FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)", set()),
        ("SELECT * FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id)", set()),
        ("SELECT CASE WHEN o.customer_id = c.id THEN 1 END FROM orders o, customer c", set()),
        ("SELECT o.customer_id = c.id FROM orders o, customer c", set()),
        ("SELECT * FROM orders o, customer c WHERE o.customer_id < c.id AND o.day = 3", set()),
        ("SELECT * FROM orders WHERE order_id = (SELECT max(item_id) FROM item)", set()),
        ("SELECT * FROM nowhere n JOIN customer c ON n.id = c.id", set()),
        # What a denied subquery joins within itself is joined all the same.
        (
            "SELECT * FROM city WHERE NOT EXISTS (SELECT 1 FROM orders JOIN item USING (order_id))",
            {ITEM},
        ),
    ],
)
def test_what_queries_equate(sql: str, expected: set[str]) -> None:
    assert set(mined(sql)) == expected


def test_counts_examples_and_confidence() -> None:
    twice = ["SELECT * FROM item JOIN orders USING (order_id)"] * 2
    once = "SELECT * FROM orders, customer WHERE customer_id = id"
    first, second = mine_joins([*twice, once], SHOP)
    assert (str(first.join), first.count, first.examples) == (ITEM, 2, tuple(twice))
    assert (first.join.source, first.join.confidence) == ("mined", 3 / 4)
    assert first.join.evidence == "2 queries equate the two columns"
    assert (second.join.confidence, second.join.evidence) == (2 / 3, "1 query equates the two columns")


def test_queries_that_do_not_parse_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    assert set(mined("SELECT FROM WHERE ((", "SELECT * FROM item JOIN orders USING (order_id)")) == {ITEM}
    assert "1 of 2 queries could not be read" in caplog.text


def test_tables_of_two_schemas_are_told_apart() -> None:
    columns = (Column("id"), Column("order_id"))
    database = Database(
        "shop",
        (
            Table("sales.orders", columns, schema="sales"),
            Table("archive.orders", columns, schema="archive"),
            Table("item", columns, schema="sales"),
        ),
    )
    sql = "SELECT * FROM sales.item i JOIN archive.orders o ON i.order_id = o.id"
    assert set(mined(sql, dialect="postgres", database=database)) == {"archive.orders.id = item.order_id"}


DATA = Path(os.environ["JOINGR_DATA"]) if "JOINGR_DATA" in os.environ else None


@pytest.mark.skipif(DATA is None, reason="JOINGR_DATA is not set")
@pytest.mark.parametrize(
    ("tables", "questions", "field", "declared", "recovered", "most_others"),
    [
        ("spider/tables.json", "spider/dev.json", "query", 64, 56, 1),
        ("bird/dev/dev_tables.json", "bird/dev/dev.json", "SQL", 102, 81, 31),
    ],
)
def test_the_gold_sql_of_a_benchmark_recovers_its_keys(
    tables: str, questions: str, field: str, declared: int, recovered: int, most_others: int
) -> None:
    assert DATA is not None
    queries = defaultdict(list)
    for question in json.loads((DATA / questions).read_text(encoding="utf-8")):
        queries[question["db_id"]].append(question[field])
    keys, pairs = set(), set()
    for database in read_tables_json(DATA / tables):
        if database.name in queries:
            keys |= {(database.name, join.endpoints) for join in database.joins}
            pairs |= {(database.name, mine.join.endpoints) for mine in mine_joins(queries[database.name], database)}
    assert len(keys) == declared
    assert len(keys & pairs) == recovered
    assert len(pairs - keys) <= most_others
