"""A connection that cannot write: every transaction is read-only, waits for no lock for long, and is rolled back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, Union

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.readers.live.address import described, failure_reason, make_engine, parse_url

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

T = TypeVar("T")

LiveSource = Union[str, "Engine"]
"""A database: its URL, or an engine of SQLAlchemy."""

LOCK_SECONDS = 5.0
"""How long a statement waits for a lock that somebody else holds, in seconds."""


def reading(source: LiveSource, action: Callable[["Connection"], T], timeout: float) -> T:
    """Do something with a read-only connection to a database.

    Args:
        source: URL or engine. The connections of an engine are left as they were.
        action: Reads.
        timeout: How long a statement may run, in seconds.

    Raises:
        JoinGRError: If the database cannot be reached or read. No message and no chained exception holds a password.
    """
    if isinstance(source, str):
        engine = make_engine(parse_url(source), LOCK_SECONDS)
        shown = parse_url(source)
    else:
        engine, shown = _require_engine(source), source.url
    from sqlalchemy.exc import SQLAlchemyError

    failure = ""
    try:
        with _connect(engine) as connection, _read_only(connection, timeout):
            return action(connection)
    except (SQLAlchemyError, _ConnectError) as error:
        failure = failure_reason(error.orig if isinstance(error, _ConnectError) else error, shown)
    finally:
        if isinstance(source, str):
            engine.dispose()
    # Outside of the handler, so that the driver's exception, whose text may hold the password, is not chained.
    raise JoinGRError(f"The {described(shown)} cannot be read: {failure}.")


def _require_engine(source: object) -> "Engine":
    from sqlalchemy import Engine

    if not isinstance(source, Engine):
        raise JoinGRError(f"A database is given as a URL or an SQLAlchemy engine (got {type(source).__name__}).")
    return source


class _ConnectError(Exception):
    """A connection could not be made, by an error that SQLAlchemy does not know as the database's."""

    def __init__(self, orig: Exception) -> None:
        super().__init__()
        self.orig = orig


def _connect(engine: "Engine") -> "Connection":
    try:
        return engine.connect()
    except (TypeError, ValueError, RuntimeError, OSError) as error:
        # Options of the URL that the driver does not know, or something that it lacks.
        raise _ConnectError(error) from None


@contextmanager
def _read_only(connection: "Connection", timeout: float) -> Iterator[None]:
    """Make every transaction of a connection read-only, and leave the connection as it was."""
    from sqlalchemy import event

    system = connection.dialect.name
    if system == "postgresql":
        # One snapshot of the catalog, and a real transaction where the engine commits by itself.
        connection.execution_options(isolation_level="REPEATABLE READ")
    elif system in ("mysql", "mariadb"):
        # Limits of MySQL belong to the session: it is closed afterwards instead of going back to the pool.
        connection.detach()
    before = connection.exec_driver_sql("PRAGMA query_only").scalar() if system == "sqlite" else None
    connection.rollback()
    event.listen(connection, "begin", lambda begun: _restrict(begun, timeout))
    try:
        yield
    finally:
        connection.rollback()
        if before is not None:
            connection.exec_driver_sql(f"PRAGMA query_only = {before}")
            connection.rollback()


def _restrict(connection: "Connection", timeout: float) -> None:
    """Make the transaction that has just begun read-only."""
    system = connection.dialect.name
    milliseconds = max(1, round(timeout * 1000))
    if system == "postgresql":
        # Local to the transaction: poolers hand the session to others afterwards.
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(LOCK_SECONDS * 1000)}")
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")
    elif system in ("mysql", "mariadb"):
        connection.exec_driver_sql(f"SET SESSION lock_wait_timeout = {round(LOCK_SECONDS)}")
        mariadb = getattr(connection.dialect, "is_mariadb", False)
        limit = f"max_statement_time = {timeout}" if mariadb else f"max_execution_time = {milliseconds}"
        connection.exec_driver_sql(f"SET SESSION {limit}")
        # The session too, because a statement such as DROP TABLE first commits the transaction that it finds.
        connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
        connection.exec_driver_sql("START TRANSACTION READ ONLY")
    elif system == "sqlite":
        connection.exec_driver_sql("PRAGMA query_only = ON")
