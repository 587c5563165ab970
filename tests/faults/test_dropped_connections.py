"""A server that drops the connection while its schema or values are read: one sentence, without the password."""

from collections.abc import Callable
from traceback import format_exception
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, event, text

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.live import connection as module
from joingr_pyg.schema.readers.live import read_database
from tests.servers import ESCAPED, PASSWORD, Server

SCRIPT = """
CREATE TABLE a (id INTEGER PRIMARY KEY, n VARCHAR(20)); CREATE TABLE b (id INTEGER, a_id INTEGER REFERENCES a (id));
INSERT INTO a VALUES (1, 'one');
"""

KILL = {
    "postgres": (
        "SELECT pg_backend_pid()",
        "SELECT pg_terminate_backend({})",
    ),
    "mariadb": ("SELECT CONNECTION_ID()", "KILL {}"),
}


@pytest.fixture(params=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> tuple[str, Server]:
    return request.param, request.getfixturevalue(request.param)


def dropping(monkeypatch: pytest.MonkeyPatch, system: str, server: Server) -> Callable[[int], list[str]]:
    """``drop(n)`` has the server end a reader's connection before its n-th statement; it returns what was sent."""
    who, kill = KILL[system]
    make = module.make_engine

    def drop(number: int) -> list[str]:
        sent: list[str] = []

        def made(*given: Any, **options: Any) -> Any:
            engine = make(*given, **options)

            @event.listens_for(engine, "before_cursor_execute")
            def before(connection: Connection, cursor: Any, statement: str, *_: Any) -> None:
                sent.append(statement)
                if len(sent) == number:
                    raw = cursor.connection.cursor()
                    raw.execute(who)
                    (process,) = raw.fetchone()
                    administrator = create_engine(server.url("postgres" if system == "postgres" else "mysql"))
                    with administrator.connect() as other:
                        other.execute(text(kill.format(process)))
                    administrator.dispose()

            return engine

        monkeypatch.setattr(module, "make_engine", made)
        return sent

    return drop


def test_one_sentence_at_whatever_statement(server: tuple[str, Server], monkeypatch: pytest.MonkeyPatch) -> None:
    system, running = server
    url = running.new_database(SCRIPT)
    drop = dropping(monkeypatch, system, running)
    statements = drop(0)
    whole = read_database(url)
    assert len(statements) >= 3
    for number in range(1, len(statements) + 1):
        drop(number)
        with pytest.raises(JoinGRError, match="cannot be read: ") as error:
            read_database(url)
        shown = "".join(format_exception(error.value))
        assert "\n" not in str(error.value)
        assert PASSWORD not in shown
        assert ESCAPED not in shown
    drop(0)
    assert read_database(url) == whole


def test_a_retriever_stays_as_it_was(server: tuple[str, Server], monkeypatch: pytest.MonkeyPatch) -> None:
    system, running = server
    url = running.new_database(SCRIPT)
    retriever = TableRetriever.from_database(url, CachedEncoder(HashingEncoder(16)))
    answer = retriever.retrieve("Which a?").to_dict()
    running.run("CREATE TABLE c (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id));", url)
    drop = dropping(monkeypatch, system, running)
    drop(2)
    with pytest.raises(JoinGRError, match="cannot be read: "):
        retriever.refresh()
    assert retriever.retrieve("Which a?").to_dict() == answer
    drop(0)
    assert [table for _, table in retriever.refresh().added_tables] == ["c"]
