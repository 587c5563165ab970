import logging
import re
import sqlite3
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.ddl import read_ddl

DEMO = sorted(Path(str(files("joingr_pyg.datasets"))).glob("demo/*/schema.sql"))


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def as_sqlite_reads(text: str) -> Database:
    """The schema that SQLite itself reports of the executed DDL, references to nothing left out."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(text)
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    tables, keys = {}, []
    for (table,) in names.fetchall():
        info = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
        primary = sorted((place, name) for _, name, _, _, _, place in info if place)
        tables[table] = Table(
            table, tuple(Column(name, kind) for _, name, kind, *_ in info), tuple(name for _, name in primary)
        )
        listed = connection.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchall()
        keys += [(table, *row) for row in sorted(listed, key=lambda row: (-row[0], row[1]))]
    foreign_keys = []
    for table, _, place, target, column, referenced, *_ in keys:
        parent = next((each for each in tables.values() if each.name.lower() == target.lower()), None)
        own = next(name for name in tables[table].column_names if name.lower() == column.lower())
        if parent is not None:
            end = parent.primary_key[place] if referenced is None else referenced
            ends = [name for name in parent.column_names if name.lower() == end.lower()]
            foreign_keys += [ForeignKey(table, own, parent.name, name) for name in ends]
    return Database("d", tuple(tables.values()), tuple(foreign_keys))


def without_descriptions(database: Database) -> Database:
    tables = [
        Table(table.name, tuple(Column(column.name, column.type) for column in table.columns), table.primary_key)
        for table in database
    ]
    return Database(database.name, tuple(tables), database.foreign_keys)


def test_inline_and_table_level_keys() -> None:
    text = """
        CREATE TABLE pupil (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE course (code TEXT, term INT, PRIMARY KEY (code, term));
        CREATE TABLE takes (
            pupil INT REFERENCES pupil(id) ON DELETE CASCADE,
            code TEXT, term INT,
            CONSTRAINT once PRIMARY KEY (pupil, code),
            FOREIGN KEY (code, term) REFERENCES course (code, term)
        );
    """
    expected = Database(
        "d",
        (
            Table("pupil", (Column("id", "INTEGER"), Column("name", "TEXT")), ("id",)),
            Table("course", (Column("code", "TEXT"), Column("term", "INT")), ("code", "term")),
            Table("takes", (Column("pupil", "INT"), Column("code", "TEXT"), Column("term", "INT")), ("pupil", "code")),
        ),
        (
            ForeignKey("takes", "pupil", "pupil", "id"),
            ForeignKey("takes", "code", "course", "code"),
            ForeignKey("takes", "term", "course", "term"),
        ),
    )
    assert read_ddl(text, "d") == expected
    assert as_sqlite_reads(text) == expected


@pytest.mark.parametrize("reference", ["REFERENCES League", "REFERENCES league(LEAGUE_KEY)"])
def test_a_reference_without_a_column_means_the_primary_key(reference: str) -> None:
    """C1, and names of any letter case."""
    text = f"CREATE TABLE League(league_key INTEGER PRIMARY KEY); CREATE TABLE Match(id INT, league_id INT {reference})"
    assert read_ddl(text, "d").foreign_keys == (ForeignKey("Match", "league_id", "League", "league_key"),)
    assert as_sqlite_reads(text) == read_ddl(text, "d")


def test_a_composite_reference_without_columns_means_the_composite_primary_key() -> None:
    text = """
        CREATE TABLE a (x INT, y INT, PRIMARY KEY (y, x));
        CREATE TABLE b (p INT, q INT, FOREIGN KEY (p, q) REFERENCES a);
    """
    assert read_ddl(text, "d").foreign_keys == (ForeignKey("b", "p", "a", "y"), ForeignKey("b", "q", "a", "x"))
    assert as_sqlite_reads(text) == read_ddl(text, "d")


def test_a_table_may_be_referenced_before_it_is_created() -> None:
    text = "CREATE TABLE b(a INT REFERENCES a); CREATE TABLE a(id INT PRIMARY KEY)"
    assert read_ddl(text, "d").foreign_keys == (ForeignKey("b", "a", "a", "id"),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "CREATE TABLE a(id INT REFERENCES gone(id))",
            "'a' (id) of database 'd' is skipped: it references 'gone' (id)",
        ),
        ("CREATE TABLE c(x INT REFERENCES c(nocol))", "'c' (x) of database 'd' is skipped: it references 'c' (nocol)"),
        ("CREATE TABLE c(x INT REFERENCES c)", "it references 'c' (its primary key)"),
        ("CREATE TABLE c(x INT, y INT PRIMARY KEY, FOREIGN KEY (x, y) REFERENCES c)", "'c' (x, y) of database 'd'"),
    ],
)
def test_a_reference_to_nothing_is_skipped_with_a_warning(
    caplog: pytest.LogCaptureFixture, text: str, told: str
) -> None:
    """C3."""
    with caplog.at_level(logging.WARNING):
        database = read_ddl(text, "d")
    assert database.foreign_keys == ()
    assert len(database.tables) == 1
    assert told in caplog.text


def test_odd_names_stay_verbatim() -> None:
    """C6."""
    names = ("Percent (%) Free", "Rep's Addr", "a.b", 'q"q', "名", "", "group")
    text = f'CREATE TABLE "we ird"({", ".join(quoted(name) + " INT" for name in names)})'
    assert '"Rep\'s Addr" INT, "a.b" INT, "q""q" INT, "名" INT, "" INT' in text
    assert read_ddl(text, "d")["we ird"].column_names == names
    assert as_sqlite_reads(text) == read_ddl(text, "d")


def test_a_quoted_keyword_is_a_name() -> None:
    text = """
        CREATE TABLE "table" ("check" INT, "PRIMARY KEY" TEXT, [references] INT, x TEXT DEFAULT 'PRIMARY KEY');
        CREATE TABLE b ("primary key" TEXT REFERENCES "table" ("check"), "constraint" TEXT, UNIQUE ("primary key"));
    """
    read = read_ddl(text, "d")
    assert read["table"].column_names == ("check", "PRIMARY KEY", "references", "x")
    assert read.foreign_keys == (ForeignKey("b", "primary key", "table", "check"),)
    assert as_sqlite_reads(text) == read


COLUMN_NAMES = st.text(alphabet="aZ0_ .,;()-'\"`[]/*é名\n", max_size=6)


@given(st.lists(COLUMN_NAMES, min_size=1, max_size=5, unique_by=str.lower), COLUMN_NAMES.filter(bool))
def test_any_name_survives_double_quotes(columns: list[str], table: str) -> None:
    definitions = ", ".join(f"{quoted(column)} INT" for column in columns)
    key = ", ".join(quoted(column) for column in reversed(columns))
    text = f"CREATE TABLE {quoted(table)} ({definitions}, PRIMARY KEY ({key}))"
    read = read_ddl(text, "d")
    assert read == Database("d", (Table(table, tuple(Column(each, "INT") for each in columns), tuple(columns[::-1])),))
    assert as_sqlite_reads(text) == read


@pytest.mark.parametrize(
    "definition",
    [
        "x",
        "'x'",
        "[x y] VARCHAR(3) NOT NULL",
        "x PRIMARY KEY",
        "x REFERENCES b(id)",
        "x INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT",
        "x INT NOT NULL ON CONFLICT IGNORE",
        "x UNSIGNED BIG INT",
        "x LONG VARCHAR",
        "x NATIVE CHARACTER(70)",
        "x DECIMAL(10,5) DEFAULT -1.5",
        "x CURRENCY DEFAULT (1 + 2)",
        "x TEXT DEFAULT 'PRIMARY KEY, x REFERENCES b(id)'",
        "x TEXT COLLATE NOCASE CHECK (x IN ('a,', ')'))",
        "x INT CONSTRAINT c1 CHECK (x > 1) CONSTRAINT c2 REFERENCES b DEFERRABLE INITIALLY DEFERRED",
        "x DATE DEFAULT CURRENT_TIMESTAMP",
        "key TEXT",
        "date",
        "if INT",
        "order_id INT",
    ],
)
def test_a_definition_means_what_sqlite_takes_it_for(definition: str) -> None:
    options = "" if "AUTOINCREMENT" in definition else "WITHOUT ROWID"
    key = "" if re.search("[a-z] (INTEGER )?PRIMARY KEY", definition) else ", PRIMARY KEY (a DESC)"
    text = f"""
        CREATE TABLE b (id INTEGER PRIMARY KEY);
        CREATE TABLE t (a INT, {definition}, y INT{key}, CONSTRAINT f FOREIGN KEY (a) REFERENCES B,
            UNIQUE (y) ON CONFLICT FAIL, CHECK (y > 1)) {options};
    """
    read, reported = read_ddl(text, "d"), as_sqlite_reads(text)
    assert read.tables == reported.tables
    assert sorted(map(str, read.foreign_keys)) == sorted(map(str, reported.foreign_keys))


def described(text: str, dialect: str = "sqlite") -> dict[str, str]:
    (table,) = read_ddl(text, "d", dialect).tables
    return {column.name: column.description for column in table.columns}


def test_a_comment_belongs_to_the_column_before_it() -> None:
    text = """
        -- the table
        CREATE TABLE t ( -- of things
            id INTEGER PRIMARY KEY, -- after the comma
            -- on a line of its own
            a TEXT NOT NULL DEFAULT 'x -- y', -- with -- dashes, and a comma
            b DECIMAL(10, 2) -- before the comma
            , c INT CHECK (c > 0) /* in
              two lines */, /* and twice */
            d, -- without a type
            "e -- f" INT REFERENCES t(id), -- a reference
            g INT,
            PRIMARY KEY (id), -- a constraint
            h TEXT NOT NULL -- the last
            -- nothing follows
        ); -- the end
    """
    assert described(text) == {
        "id": "after the comma",
        "a": "with -- dashes, and a comma",
        "b": "before the comma",
        "c": "in\n              two lines and twice",
        "d": "without a type",
        "e -- f": "a reference",
        "g": "",
        "h": "the last",
    }


def test_a_comment_after_a_last_column_without_a_type() -> None:
    assert described("CREATE TABLE t (a, -- first\n b -- second\n)") == {"a": "first", "b": "second"}


def test_a_comment_ends_with_its_line_on_every_system() -> None:
    assert described("CREATE TABLE t (\r\n a INT, -- first\r\n b INT -- second\r\n)") == {"a": "first", "b": "second"}


def test_other_statements_are_ignored(caplog: pytest.LogCaptureFixture) -> None:
    text = """
        PRAGMA foreign_keys = OFF; BEGIN TRANSACTION;
        CREATE TABLE IF NOT EXISTS main.a (id INTEGER PRIMARY KEY AUTOINCREMENT, n TEXT);
        INSERT INTO a VALUES (1, 'CREATE TABLE x (y INT);');
        CREATE TABLE sqlite_sequence(name, seq);
        CREATE VIEW v AS SELECT * FROM a;
        CREATE UNIQUE INDEX i ON a (n) WHERE n > 1;
        CREATE TRIGGER tr AFTER INSERT ON a BEGIN UPDATE a SET n = 1; INSERT INTO b SELECT 1; END;
        CREATE TEMP TABLE b (id INT) STRICT;
        COMMIT
    """
    assert [table.name for table in read_ddl(text, "d")] == ["a", "b"]
    assert not caplog.records


def test_a_table_made_from_a_query_is_left_out_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert [table.name for table in read_ddl("CREATE TABLE a(x INT); CREATE TABLE b AS SELECT 1", "d")] == ["a"]
    assert "Line 1 is not understood: its query names no column ('CREATE TABLE b AS SELECT 1')" in caplog.text


def test_mysql_s_indexes_are_no_columns() -> None:
    text = """
        /*!40101 SET NAMES utf8 */;
        CREATE TABLE `y` (`id` int unsigned NOT NULL AUTO_INCREMENT, PRIMARY KEY (`id`));
        CREATE TABLE `x` (
            `id` int unsigned NOT NULL, `e` enum('a','b') CHARACTER SET utf8 COLLATE utf8_bin DEFAULT 'a',
            PRIMARY KEY (`id`, `e`(10)), KEY `i` (`e`), UNIQUE KEY u (`e`), FULLTEXT KEY `f` (`e`),
            CONSTRAINT `c` FOREIGN KEY (`id`) REFERENCES `y` (`id`) ON DELETE CASCADE
        ) ENGINE=InnoDB DEFAULT CHARSET=utf8;
    """
    assert read_ddl(text, "d", "mysql") == Database(
        "d",
        (
            Table("y", (Column("id", "int unsigned"),), ("id",)),
            Table("x", (Column("id", "int unsigned"), Column("e", "enum('a','b')")), ("id", "e")),
        ),
        (ForeignKey("x", "id", "y", "id"),),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The DDL of database 'd' creates no table."),
        ("SELECT 1", "The DDL of database 'd' creates no table."),
        (
            "CREATE TABLE a (id INT",
            "Line 1 is not understood: its parentheses are not closed ('CREATE TABLE a (id INT')",
        ),
        ("CREATE TABLE a (id INT CHECK (id > 1)", "its parentheses are not closed"),
        ("CREATE TABLE", "Line 1 is not understood: a name is missing"),
        ("CREATE TABLE a ('id INT)", "a quote or comment that opens there is never closed"),
        ("CREATE TABLE a ()", "Table 'a' of database 'd' is left out: it has no columns"),
    ],
)
def test_ddl_without_a_table_is_refused(text: str, message: str) -> None:
    with pytest.raises(JoinGRError, match="The DDL of database 'd' creates no table") as caught:
        read_ddl(text, "d")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE TABLE a (x INT REFERENCES)", "of table 'a': a name is missing"),
        ("CREATE TABLE a (x INT, PRIMARY KEY (y))", "it names column 'y', which does not exist"),
        ("CREATE TABLE a (x INT, FOREIGN KEY (y) REFERENCES a(x))", "is skipped: column 'y' does not exist"),
        ("CREATE TABLE a (x INT); CREATE TABLE a (y INT)", "table 'a' was created before, and the first one is kept"),
    ],
)
def test_what_cannot_be_is_left_out_with_a_warning(caplog: pytest.LogCaptureFixture, text: str, message: str) -> None:
    assert read_ddl(text, "d") == Database("d", (Table("a", (Column("x", "INT"),)),))
    assert message in caplog.text


@pytest.mark.parametrize("path", DEMO, ids=lambda path: path.parent.name)
def test_the_demo_schemas_mean_what_sqlite_takes_them_for(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = path.read_text(encoding="utf-8")
    database = read_ddl(text, "d")
    reported = as_sqlite_reads(text)
    assert without_descriptions(database).tables == reported.tables
    assert sorted(map(str, database.foreign_keys)) == sorted(map(str, reported.foreign_keys))
    assert not caplog.records


@pytest.mark.parametrize("path", DEMO, ids=lambda path: path.parent.name)
def test_every_comment_of_the_demo_schemas_describes_the_column_of_its_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    written = re.findall(r"^\s*(\w+).*?--\s*(.*?)\s*$", text, re.MULTILINE)
    columns = [column for table in read_ddl(text, "d") for column in table.columns]
    assert [(column.name, column.description) for column in columns if column.description] == written
