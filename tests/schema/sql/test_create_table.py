"""Statements that create tables, read again."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.ddl import read_ddl
from joingr_pyg.schema.sql.create_table import create_table_statements

SHOP = Database(
    "shop",
    (
        Table("customer", (Column("id", "INT"), Column("town", "varchar2(20)", "", "where they\n live")), ("id",)),
        Table(
            "Order Details",
            (Column("order", "INT"), Column("customer", "INT"), Column("note")),
            ("order", "customer"),
            description="what was ordered",
        ),
        Table("staff", (Column("id", "INT"), Column("boss", "INT"))),
    ),
    (
        ForeignKey("Order Details", "customer", "customer", "id", "", "inferred", 0.75),
        ForeignKey("staff", "boss", "staff", "id"),
        ForeignKey("staff", "id", "customer", "id"),
    ),
)


def test_statements_of_some_tables() -> None:
    assert create_table_statements(SHOP, ["Order Details", "customer"]) == (
        """-- what was ordered
CREATE TABLE "Order Details" (
  "order" INT,
  customer INT,
  note,
  PRIMARY KEY ("order", customer),
  FOREIGN KEY (customer) REFERENCES customer (id)  -- inferred, confidence 0.75
);

CREATE TABLE customer (
  id INT,
  town varchar2(20),  -- where they live
  PRIMARY KEY (id)
);"""
    )


def test_a_dialect_quotes_names_and_spells_types() -> None:
    mysql = create_table_statements(SHOP, ["Order Details"], "mysql")
    assert "CREATE TABLE `Order Details`" in mysql
    assert "PRIMARY KEY (`order`, customer)" in mysql
    assert "[Order Details]" in create_table_statements(SHOP, ["Order Details"], "mssql")
    assert "town VARCHAR(20)" in create_table_statements(SHOP, ["customer"], "postgresql")
    assert "town STRING(20)" in create_table_statements(SHOP, ["customer"], "bigquery")
    with pytest.raises(JoinGRError, match="There is no SQL dialect 'klingon': choose one of athena, bigquery, "):
        create_table_statements(SHOP, ["customer"], "klingon")


def test_a_type_that_no_dialect_knows_stands_as_it_is() -> None:
    odd = Database(
        "d",
        (
            Table(
                "t",
                (Column("a", "UNSIGNED BIG INT"), Column("b", "")),
            ),
        ),
    )
    assert create_table_statements(odd, ["t"], "postgres") == "CREATE TABLE t (\n  a UNSIGNED BIG INT,\n  b\n);"


def test_columns_may_be_left_out_and_are_counted() -> None:
    text = create_table_statements(SHOP, ["Order Details"], columns={"Order Details": ["customer"]})
    assert '"order" INT' not in text
    assert "  customer INT,\n" in text
    assert text.endswith("  -- 2 more columns\n);")


@settings(deadline=None, max_examples=25)
@given(
    names=st.lists(
        st.sampled_from(["a", "Order", "user", "b c", "select", "x_1", "Ünï", "2x"]), unique=True, min_size=2
    )
)
@pytest.mark.parametrize("dialect", ["postgres", "mysql", "tsql", "sqlite"])
def test_what_is_written_is_read_again(dialect: str, names: list[str]) -> None:
    columns = tuple(Column(name, "INT") for name in names)
    tables = tuple(Table(name, columns, (names[0],)) for name in names)
    keys = tuple(ForeignKey(name, names[1], names[0], names[0]) for name in names)
    database = Database("d", tables, keys)
    again = read_ddl(create_table_statements(database, names, dialect), "d", dialect)
    assert [(table.name, table.column_names, table.primary_key) for table in again] == [
        (table.name, table.column_names, table.primary_key) for table in database
    ]
    assert again.joins == database.joins
    assert replace(database, tables=again.tables) == replace(again, foreign_keys=database.foreign_keys)
