"""SQL text to tokens and syntax trees."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token

from joingr_pyg.errors import JoinGRError


def parse_sql(text: str, dialect: str) -> list[exp.Expr]:
    """Parse every statement of a text; what sqlglot has no grammar for comes back as :class:`exp.Command`.

    Args:
        text: One or more statements.
        dialect: Name of a sqlglot dialect.

    Raises:
        JoinGRError: If the text does not parse or is nested too deeply, or the dialect does not exist.
    """
    with _one_sentence_errors(text, dialect):
        return [statement for statement in sqlglot.parse(text, dialect=dialect) if statement is not None]


def tokenize_sql(text: str, dialect: str) -> list[Token]:
    """Split a text into tokens: names without their quotes, comments on the token they follow.

    Args:
        text: One or more statements.
        dialect: Name of a sqlglot dialect.

    Raises:
        JoinGRError: If a quote or comment is not closed or the dialect does not exist.
    """
    with _one_sentence_errors(text, dialect):
        return sqlglot.tokenize(text, dialect=dialect)


@contextmanager
def _one_sentence_errors(text: str, dialect: str) -> Iterator[None]:
    """Turn sqlglot's errors into :class:`JoinGRError`, and silence its log."""
    log = logging.getLogger("sqlglot")
    disabled, log.disabled = log.disabled, True
    try:
        yield
    except SqlglotError as error:
        places = [f" at line {place['line']}, column {place['col']}" for place in getattr(error, "errors", ())]
        raise JoinGRError(f"The SQL {_excerpt(text)!r} does not parse as {dialect}{''.join(places[:1])}.") from error
    except RecursionError:
        # Its traceback of thousands of lines says nothing.
        raise JoinGRError(f"The SQL {_excerpt(text)!r} is nested too deeply to be parsed.") from None
    except ValueError as error:
        raise JoinGRError(f"SQL cannot be parsed as {dialect!r} ({error}).") from error
    finally:
        log.disabled = disabled


def _excerpt(text: str, length: int = 80) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


ALIASES = {
    "postgresql": "postgres",
    "pg": "postgres",
    "greenplum": "postgres",
    "cockroachdb": "postgres",
    "timescaledb": "postgres",
    "mariadb": "mysql",
    "tidb": "mysql",
    "sqlserver": "tsql",
    "sql_server": "tsql",
    "sql-server": "tsql",
    "sql server": "tsql",
    "mssql": "tsql",
    "synapse": "tsql",
    "impala": "hive",
    "sqlite3": "sqlite",
    "delta": "databricks",
}
"""Common names of dialects that sqlglot calls otherwise."""


def sql_dialect(name: str) -> str:
    """The sqlglot dialect that a product's name stands for, its first word counting; empty where there is none."""
    word = re.split(r"[^\w]+", name.strip().lower())[0]
    word = ALIASES.get(word, word)
    return word if word in sqlglot.Dialect.classes else ""
