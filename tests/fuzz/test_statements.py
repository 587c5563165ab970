"""SQL is read or refused in one sentence in every dialect, and statements that are written say what the schema says."""

from pathlib import Path

import sqlglot
from hypothesis import assume, given
from hypothesis import strategies as st

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.schema.names.readable import is_internal
from joingr_pyg.schema.readers.ddl import read_ddl
from joingr_pyg.schema.sql.create_table import create_table_statements
from joingr_pyg.schema.sql.gold import tables_read_by
from tests.fuzz.effort import inputs
from tests.fuzz.strategies import STRANGE, TEXTS, databases, wide

DIALECTS = sorted(name for name in sqlglot.Dialect.classes if name)
WRITTEN = ["sqlite", "postgres", "mysql", "tsql", "oracle", "snowflake", "duckdb"]
"""Dialects in which a quoted name may be anything; BigQuery's have no dots and escape some letters."""

ROOT = Path(__file__).parents[2]
SCRIPTS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "joingr_pyg/datasets/demo").glob("*/*.sql"))]
QUERIES = [
    "WITH a AS (SELECT * FROM b JOIN a ON a.x = b.y) SELECT * FROM a WHERE z IN (SELECT z FROM c)",
    "SELECT TOP 5 [a].x, (SELECT max(y) FROM b) FROM [a] -- c\nUNION ALL SELECT 1, 2 FROM `c`;",
]
SHOP = Database("shop", tuple(Table(name, (Column("x"), Column("y"))) for name in ("a", "b", "c", "Order Details")))


def one_sentence(error: JoinGRError) -> None:
    assert "\n" not in str(error).strip()
    assert len(str(error)) < 1500


@st.composite
def mutated(draw: st.DrawFn, texts: list[str]) -> str:
    """A text of which parts are removed, doubled or replaced by something strange."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 40)))
        text = text[:start] + draw(st.one_of(st.just(text[start:stop] * 2), TEXTS)) + text[stop:]
    return text


@inputs(60)
@given(database=databases(), dialect=st.sampled_from([None, *WRITTEN]))
def test_statements_are_read_back(database: Database, dialect: str | None) -> None:
    names = [database.name, *(name for table in database for name in (table.name, *table.column_names))]
    # Readers take a carriage return for the end of a line, braces for a placeholder, and leave out SQLite's own tables.
    assume(not any(letter in name for name in names for letter in "\r{"))
    assume(not any(is_internal(table.name) for table in database))
    # A type of MySQL has the script read as one of MySQL's, where a backslash escapes what follows it.
    types = {column.type.upper()[:4] for table in database for column in table.columns}
    assume("ENUM" not in types or not any("\\" in name for name in names))
    statements = create_table_statements(database, [table.name for table in database], dialect)
    again = read_ddl(statements, database.name, dialect or "postgres")
    assert [table.name for table in again] == [table.name for table in database]
    for table in database:
        assert again[table.name].column_names == table.column_names
        assert again[table.name].primary_key == table.primary_key
    assert {join.endpoints for join in again.joins} == {join.endpoints for join in database.joins}


@inputs(60)
@given(mutated(SCRIPTS), st.sampled_from([None, *DIALECTS]))
def test_a_changed_script_is_read_or_refused(script: str, dialect: str | None) -> None:
    start = script.find("CREATE TABLE")
    try:
        # A few tables are enough, and quick.
        database = read_ddl(script[max(start, 0) :][:2000] + ";", "d", dialect)
    except JoinGRError as error:
        one_sentence(error)
    else:
        assert all(table.columns for table in database)


@inputs(150)
@given(st.one_of(TEXTS, mutated(QUERIES)), st.sampled_from(DIALECTS))
def test_any_query_reads_tables_of_the_schema(sql: str, dialect: str) -> None:
    try:
        tables = tables_read_by(sql, SHOP, dialect)
    except JoinGRError as error:
        one_sentence(error)
    else:
        assert tables
        assert set(tables) <= {table.name for table in SHOP}


def test_thousands_of_columns_are_read_back() -> None:
    database = Database("wide", (Table("t", wide(3000), ("c0", "c2999")), Table("", (Column(""),))))
    assert read_ddl(create_table_statements(database, ["t", ""]), "wide") == database


def test_a_type_cannot_end_its_column() -> None:
    table = Table("t", (Column("a", ") ; DROP TABLE t; --"), Column("b", "ENUM('x', 'y)')"), Column("c")))
    statements = create_table_statements(Database("d", (table,)), ["t"])
    assert statements == "CREATE TABLE t (\n  a,  -- Type ) ; DROP TABLE t; --.\n  b ENUM('x', 'y)'),\n  c\n);"


def test_every_strange_name_is_a_table_and_a_column() -> None:
    names = [name for name in STRANGE if "{" not in name and not is_internal(name)]
    database = Database("d", tuple(Table(name, tuple(map(Column, names)), (name,)) for name in names))
    again = read_ddl(create_table_statements(database, names), "d", "postgres")
    assert [table.name for table in again] == names
    for table in again:
        assert table == database[table.name]
