"""Where a live database is: its URL, the driver it needs, and what messages may say of it."""

import re
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from joingr_pyg.errors import JoinGRError

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import URL, Engine

CONNECT_SECONDS = 10
"""How long a server may take to accept a connection, in seconds."""

CONNECT_TIMEOUT_DRIVERS = ("psycopg", "psycopg2", "pymysql", "mysqldb")
"""Drivers that are told so by the option ``connect_timeout``."""

DRIVERS = {
    "postgresql": ("postgresql+psycopg", "psycopg", "postgres"),
    "postgres": ("postgresql+psycopg", "psycopg", "postgres"),
    "mysql": ("mysql+pymysql", "pymysql", "mysql"),
    "mariadb": ("mariadb+pymysql", "pymysql", "mysql"),
    "duckdb": ("duckdb", "duckdb_engine", "duckdb"),
}
"""For a database system: the SQLAlchemy name, the module and the extra of the driver that reads it."""

FILES = ("sqlite", "duckdb")
"""Database systems whose databases are files."""

FORM = "dialect://user:password@host:port/database"


def parse_url(text: str) -> "URL":
    """Read a database URL; a driver is chosen where it names none.

    Raises:
        JoinGRError: If SQLAlchemy is missing, or the text is no URL or needs escaping. No message repeats the URL,
            since it may hold a password.
    """
    if find_spec("sqlalchemy") is None:
        raise JoinGRError(
            "Reading a live database needs 'sqlalchemy', which is not installed: pip install 'joingr-pyg[database]'."
        )
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    scheme, separator, rest = text.strip().partition("://")
    if not separator:
        hint = f" For the SQLite file '{text}' it is sqlite:///{text}." if _is_file(text) else ""
        raise JoinGRError(f"The text is no database URL: it needs the form {FORM}, or sqlite:///file.{hint}")
    if scheme.partition("+")[0] not in FILES and rest.partition("?")[0].count("@") > 1:
        raise JoinGRError(
            "The database URL has more than one '@': in a user name or password write '@' as %40, ':' as %3A and '/' "
            "as %2F (urllib.parse.quote_plus does it)."
        )
    url = None
    with suppress(ArgumentError, ValueError):  # Their messages may repeat the URL.
        url = make_url(text.strip())
    if url is None:
        raise JoinGRError(
            f"The database URL cannot be understood: it needs the form {FORM}, where the port is a number and special "
            "characters of a user name or password are escaped ('@' is %40, ':' is %3A, '/' is %2F)."
        )
    return url.set(drivername=DRIVERS[url.drivername][0]) if url.drivername in DRIVERS else url


def make_engine(url: "URL", timeout: float) -> "Engine":
    """An engine for one reading: files are opened read-only, and no connection is kept.

    Args:
        url: The URL of :func:`parse_url`.
        timeout: How long SQLite waits for a lock, in seconds.

    Raises:
        JoinGRError: If a driver is missing, or the file does not exist.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError
    from sqlalchemy.pool import NullPool

    system = url.get_backend_name()
    failure = ""
    try:
        if system == "sqlite":
            return _sqlite_engine(url, timeout)
        options: dict[str, object] = {}
        if system == "duckdb":
            _require_file(url)
            options["read_only"] = True
        elif url.get_driver_name() in CONNECT_TIMEOUT_DRIVERS and "connect_timeout" not in url.query:
            options["connect_timeout"] = CONNECT_SECONDS
        return create_engine(url, poolclass=NullPool, connect_args=options)
    except NoSuchModuleError:
        failure = f"SQLAlchemy knows no database system '{url.drivername}' here: install the package that brings it"
        if "+" not in url.drivername and not url.host and system not in DRIVERS:
            failure += ", or correct the beginning of the URL"
        if system in DRIVERS and url.drivername == DRIVERS[system][0]:
            failure = _missing(system)
    except ImportError as error:
        failure = _missing(system) if error.name in (None, _module(system)) else f"the module '{error.name}' is missing"
    except ArgumentError:
        failure = "the options of its URL cannot be understood"
    raise JoinGRError(f"The {described(url)} cannot be read: {failure}.")


def _module(system: str) -> str:
    return DRIVERS[system][1] if system in DRIVERS else ""


def _missing(system: str) -> str:
    _, module, extra = DRIVERS[system]
    return f"its driver '{module}' is not installed: pip install 'joingr-pyg[{extra}]'"


def open_sqlite(path: Path, timeout: float) -> "sqlite3.Connection":
    """A connection to an SQLite file that reads alone, for any thread.

    Args:
        path: The file, which exists.
        timeout: How long it waits for a lock, in seconds.

    Raises:
        OSError: If the file cannot be read.
        sqlite3.Error: If it cannot be opened.
    """
    import sqlite3

    # With a write-ahead log, SQLite would leave new files beside the database, even though it only reads.
    with path.open("rb") as file:
        keeps_log = file.read(20)[18:19] == b"\x02"
    mode = "mode=ro&immutable=1" if keeps_log and not path.with_name(f"{path.name}-wal").exists() else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", timeout=timeout, uri=True, check_same_thread=False)


def _sqlite_engine(url: "URL", timeout: float) -> "Engine":
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    path = _require_file(url)
    return create_engine("sqlite://", creator=lambda: open_sqlite(path, timeout), poolclass=NullPool)


def _require_file(url: "URL") -> Path:
    """The absolute path of a file that a URL names.

    Raises:
        JoinGRError: If there is no such file; none is created.
    """
    name = url.database or ":memory:"
    if name == ":memory:":
        raise JoinGRError("A database in memory cannot be read by its URL: give the SQLAlchemy engine that holds it.")
    if name.startswith("file:"):
        name = name.removeprefix("file:")
    path = Path(name).expanduser()
    if path.is_dir():
        raise JoinGRError(f"'{path}' is a folder: name the database file in it.")
    if not path.is_file():
        slashes = f"four slashes for an absolute path, as {url.drivername}:////{name}"
        hint = "" if path.is_absolute() else f" (the path is relative to the working folder; {slashes})"
        raise JoinGRError(f"There is no database file '{path}': correct the path{hint}.")
    return path.resolve()


def source_url(source: "str | Engine") -> "URL":
    """The URL of a database that is given as a URL or an engine.

    Raises:
        JoinGRError: If it is no URL.
    """
    return parse_url(source) if isinstance(source, str) else source.url


def described(url: "URL") -> str:
    """What messages call a database: its system, name and server, without user and password."""
    system = url.get_backend_name()
    if system in FILES:
        return f"{system} database '{url.database or ':memory:'}'"
    server = f" at {url.host or 'this machine'}{f':{url.port}' if url.port else ''}"
    return f"{system} database {url.database!r}{server}" if url.database else f"{system} server{server}"


def database_name(url: "URL") -> str:
    """The name of a database: that of its file without the ending, or the server's own."""
    name = url.database or ""
    return (Path(name).stem if url.get_backend_name() in FILES else name) or url.get_backend_name()


SECRET = re.compile(r"pass|pwd|secret|token|key", re.IGNORECASE)
"""Parts of a URL's query that may hold a password."""


def failure_reason(error: BaseException, url: "URL") -> str:
    """What a driver says of a failure, in one line that does not hold the password.

    Args:
        error: The exception of SQLAlchemy or of the driver.
        url: The URL that the connection used.
    """
    lines = [line.strip() for line in str(getattr(error, "orig", None) or error).splitlines() if line.strip()]
    reason = lines[0].rstrip(".") if lines else type(error).__name__
    # The user's name may equal the password: that the message names the user tells nobody so.
    apart = reason
    for public in (url.username, url.database, url.host):
        apart = apart.replace(public, "") if public else apart
    secrets = [str(url.password or ""), *(str(value) for key, value in url.query.items() if SECRET.search(key))]
    forms = {form for secret in secrets if secret for form in (secret, quote(secret, safe=""), repr(secret)[1:-1])}
    if any(form in apart for form in forms):
        return f"{type(error).__name__}, whose message repeats the password and is not shown"
    lowered = reason.lower()
    if any(words in lowered for words in ("password authentication failed", "access denied")):
        reason += " (check user and password; in a URL their special characters are escaped, '@' as %40)"
    return reason


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
