import sqlite3
from collections.abc import Iterator
from importlib.resources import files

import pytest

from joingr_pyg.datasets.benchmark import Benchmark
from joingr_pyg.datasets.demo import DATABASES, WAREHOUSE, read_demo
from joingr_pyg.errors import JoinGRError

FOLDER = files("joingr_pyg.datasets") / "demo"


@pytest.fixture(scope="module", params=["train", "test"])
def demo(request: pytest.FixtureRequest) -> Benchmark:
    return read_demo(request.param, strict=True)


@pytest.fixture(scope="module")
def connections() -> Iterator[dict[str, sqlite3.Connection]]:
    opened = {}
    for name in {name for names in DATABASES.values() for name in names}:
        opened[name] = sqlite3.connect(":memory:")
        for script in ("schema.sql", "rows.sql"):
            opened[name].executescript((FOLDER / name / script).read_text(encoding="utf-8"))
    yield opened
    for connection in opened.values():
        connection.close()


def test_the_splits_share_only_the_warehouse() -> None:
    assert set(DATABASES["train"]) & set(DATABASES["test"]) == {WAREHOUSE}
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert set(DATABASES["train"]) | set(DATABASES["test"]) == folders


def test_the_demo_has_its_documented_size() -> None:
    train, test = read_demo("train"), read_demo("test")
    databases = {database.name: database for database in (*train.databases, *test.databases)}
    assert len(databases) >= 8
    assert sum(len(database.tables) for database in databases.values()) >= 120
    assert len(databases[WAREHOUSE].tables) >= 50
    texts = [question.text for question in (*train.questions, *test.questions)]
    assert len(texts) >= 320
    assert len({" ".join(text.lower().split()) for text in texts}) == len(texts)


def test_every_question_is_resolved_and_counted_once(demo: Benchmark) -> None:
    assert demo.dropped == ()
    assert [question.index for question in demo.questions] == list(range(len(demo.questions)))
    assert {question.database for question in demo.questions} == set(DATABASES[demo.split])


def test_the_gold_tables_are_those_that_sqlite_reads(
    demo: Benchmark, connections: dict[str, sqlite3.Connection]
) -> None:
    """Each gold SQL runs, and SQLite reports the tables that a statement reads while it prepares the statement."""
    for question in demo.questions:
        connection = connections[question.database]
        read: set[str] = set()

        def record_read(action: int, table: str | None, *_: object, read: set[str] = read) -> int:
            if action == sqlite3.SQLITE_READ and table is not None:
                read.add(table)
            return sqlite3.SQLITE_OK

        connection.set_authorizer(record_read)
        connection.execute(question.sql).fetchall()
        connection.set_authorizer(None)
        assert read == set(question.gold_tables), question.sql


READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def test_the_gold_sql_only_reads(demo: Benchmark, connections: dict[str, sqlite3.Connection]) -> None:
    for question in demo.questions:
        connection = connections[question.database]
        actions: set[int] = set()

        def record_action(action: int, *_: object, actions: set[int] = actions) -> int:
            actions.add(action)
            return sqlite3.SQLITE_OK

        connection.set_authorizer(record_action)
        connection.execute(f"EXPLAIN {question.sql}").fetchall()
        connection.set_authorizer(None)
        assert actions <= READING, question.sql


def test_schemas_equal_what_sqlite_reports(demo: Benchmark, connections: dict[str, sqlite3.Connection]) -> None:
    for database in demo.databases:
        connection = connections[database.name]

        def pragma_rows(
            pragma: str, table: str, connection: sqlite3.Connection = connection
        ) -> list[tuple[object, ...]]:
            return connection.execute(f"SELECT * FROM pragma_{pragma}(?)", (table,)).fetchall()

        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
        assert [table.name for table in database] == [name for (name,) in names]
        keys = set()
        for table in database:
            # number, name, type, not null, default, position in the primary key
            columns = pragma_rows("table_info", table.name)
            assert [(column.name, column.type) for column in table.columns] == [(row[1], row[2]) for row in columns]
            members = sorted((row[5], row[1]) for row in columns if row[5])
            assert list(table.primary_key) == [name for _, name in members]
            for _, place, parent, column, referenced, *_ in pragma_rows("foreign_key_list", table.name):
                keys.add((table.name, column, parent, referenced or database[parent].primary_key[place]))
        assert {(k.table, k.column, k.referenced_table, k.referenced_column) for k in database.foreign_keys} == keys


def test_rows_satisfy_the_foreign_keys(connections: dict[str, sqlite3.Connection]) -> None:
    broken = {
        name: connection.execute("PRAGMA foreign_key_check").fetchall() for name, connection in connections.items()
    }
    assert not any(broken.values()), broken


def test_nearly_all_gold_queries_return_rows(demo: Benchmark, connections: dict[str, sqlite3.Connection]) -> None:
    empty = [q.sql for q in demo.questions if not connections[q.database].execute(q.sql).fetchall()]
    assert len(empty) <= 0.05 * len(demo.questions), empty


def test_each_table_outside_the_warehouse_is_needed(demo: Benchmark) -> None:
    needed = {name for question in demo.questions for name in question.gold}
    tables = {
        (database.name, table.name) for database in demo.databases if database.name != WAREHOUSE for table in database
    }
    assert tables <= needed


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(JoinGRError, match="There is no split of demo 'dev': choose 'train' or 'test'"):
        read_demo("dev")
