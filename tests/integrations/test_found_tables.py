import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.integrations.found_tables import found_tables, join_text

QUESTION = "Which customers ordered products?"


def test_each_table_has_its_statement_and_its_joins(shop: TableRetriever) -> None:
    result = shop.retrieve(QUESTION, 5)
    tables = found_tables(result)
    assert [table.found for table in tables] == list(result)
    assert "\n\n".join(table.ddl for table in tables) == result.to_ddl()
    joins = {table.found.table: [join_text(join) for join in table.joins] for table in tables}
    assert joins["orders"] == ["orders.customer_id = customers.id", "order_lines.order_id = orders.id"]
    assert joins["holidays"] == []


def test_foreign_keys_lead_to_tables_that_were_found(shop: TableRetriever) -> None:
    (orders,) = (table for table in found_tables(shop.retrieve("When was the order placed?", 1), "mysql"))
    assert orders.found.table == "orders"
    assert "FOREIGN KEY" not in orders.ddl
    with pytest.raises(JoinGRError, match="There is no SQL dialect 'klingon'"):
        found_tables(shop.retrieve(QUESTION), "klingon")


def test_a_join_that_nobody_declared_tells_its_source() -> None:
    ddl = "CREATE TABLE customers (id INT PRIMARY KEY); CREATE TABLE orders (id INT PRIMARY KEY, customer_id INT);"
    legacy = TableRetriever.from_ddl(ddl, CachedEncoder(HashingEncoder(64)))
    (join,) = legacy.retrieve(QUESTION).joins
    assert join_text(join) == f"orders.customer_id = customers.id (inferred, confidence {join.confidence:.2f})"
