"""The values of a live database's text columns, within limits, and without those that are nobody's business."""

import logging
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from joingr_pyg.errors import require_at_least, require_flags
from joingr_pyg.schema.model import Column, Database, Table
from joingr_pyg.schema.names.readable import readable_name
from joingr_pyg.schema.readers.live.connection import LiveSource, reading
from joingr_pyg.schema.readers.live.selection import patterns

if TYPE_CHECKING:
    from sqlalchemy import ColumnClause, Connection, TableClause

logger = logging.getLogger(__name__)

SECRET = re.compile(
    r"\b(auth|cookie|credentials?|cvv|hash|iban|keys?|pass|passphrase|passwd|passwords?|pin|private|pwd|salt|secrets?|"
    r"session|signature|ssn|tokens?)\d*\b"
)
"""Words of the names of columns that hold secrets."""

PERSONAL = re.compile(
    r"\b(address|birth|birthday|contact|dob|e?mails?|fax|(first|last|middle|full|given|family|maiden|nick|user) ?name|"
    r"forename|ip|login|mobile|passport|phones?|postal|postcode|street|surname|telephone|zip)\d*\b"
)
"""Words of the names of columns that hold data of persons."""

PERSONS = re.compile(
    r"\b(account|client|contact|customer|employee|guest|member|patient|person|people|staff|student|subscriber|teacher|"
    r"user)s?\b"
)
"""Words of the names of tables of persons."""

NAME = re.compile(r"\bnames?\b(?<!company name)(?<!organi[sz]ation name)")
"""Words of the names of columns of such tables that name a person."""

NO_TEXT = re.compile(
    r"int|(?<!e)num|dec|float|double|real|serial|date|time|interval|year|bool|bit|byte|blob|binary|json|xml|uuid|uniqueid|"
    r"geo|point|polygon|range|vector|array|\[\]|money|oid|inet|struct|map|list|variant|hstore"
)
"""Types that hold no words; the rest is tried."""


@dataclass(frozen=True)
class ValueLimits:
    """What is read of the values of a database.

    Args:
        columns: At most so many columns.
        rows: At most so many rows of each.
        values: At most so many distinct values of each; a column that has more is left out.
        characters: Values that are longer are left out.
        size: At most so many bytes in all, counted in UTF-8.
        seconds: After so long no further column is read.
        exclude: Patterns of what to leave out, compared with ``table.column`` and with the column's name.
        personal: Whether columns are read whose name says that they hold secrets or data of persons.

    Raises:
        JoinGRError: If a limit is no number or below 1, or a pattern is no text.
    """

    columns: int = 500
    rows: int = 200_000
    values: int = 50_000
    characters: int = 80
    size: int = 50_000_000
    seconds: float = 60.0
    exclude: tuple[str, ...] = ()
    personal: bool = False

    def __post_init__(self) -> None:
        require_at_least(1, columns=self.columns, rows=self.rows, values=self.values, characters=self.characters)
        require_at_least(1, size=self.size, seconds=self.seconds)
        require_flags(personal=self.personal)
        object.__setattr__(self, "exclude", patterns("exclude", self.exclude))


def value_columns(database: Database, limits: ValueLimits) -> list[tuple[Table, Column]]:
    """The columns whose values may be read."""
    chosen = [
        (table, column)
        for table in database
        for column in table.columns
        if not NO_TEXT.search(column.type.lower().partition("(")[0]) and may_be_read(table, column, limits)
    ]
    return chosen[: limits.columns]


def may_be_read(table: Table, column: Column, limits: ValueLimits) -> bool:
    """Whether the limits allow to read a column, as far as its name tells."""
    return (limits.personal or not is_personal(table, column)) and not any(
        _matches(pattern.casefold(), table, column) for pattern in limits.exclude
    )


def is_personal(table: Table, column: Column) -> bool:
    """Whether the name of a column says that it holds secrets or data of persons."""
    words = readable_name(column.name)
    if SECRET.search(words) or PERSONAL.search(words):
        return True
    return bool(PERSONS.search(readable_name(table.name)) and NAME.search(words))


def read_values(
    source: LiveSource, database: Database, limits: ValueLimits
) -> Iterator[tuple[Table, Column, list[str]]]:
    """Read the distinct short texts of a database's columns, one column after the other.

    Nothing is written, and no table stays locked for longer than one of its columns is read. A column that cannot be
    read is left out, and a warning counts those.

    Args:
        source: URL or engine.
        database: The schema, as :func:`~joingr_pyg.schema.readers.live.read_database` reads it.
        limits: What is read.

    Raises:
        JoinGRError: If the database cannot be reached.
    """
    yield from reading(source, lambda connection: list(_read(connection, database, limits)), limits.seconds)


def _read(
    connection: "Connection", database: Database, limits: ValueLimits
) -> Iterator[tuple[Table, Column, list[str]]]:
    from sqlalchemy.exc import SQLAlchemyError

    end = time.monotonic() + limits.seconds
    size, left_out = 0, []
    for table, column in value_columns(database, limits):
        if time.monotonic() > end or size > limits.size:
            logger.warning(
                "Values of database %r are read up to %s.%s, where the limit of %s is reached.",
                *(database.name, table.name, column.name),
                "time" if size <= limits.size else "size",
            )
            return
        try:
            values = _distinct(connection, table, column, limits)
        except SQLAlchemyError:
            left_out.append(f"{table.name}.{column.name}")
            continue
        finally:
            connection.rollback()
        if values:
            size += sum(len(value.encode()) for value in values)
            yield table, column, values
    if left_out:
        logger.warning("The values of %d columns cannot be read, such as %s.", len(left_out), left_out[0])


def _distinct(connection: "Connection", table: Table, column: Column, limits: ValueLimits) -> list[str]:
    """The distinct short texts of a column; none where it has too many."""
    import sqlalchemy as sa

    own, rows = column_of(table, column.name)
    some = sa.select(own.label("v")).select_from(rows).where(own.is_not(None)).limit(limits.rows).subquery()
    values = connection.execute(sa.select(some.c.v).distinct().limit(limits.values + 1)).scalars().all()
    if len(values) > limits.values:
        return []
    return [value for value in values if isinstance(value, str) and 0 < len(value) <= limits.characters]


def column_of(table: Table, column: str) -> "tuple[ColumnClause[Any], TableClause]":
    """A column, and its table, as statements of SQLAlchemy name them."""
    import sqlalchemy as sa

    schema = table.schema or None
    name = table.name.removeprefix(f"{schema}.") if schema else table.name
    own: ColumnClause[Any] = sa.column(column)
    return own, sa.table(name, own, schema=schema)


def _matches(pattern: str, table: Table, column: Column) -> bool:
    full = f"{table.name}.{column.name}".casefold()
    return fnmatchcase(full, pattern) or fnmatchcase(column.name.casefold(), pattern)
