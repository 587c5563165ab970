"""Nothing is written to a live database, no lock is held, and no message holds a password."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from traceback import format_exception

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.live import read_database
from joingr_pyg.schema.readers.live.connection import reading
from tests.servers import ESCAPED, PASSWORD, Server

SCRIPT = "CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1);"

WRITES = [
    "INSERT INTO t VALUES (2)",
    "UPDATE t SET a = 3",
    "DELETE FROM t",
    "DROP TABLE t",
    "ALTER TABLE t ADD COLUMN b INTEGER",
    "CREATE TABLE u (a INTEGER)",
]


@pytest.fixture(params=["sqlite", "duckdb", "postgres", "mariadb"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with one table and one row in each system."""
    if request.param in ("postgres", "mariadb"):
        server: Server = request.getfixturevalue(request.param)
        return server.new_database(SCRIPT)
    path = tmp_path / f"one.{request.param}"
    if request.param == "sqlite":
        connection = sqlite3.connect(path)
        connection.executescript(SCRIPT)
    else:
        pytest.importorskip("duckdb_engine")
        connection = pytest.importorskip("duckdb").connect(str(path))
        connection.execute(SCRIPT)
    connection.close()
    return f"{request.param}:///{path}"


def rows(url: str) -> list[int]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = list(connection.execute(text("SELECT a FROM t")).scalars())
    engine.dispose()
    return found


@pytest.mark.parametrize("write", WRITES)
def test_no_write_is_possible(url: str, write: str) -> None:
    def action(connection: Connection) -> str:
        for _ in range(2):  # A transaction that follows is read-only too.
            with pytest.raises(DBAPIError) as refused:
                connection.execute(text(write))
            connection.rollback()
            assert connection.execute(text("SELECT a FROM t")).scalar() == 1
        return str(refused.value).lower()

    message = reading(url, action, 10)
    assert "read-only" in message or "read only" in message or "readonly" in message
    assert rows(url) == [1]


@pytest.mark.parametrize("isolation", [None, "AUTOCOMMIT"])
@pytest.mark.parametrize("url", ["sqlite", "postgres", "mariadb"], indirect=True)
def test_no_write_is_possible_by_an_engine_which_can_write_afterwards(url: str, isolation: str | None) -> None:
    engine = create_engine(url, **({"isolation_level": isolation} if isolation else {}))

    def action(connection: Connection) -> None:
        with pytest.raises(DBAPIError):
            connection.execute(text("INSERT INTO t VALUES (2)"))

    reading(engine, action, 10)
    assert rows(url) == [1]
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO t VALUES (2)"))
    engine.dispose()
    assert rows(url) == [1, 2]


@pytest.fixture
def other(url: str) -> Iterator[Connection]:
    """Somebody else, who waits for no lock for more than a second."""
    engine = create_engine(url)
    with engine.connect() as connection:
        limit = "SET lock_timeout = 1000" if "postgres" in url else "SET SESSION lock_wait_timeout = 1"
        connection.execute(text(limit))
        connection.commit()
        yield connection
    engine.dispose()


@pytest.mark.parametrize("url", ["postgres", "mariadb"], indirect=True)
def test_no_lock_is_held_while_the_catalog_is_read(
    url: str, other: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is altered after everything has been read and before the transaction ends."""
    from joingr_pyg.schema.readers.live import reading as module

    report, altered = module._report, []

    def alter(*given: object) -> None:
        other.execute(text("ALTER TABLE t ADD COLUMN b INTEGER"))
        other.commit()
        altered.append(True)
        report(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_report", alter)
    assert read_database(url)["t"].column_names == ("a",)
    assert altered


@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_a_table_that_somebody_has_locked_is_read_nevertheless(url: str, other: Connection) -> None:
    other.execute(text("LOCK TABLE t IN ACCESS EXCLUSIVE MODE"))
    assert read_database(url)["t"].column_names == ("a",)


@pytest.mark.parametrize("url", ["postgres", "mariadb"], indirect=True)
def test_a_statement_that_takes_too_long_is_stopped(url: str) -> None:
    sleep = "SELECT pg_sleep(30)" if "postgres" in url else "SELECT SLEEP(30) FROM t, information_schema.tables"
    with pytest.raises(JoinGRError, match=r"(?i)time"):
        reading(url, lambda connection: connection.execute(text(sleep)).all(), 0.2)


@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_a_lock_is_not_waited_for(url: str, other: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joingr_pyg.schema.readers.live.connection.LOCK_SECONDS", 0.1)
    other.execute(text("LOCK TABLE t IN ACCESS EXCLUSIVE MODE"))
    with pytest.raises(JoinGRError, match="lock timeout"):
        reading(url, lambda connection: connection.execute(text("SELECT a FROM t")).all(), 60)


def shown(error: BaseException) -> str:
    """All that a person or a log could see of an exception, and of every other that hangs on it."""
    texts, chain = ["".join(format_exception(error))], [error]
    while chain:
        one = chain.pop()
        texts += [str(one), repr(one), repr(vars(one))]
        chain += [each for each in (one.__cause__, one.__context__) if each is not None]
    return "\n".join(texts)


def refused(source: str) -> str:
    """The message of the one sentence that a URL gets."""
    with pytest.raises(JoinGRError) as error:
        read_database(source)
    for secret in ("s3cret", "s3%2Fcret", "s3/cret", PASSWORD, ESCAPED):
        assert secret not in shown(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("server", ["postgres", "mariadb"])
def test_a_wrong_password_is_not_shown(server: str, request: pytest.FixtureRequest) -> None:
    running: Server = request.getfixturevalue(server)
    for password in ("s3cret", "s3%2Fcret"):
        message = refused(running.url("shop").replace(ESCAPED, password))
        assert "'shop' at 127.0.0.1" in message
        assert "check user and password; in a URL their special characters are escaped" in message


@pytest.mark.parametrize("server", ["postgres", "mariadb"])
def test_a_database_that_does_not_exist_is_named(server: str, request: pytest.FixtureRequest) -> None:
    running: Server = request.getfixturevalue(server)
    assert "no_such" in refused(running.url("no_such"))


@pytest.mark.parametrize("system", ["postgresql", "mysql", "mariadb"])
def test_a_server_that_does_not_answer_is_named(system: str) -> None:
    message = refused(f"{system}://me:s3cret@127.0.0.1:1/shop")
    assert "database 'shop' at 127.0.0.1:1 cannot be read" in message
    message = refused(f"{system}://me:s3cret@no-such-host.invalid/shop")
    assert "database 'shop' at no-such-host.invalid cannot be read" in message


@pytest.mark.parametrize("system", ["postgresql", "mysql"])
def test_an_option_that_the_driver_does_not_know_is_named(system: str) -> None:
    assert "no_option" in refused(f"{system}://me:s3cret@127.0.0.1:1/shop?no_option=1")


def test_a_message_that_repeats_the_password_is_not_shown() -> None:
    message = refused("postgresql://me:s3cret@127.0.0.1:1/shop?application_name=x&bad_s3cret=1")
    assert "whose message repeats the password and is not shown" in message


def test_a_reader_in_a_thread_of_its_own_leaves_others_alone(tmp_path: Path) -> None:
    """SQLite's connections belong to their thread."""
    path = tmp_path / "one.sqlite"
    sqlite3.connect(path).executescript(SCRIPT)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(read_database(f"sqlite:///{path}").name))
    thread.start()
    thread.join()
    assert found == ["one"]


def test_a_write_ahead_log_is_read_and_none_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    writer = sqlite3.connect(path)
    writer.executescript(f"PRAGMA journal_mode = WAL; {SCRIPT}")
    writer.execute("CREATE TABLE u (a INTEGER)")
    assert (tmp_path / "one.sqlite-wal").exists()
    assert len(read_database(f"sqlite:///{path}").tables) == 2
    writer.close()
    assert len(read_database(f"sqlite:///{path}").tables) == 2
    assert list(tmp_path.iterdir()) == [path]
