"""Whether the rows of a live database speak for a join: how many of a column's values are also values of another."""

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from joingr_pyg.schema.model import Database, ForeignKey
from joingr_pyg.schema.readers.live.connection import LiveSource, reading
from joingr_pyg.schema.readers.live.values import ValueLimits, column_of, may_be_read

if TYPE_CHECKING:
    from sqlalchemy import Connection

SAMPLE = 200
"""Distinct values of the referring column that are looked up."""


def read_shares(
    source: LiveSource, database: Database, joins: Sequence[ForeignKey], limits: ValueLimits
) -> dict[str, float]:
    """The share of a sample of each referring column's distinct values that the referred column has too.

    Nothing is written, and no value is kept. Joins that cannot be looked at, whose referring column is empty, or which
    the limits leave out, have no share.

    Args:
        source: URL or engine.
        database: The schema of the joins.
        joins: The joins.
        limits: How long is read, of how many rows, and which columns are left out.

    Returns:
        The shares, from 0 to 1, by the join as text.

    Raises:
        JoinGRError: If the database cannot be reached.
    """
    return reading(source, lambda connection: dict(_shares(connection, database, joins, limits)), limits.seconds)


def _shares(
    connection: "Connection", database: Database, joins: Sequence[ForeignKey], limits: ValueLimits
) -> Iterator[tuple[str, float]]:
    from sqlalchemy.exc import SQLAlchemyError

    end = time.monotonic() + limits.seconds
    for join in joins:
        if time.monotonic() > end:
            return
        try:
            share = _share(connection, database, join, limits)
        except SQLAlchemyError:  # Such as values of types that cannot be compared, or a statement that took too long.
            continue
        finally:
            connection.rollback()
        if share is not None:
            yield str(join), share


def _share(connection: "Connection", database: Database, join: ForeignKey, limits: ValueLimits) -> float | None:
    import sqlalchemy as sa

    ends = (join.table, join.column), (join.referenced_table, join.referenced_column)
    tables = [database[table] for table, _ in ends]
    columns = [next(c for c in table.columns if c.name == name) for table, (_, name) in zip(tables, ends, strict=True)]
    if not all(may_be_read(table, column, limits) for table, column in zip(tables, columns, strict=True)):
        return None
    (own, rows), (key, others) = (column_of(t, c.name) for t, c in zip(tables, columns, strict=True))
    some = sa.select(own.label("v")).select_from(rows).where(own.is_not(None)).limit(limits.rows).subquery()
    values = connection.execute(sa.select(some.c.v).distinct().limit(SAMPLE)).scalars().all()
    if not values:
        return None
    found = sa.select(key.label("v")).select_from(others).where(key.in_(values)).distinct().subquery()
    count = connection.execute(sa.select(sa.func.count()).select_from(found)).scalar_one()
    return min(1.0, count / len(values))
