"""SQL text to syntax trees."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from joingr_pyg.errors import JoinGRError


def parse_sql(text: str, dialect: str) -> list[exp.Expr]:
    """Parse every statement of a text; what sqlglot has no grammar for comes back as :class:`exp.Command`.

    Args:
        text: One or more statements.
        dialect: Name of a sqlglot dialect.

    Raises:
        JoinGRError: If the text does not parse or the dialect does not exist.
    """
    try:
        with _quiet():
            return [statement for statement in sqlglot.parse(text, dialect=dialect) if statement is not None]
    except SqlglotError as error:
        places = [f" at line {each['line']}, column {each['col']}" for each in getattr(error, "errors", ())]
        raise JoinGRError(f"The SQL {_excerpt(text)!r} does not parse as {dialect}{''.join(places[:1])}.") from error
    except ValueError as error:
        raise JoinGRError(f"SQL cannot be parsed as {dialect!r} ({error}).") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sqlglot from warning of statements it has no grammar for: callers decide what those mean."""
    log = logging.getLogger("sqlglot")
    disabled, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = disabled


def _excerpt(text: str, length: int = 80) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"
