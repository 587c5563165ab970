"""Names, patterns and functions that say which tables are allowed."""

from typing import Any

import pytest

from joingr_pyg.errors import JoinGRError
from joingr_pyg.retrieval.allowed_tables import allowed_tables
from joingr_pyg.schema import Column, Database, Table


def database(name: str, *tables: str, schema: str = "") -> Database:
    return Database(name, tuple(Table(table, (Column("id"),), schema=schema) for table in tables))


DATABASES = (
    database("shop", "orders", "Orders", "orders[1]", "orders1", "dim_day"),
    database("crm", "orders", "person"),
    Database("books", (Table("hr.person", (Column("id"),), schema="hr"), Table("pay", (Column("id"),), schema="hr"))),
)


@pytest.mark.parametrize(
    ("allowed", "databases", "tables"),
    [
        (["orders"], None, {"shop.orders", "crm.orders"}),
        ("orders", None, {"shop.orders", "crm.orders"}),
        (["ORDERS"], None, {"shop.orders", "shop.Orders", "crm.orders"}),
        (["orders[1]"], None, {"shop.orders[1]"}),
        (["dim_*", "person"], None, {"shop.dim_day", "crm.person"}),
        (["PERSON"], None, {"crm.person", "books.hr.person"}),
        (["hr.*"], None, {"books.hr.person", "books.pay"}),
        (["hr.person"], None, {"books.hr.person"}),
        ([("crm", "*"), ("shop", "dim_day")], None, {"crm.orders", "crm.person", "shop.dim_day"}),
        ([["crm", "orders"]], None, {"crm.orders"}),
        ({"person"}, None, {"crm.person"}),
        (lambda base, table: (base, table) == ("crm", "person"), None, {"crm.person"}),
        (None, "crm", {"crm.orders", "crm.person"}),
        (["orders", "person"], ["crm"], {"crm.orders", "crm.person"}),
    ],
)
def test_tables_that_are_allowed(allowed: Any, databases: Any, tables: set[str]) -> None:
    assert {".".join(table) for table in allowed_tables(DATABASES, allowed, databases)} == tables


@pytest.mark.parametrize(
    ("allowed", "databases", "message"),
    [
        (["order"], None, "'allowed' has 'order', which is no table here: correct it, or leave it out."),
        (["orders", "x*"], None, "'allowed' has 'x*', which is no table here"),
        ([("crm", "dim_day")], None, "'allowed' has ('crm', 'dim_day'), which is no table here"),
        ([], None, "'allowed' leaves no table to answer with: allow at least one."),
        (lambda base, table: False, None, "'allowed' leaves no table to answer with"),
        (lambda base, table: None, None, "The function 'allowed' needs to return True or False (got None)."),
        ("", None, "'allowed' needs to be a list of names or patterns of tables"),
        (7, None, "or a function (got 7)."),
        ([("a", "b", "c")], None, "or a function (got ('a', 'b', 'c'))."),
        (None, ["crn"], "No database is named 'crn': did you mean 'crm'?"),
        (None, ["orders"], "No database is named 'orders': correct it, or leave it out."),
        (None, [], "'databases' needs to be a list of names of databases (got [])."),
        (None, 7, "'databases' needs to be a list of names of databases (got 7)."),
        # A database without an allowed table is as good as missing, and is never proposed.
        (["person"], ["books"], "No database is named 'books': correct it, or leave it out."),
        (["hr.*"], ["crn"], "No database is named 'crn': correct it, or leave it out."),
    ],
)
def test_what_is_of_no_table_is_refused_in_one_sentence(allowed: Any, databases: Any, message: str) -> None:
    with pytest.raises(JoinGRError) as caught:
        allowed_tables(DATABASES, allowed, databases)
    assert message in str(caught.value)
