import sqlite3
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg.datasets.beaver import read_beaver
from joingr_pyg.datasets.bird import read_bird
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.schema.readers.ddl import read_ddl
from joingr_pyg.schema.sql.gold import tables_read_by


def database(*tables: str) -> Database:
    return Database("shop", tuple(Table(table, (Column("id"),)) for table in tables))


SHOP = database("orders", "items", "Order Details", "revenue", "group", "current-terms", "airlines", "emp")


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # Order of first appearance, each table once, aliases and letter case aside.
        ("SELECT T2.id FROM items AS T2 JOIN ORDERS T1 ON T1.id = T2.id JOIN items ON 1", ("items", "orders")),
        ("SELECT (SELECT max(id) FROM emp), id FROM items", ("emp", "items")),
        ("SELECT * FROM main.orders, Main.EMP;", ("orders", "emp")),
        # Subqueries, set operations, nested joins.
        (
            "SELECT 1 FROM items WHERE id IN (SELECT id FROM orders) AND EXISTS (SELECT 1 FROM emp)",
            ("items", "orders", "emp"),
        ),
        ("SELECT id FROM items UNION SELECT id FROM orders EXCEPT SELECT id FROM emp", ("items", "orders", "emp")),
        ("SELECT * FROM items LEFT JOIN (orders AS o JOIN emp ON o.id = emp.id) ON 1", ("items", "orders", "emp")),
        ("SELECT x.id FROM (SELECT * FROM (SELECT id FROM orders) AS y) AS x", ("orders",)),
        (
            "SELECT id FROM items ORDER BY (SELECT count(*) FROM orders) LIMIT (SELECT 1 FROM emp)",
            ("items", "orders", "emp"),
        ),
        # A common table expression hides a table where it is in scope, and nowhere else (A2).
        ("WITH orders AS (SELECT * FROM main.orders WHERE d > 1) SELECT * FROM orders", ("orders",)),
        ("WITH orders AS (SELECT * FROM orders WHERE d > 1) SELECT * FROM orders", ("orders",)),
        ("WITH orders AS (SELECT * FROM items) SELECT * FROM orders", ("items",)),
        ("WITH Orders AS (SELECT * FROM items) SELECT * FROM oRDERS", ("items",)),
        ("WITH orders AS (SELECT * FROM items) SELECT * FROM orders JOIN main.orders o ON 1", ("items", "orders")),
        ("SELECT (WITH orders AS (SELECT 1 FROM items) SELECT * FROM orders), id FROM orders", ("items", "orders")),
        ("SELECT * FROM (WITH orders AS (SELECT * FROM items) SELECT * FROM orders) AS x", ("items",)),
        (
            "WITH a AS (SELECT * FROM orders), orders AS (SELECT * FROM items) SELECT * FROM a, orders",
            ("orders", "items"),
        ),
        ("WITH orders AS (SELECT * FROM items), a AS (SELECT * FROM orders) SELECT * FROM a", ("items",)),
        ("WITH orders AS (SELECT 1 FROM items) SELECT * FROM emp UNION SELECT * FROM orders", ("items", "emp")),
        (
            "WITH orders AS (SELECT 1 FROM items) SELECT 1 FROM emp WHERE id IN (SELECT id FROM orders)",
            ("items", "emp"),
        ),
        # Recursion: the name means the expression itself; some databases need no keyword for it.
        ("WITH RECURSIVE t AS (SELECT 1 FROM emp UNION ALL SELECT 2 FROM t) SELECT * FROM t", ("emp",)),
        ("WITH RECURSIVE emp AS (SELECT 1 FROM items UNION ALL SELECT 2 FROM emp) SELECT * FROM emp", ("items",)),
        ("WITH t AS (SELECT 1 FROM emp UNION ALL SELECT 2 FROM t) SELECT * FROM t", ("emp",)),
        ("WITH a AS (SELECT * FROM b), b AS (SELECT * FROM emp) SELECT * FROM a", ("emp",)),
        # Quoting (A4).
        ("SELECT `group`.id FROM `group` JOIN items m ON m.gid = `group`.id", ("group", "items")),
        ("SELECT * FROM 'revenue' r", ("revenue",)),
        ("SELECT * FROM [Order Details]", ("Order Details",)),
        ('SELECT * FROM "order details"', ("Order Details",)),
        ("SELECT * FROM `current-terms`", ("current-terms",)),
        ('SELECT c FROM airlines WHERE name = "Jet Blue"', ("airlines",)),
        # A function in FROM is no table; SQLite's IN may name one.
        ("SELECT * FROM json_each('[1]'), items", ("items",)),
        ("SELECT id FROM items WHERE id IN orders", ("items", "orders")),
        ("WITH x AS (SELECT id FROM emp) SELECT id FROM items WHERE id IN x", ("emp", "items")),
    ],
)
def test_gold_tables(sql: str, expected: tuple[str, ...], dialect: str) -> None:
    assert tables_read_by(sql, SHOP, dialect) == expected


def test_an_exact_name_wins_over_one_that_differs_in_letter_case() -> None:
    assert tables_read_by("SELECT * FROM Emp JOIN EMP ON 1", database("emp", "Emp")) == ("Emp", "emp")


def test_sql_of_another_dialect_is_tried_in_the_others() -> None:
    escaped = r"SELECT id FROM items WHERE name = 'it\'s'"
    with pytest.raises(JoinGRError):
        tables_read_by(escaped, database("orders"), "sqlite")
    assert tables_read_by(escaped, SHOP, "sqlite") == ("items",)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ('SELECT * FROM "Order Items"', "table 'Order Items', not in database 'shop'"),
        ("SELECT * FROM items JOIN OrderDetails ON 1", "table 'OrderDetails', not in database 'shop'"),
        # Qualified, the name cannot mean the expression.
        ("WITH gone AS (SELECT * FROM items) SELECT * FROM main.gone", "table 'gone', not in database 'shop'"),
        ("SELECT * FROM items WHERE", "'SELECT \\* FROM items WHERE' does not parse as sqlite"),
        ("DELETE FROM items", "is a DELETE statement, not a query"),
        ("SELECT 1", "reads no table"),
        ("", "reads no table"),
        (" ; ", "reads no table"),
    ],
)
def test_sql_without_gold_tables_is_reported(sql: str, message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        tables_read_by(sql, SHOP)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM emp; -- note", ("emp",)),
        ("SELECT * FROM emp; /* note */ ;", ("emp",)),
        ("SELECT TOP 5 * FROM [Order Details]", ("Order Details",)),
        ("SELECT TOP 5 e.id FROM dbo.emp AS e", ("emp",)),
        ("SELECT sysdate FROM emp, dual", ("emp",)),
        ("SELECT sysdate FROM emp, sys.dual", ("emp",)),
        ("SELECT * FROM emp, sysibm.sysdummy1", ("emp",)),
        ("SELECT * FROM shop.emp JOIN Public.items ON 1 = 1", ("emp", "items")),
        ("SELECT * INTO #recent FROM orders; SELECT * FROM #recent JOIN emp ON 1 = 1", ("orders", "emp")),
        ("SELECT id INTO copied FROM emp", ("emp",)),
        ("SELECT * FROM orders INDEXED BY orders_by_day", ("orders",)),
        ("\ufeffSELECT * FROM emp", ("emp",)),
    ],
)
def test_habits_of_other_databases(sql: str, expected: tuple[str, ...]) -> None:
    assert tables_read_by(sql, SHOP) == expected


def test_a_table_that_is_called_dual_is_read() -> None:
    assert tables_read_by("SELECT * FROM emp, dual", database("emp", "Dual")) == ("emp", "Dual")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM emp WHERE " + "(" * 400 + "1" + ")" * 400,
        "SELECT * FROM " + "(SELECT * FROM " * 1000 + "emp" + ")" * 1000,
        "SELECT " + "abs(" * 1000 + "1" + ")" * 1000 + " FROM emp",
    ],
)
def test_what_is_nested_too_deeply_is_one_sentence(sql: str) -> None:
    with pytest.raises(JoinGRError, match="nested too deeply") as caught:
        tables_read_by(sql, SHOP)
    assert len(str(caught.value)) < 200


TWO_SCHEMAS = read_ddl(
    "CREATE TABLE sales.orders (id INT); CREATE TABLE archive.orders (id INT); CREATE TABLE public.log (id INT);"
    "CREATE TABLE archive.log (id INT); CREATE TABLE sales.emp (id INT);",
    "shop",
)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM archive.orders", ("archive.orders",)),
        ("SELECT * FROM Sales.ORDERS JOIN archive.orders USING (id)", ("sales.orders", "archive.orders")),
        ('SELECT * FROM "archive"."orders"', ("archive.orders",)),
        ('SELECT * FROM "archive.orders"', ("archive.orders",)),
        ("SELECT * FROM log", ("public.log",)),
        ("SELECT * FROM public.log, archive.log", ("public.log", "archive.log")),
        ("SELECT * FROM emp JOIN sales.emp e ON 1 = 1", ("emp",)),
        ("SELECT * FROM emp WHERE id IN archive.orders", ("emp", "archive.orders")),
        ("WITH orders AS (SELECT * FROM archive.orders) SELECT * FROM orders", ("archive.orders",)),
    ],
)
def test_tables_of_the_same_name_are_told_apart_by_their_schemas(sql: str, expected: tuple[str, ...]) -> None:
    assert tables_read_by(sql, TWO_SCHEMAS, "postgres") == expected


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM orders", "reads table 'orders', which the schemas 'sales', 'archive' all have"),
        ("SELECT * FROM archive.emp", "'archive.emp', and 'archive' is neither database 'shop' nor the schema of its"),
        ("SELECT * FROM e2.log", "'e2.log', and 'e2' is neither database 'shop' nor the schema of its table"),
    ],
)
def test_a_table_of_another_schema_is_none_of_these(sql: str, message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        tables_read_by(sql, TWO_SCHEMAS)


def test_a_table_of_another_database_is_not_taken_for_one_of_this() -> None:
    with pytest.raises(JoinGRError, match=r"'e2\.emp', and 'e2' is neither database 'shop' nor"):
        tables_read_by("SELECT * FROM e2.emp", SHOP)


NAMES = st.text(alphabet="aB\"'`[] .,;()-é名", min_size=1).filter(lambda name: not name.startswith("sqlite_"))


@given(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.lower))
def test_any_name_survives_double_quotes(names: list[str]) -> None:
    sources = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    assert tables_read_by(f"SELECT 1 FROM {sources}", database(*names)) == tuple(names)


def test_sqlite_agrees_that_the_hidden_table_is_not_read() -> None:
    """The same queries on data: what reads the table sees its row."""
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE orders(id); INSERT INTO orders VALUES (7); CREATE TABLE items(id);")
    hidden = "WITH orders AS (SELECT id FROM items) SELECT id FROM orders"
    read = "WITH orders AS (SELECT id FROM main.orders) SELECT id FROM orders"
    assert connection.execute(hidden).fetchall() == []
    assert tables_read_by(hidden, SHOP) == ("items",)
    assert connection.execute(read).fetchall() == [(7,)]
    assert tables_read_by(read, SHOP) == ("orders",)


def test_beaver_s_sql_reads_the_tables_it_is_annotated_with(benchmarks: Path) -> None:
    beaver = read_beaver(benchmarks / "beaver", "dw")
    (warehouse,) = beaver.databases
    differing = [
        question.index
        for question in beaver.questions
        if set(tables_read_by(question.sql, warehouse, "mysql")) != set(question.gold_tables)
    ]
    assert differing == []


def test_reading_bird_s_dev_questions_takes_seconds(benchmarks: Path) -> None:
    start = time.process_time()
    read_bird(benchmarks / "bird", "dev")
    assert time.process_time() - start < 10
