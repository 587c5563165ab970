"""Where statements end, whatever ends them, and that rows are passed over."""

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg.schema.readers.ddl import splitting
from joingr_pyg.schema.readers.ddl.dialects import quoting_of
from joingr_pyg.schema.readers.ddl.splitting import Statement, split

A, B = "CREATE TABLE a (x INT)", "CREATE TABLE b (y INT)"


def texts(script: str, dialect: str = "sqlite") -> list[str]:
    return [statement.text.strip() for statement in split([script + "\n"], quoting_of(dialect, [script]))]


@pytest.mark.parametrize(
    ("script", "dialect"),
    [
        (f"{A};{B}", "sqlite"),
        (f"{A}\n;\n;;{B};", "duckdb"),
        (f"{A}\nGO\n{B}\ngo 2\n", "tsql"),
        (f"{A}\n{B}\nGO", "tsql"),
        (f"{A}\n/\n{B}\n/", "oracle"),
        (f"{A};\n/\n{B};\n/", "oracle"),
        (f"{A}\n\n{B}", "hive"),
        (f"DELIMITER $$\n{A}$$\nDELIMITER ;\n{B};", "mysql"),
        (f"{A} @\n{B} @", "db2"),
        (f"\\connect shop\n\\restrict it's\n{A};\n\\echo it's\n{B};", "postgres"),
        (f".mode it's\n{A};{B};", "sqlite"),
        (f"PROMPT it's a table\n{A};\nREM it's another\n{B};\nexit", "oracle"),
        (f":setvar name \"it's\"\n{A}\nGO\n:r .\\it's.sql\n{B}", "tsql"),
        (f"SET DEFINE OFF\n{A};\n@other.sql\n{B};", "oracle"),
        (f"# it's a comment\n{A}; -- it's one\n/* it's; one */ {B};", "mysql"),
    ],
)
def test_whatever_ends_a_statement(script: str, dialect: str) -> None:
    tables = [text.rstrip(" @") for text in texts(script, dialect) if text.startswith("CREATE")]
    assert tables == [A, B]


@pytest.mark.parametrize(
    ("string", "dialect"),
    [
        ("'; CREATE TABLE x (y INT);'", "sqlite"),
        ("'it''s; '", "postgres"),
        ("E'it\\'s; '", "postgres"),
        ("'a\\'", "postgres"),
        ("'it\\'s; '", "mysql"),
        ('"it\'s; "', "mysql"),
        ("$$it's; $$", "postgres"),
        ("$q$it's; $$; $q$", "postgres"),
        ("q'[it's; ]'", "oracle"),
        ("q'!it's; !'", "oracle"),
        ('"""it\'s; """', "bigquery"),
        ("[it's; ]", "tsql"),
        ("`it's; `", "mysql"),
        ("/* it's; */", "sqlite"),
        ("-- it's; \n", "sqlite"),
    ],
)
def test_what_is_quoted_ends_nothing(string: str, dialect: str) -> None:
    first = f"CREATE TABLE a (x INT, y TEXT DEFAULT {string})"
    assert texts(f"{first};{B}", dialect) == [first, B]


@pytest.mark.parametrize(
    ("routine", "dialect"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = CASE WHEN 1 THEN 2 END; SELECT 1; END;", "sqlite"),
        ("CREATE PROCEDURE p()\nBEGIN\nIF 1 THEN\nCREATE TABLE t (x INT);\nEND IF;\nEND;", "mysql"),
        ("DELIMITER //\nCREATE PROCEDURE p()\nBEGIN\nCREATE TEMPORARY TABLE t (x INT);\nEND //\nDELIMITER ;", "mysql"),
        ("/*!50003 CREATE*/ /*!50017 DEFINER=`r`@`h`*/ /*!50003 TRIGGER t BEFORE INSERT ON a FOR EACH ROW\nBEGIN\n"
         "CREATE TEMPORARY TABLE x (y INT);\nEND */;", "mysql"),
        ("CREATE FUNCTION f() RETURNS int AS $$\nBEGIN\nCREATE TABLE t (x int);\nEND;\n$$ LANGUAGE p;", "postgres"),
        ("CREATE FUNCTION f() RETURNS int AS 'BEGIN\nCREATE TABLE t (x int);\nEND;' LANGUAGE plpgsql;", "postgres"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END;",
         "postgres"),
        ("CREATE PROCEDURE p AS\nCREATE TABLE #t (x INT)\nINSERT #t VALUES (1)\nCREATE TABLE t (x INT);\nGO", "tsql"),
        ("CREATE OR REPLACE PROCEDURE p IS\nv NUMBER;\nBEGIN\nLOOP\nNULL;\nEND LOOP;\nEND p;\n/", "oracle"),
        ("CREATE OR REPLACE PACKAGE BODY p AS\nPROCEDURE q IS BEGIN NULL; END;\nPROCEDURE r IS BEGIN\nEND;\nEND;\n/",
         "oracle"),
        ("CREATE OR REPLACE TRIGGER t BEFORE INSERT ON a FOR EACH ROW\nBEGIN\n:NEW.x := 'it''s';\nEND;\n", "oracle"),
        ("CREATE TRIGGER t BEFORE UPDATE ON a REFERENCING NEW AS n FOR EACH ROW\nBEGIN\nSET n.x = 1;\nEND;", "db2"),
    ],
)  # fmt: skip
def test_a_body_belongs_to_its_routine(routine: str, dialect: str) -> None:
    end = "\nGO" if dialect == "tsql" else ";"
    script = f"{A}{end}\n{routine}\n{B}{end}\n"
    tables = [text for text in texts(script, dialect) if text.startswith("CREATE TABLE")]
    assert tables == [A, B]


def test_a_body_that_never_ends_hides_no_table() -> None:
    assert A in texts(f"CREATE PROCEDURE p() BEGIN SELECT 1;\n{A};\n", "mysql")


@pytest.mark.parametrize(
    ("rows", "dialect"),
    [
        ("INSERT INTO a VALUES (1, 'CREATE TABLE x (y INT);');", "sqlite"),
        ("INSERT INTO a VALUES (1, 'a\nCREATE TABLE x (y INT);\n');", "sqlite"),
        ("INSERT INTO a VALUES (1, 'it\\'s; x'), (2, '\\\\');", "mysql"),
        ("INSERT [dbo].[a] ([x]) VALUES (N'it''s')\nINSERT [dbo].[a] ([x]) VALUES (N'GO')\nGO", "tsql"),
        ("COPY a (x) FROM stdin;\nit's\t1\nCREATE TABLE x (y int);\n\\N\n\\.\n", "postgres"),
        ("REPLACE INTO a VALUES (1);\nUPDATE a SET x = 1;\nDELETE FROM a;\nSELECT * FROM a;", "mysql"),
    ],
)
def test_rows_are_passed_over(rows: str, dialect: str) -> None:
    assert texts(f"{A};\n{rows}\n{B};", dialect) == [A, B]


@pytest.mark.parametrize("marker", ["-- +goose Down", "-- migrate:down", "-- +migrate Down", "--//@UNDO"])
def test_what_takes_a_migration_back_is_no_part_of_it(marker: str) -> None:
    assert texts(f"-- +goose Up\n{A};\n{B};\n{marker}\nDROP TABLE a;\nDROP TABLE b;") == [A, B]


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1000])
def test_pieces_of_any_size_are_the_same_script(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(splitting, "CHUNK", size)
    monkeypatch.setattr(splitting, "HEAD", 16)
    script = (
        f"{A};\nINSERT INTO a VALUES (1, 'a;\nb'), -- it's\n(2, 'c');\nCREATE FUNCTION f() AS $$\n;\n\nx\n$$;\n"
        f"/* a\n;\nb */\nCOPY a FROM stdin;\n1\n2\n\\.\n{B}\n;\nCREATE TABLE c (\n  x TEXT DEFAULT 'a\n;\n''b'\n);\n"
    )
    quoting = quoting_of("postgres")
    whole = list(split([script], quoting))
    assert [statement.line for statement in whole] == [1, 5, 17, 19]
    assert list(split(script.splitlines(keepends=True), quoting)) == whole


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (f"{A};\nCREATE TABLE c (x TEXT DEFAULT 'y);\n{B};", 2),
        (
            f"{A};\nINSERT INTO a VALUES ('b);\nINSERT INTO a VALUES ('b');\n{B};\nINSERT INTO a VALUES ('b');",
            2,
        ),
        (f"{A};\nINSERT INTO a VALUES ('O'Brien');\n{B};\nINSERT INTO a VALUES ('b');", 2),
        (f"{A};\n\n/* a comment\n{B};", 3),
    ],
)
def test_a_quote_that_is_not_closed_is_found_in_its_line(script: str, line: int) -> None:
    statements = list(split([script + "\n"], quoting_of("sqlite")))
    assert [statement.unclosed for statement in statements if statement.unclosed] == [line]
    assert {A, B} <= {statement.text.strip().removeprefix("/* a comment\n") for statement in statements}


WORDS = st.sampled_from(
    ["ALTER", "TABLE", "SELECT", "foo", "(", ")", ",", "'", '"', "`", "[", "]", "--", "#", ";", "\n", "@"]
)


@given(st.lists(WORDS, max_size=12).map(" ".join), st.sampled_from(["sqlite", "mysql", "postgres", "tsql", "oracle"]))
def test_junk_between_statements_hides_none(junk: str, dialect: str) -> None:
    found = texts(f"{A};\n{junk}\n{B};\n{junk}\nCREATE TABLE c (z INT);\n", dialect)
    assert [text for text in found if text.startswith("CREATE")] == [A, B, "CREATE TABLE c (z INT)"]


def test_rows_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splitting, "CHUNK", 1 << 16)
    row = "INSERT INTO a VALUES (1, 'it''s a row; of many', 2.5, NULL);\n" * 1000

    def pieces() -> Iterator[str]:
        yield A + ";\n"
        for _ in range(40):
            yield row
        yield B + ";\n"

    tracemalloc.start()
    try:
        found = list(split(pieces(), quoting_of("sqlite")))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [Statement(A, 1), Statement(B, 40_002)]
    assert peak < 6 * splitting.CHUNK < 40 * len(row)
