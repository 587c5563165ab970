"""Joins that a user gives: as pairs of columns, or in a file."""

import json
import logging
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from joingr_pyg.errors import JoinGRError, require_several
from joingr_pyg.schema.joins.direction import End, directed_join
from joingr_pyg.schema.model import Database, TableName
from joingr_pyg.schema.names.readable import find_column

logger = logging.getLogger(__name__)

GivenJoins = Sequence[tuple[str, str]] | str | Path
"""Pairs of columns, such as ``[("orders.customer_id", "customer.id")]``, or the path of a file of them."""


def read_joins(joins: GivenJoins) -> tuple[tuple[str, str], ...]:
    """The pairs of columns that are given, read from their file if it is one.

    A file holds a JSON list of pairs, ``[["a.x", "b.y"], …]``, or one join a line, ``a.x = b.y``; blank lines and
    those that begin with ``#`` are passed over.

    Raises:
        JoinGRError: If the file cannot be read, or something is no pair of names.
    """
    if isinstance(joins, str | Path):
        pairs: Sequence[Any] = _read_file(Path(joins))
        where = f" of the joins file '{joins}'"
    else:
        require_several("pairs of columns", joins=joins)
        pairs, where = list(joins), ""
    for number, pair in enumerate(pairs, 1):
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise JoinGRError(
                f"Join {number}{where} is no pair of columns (got {pair!r:.80}): write two names of columns with "
                "their tables, such as ('orders.customer_id', 'customer.id')."
            )
    return tuple((first.strip(), second.strip()) for first, second in pairs)


def _read_file(path: Path) -> list[Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise JoinGRError(f"The joins file '{path}' cannot be read ({why}).") from error
    if text.lstrip().startswith("["):
        try:
            return list(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise JoinGRError(f"The joins file '{path}' is no valid JSON ({error}).") from error
    lines = (line.strip() for line in text.splitlines())
    return [tuple(line.split("=")) for line in lines if line and not line.startswith("#")]


def with_given_joins(database: Database, pairs: Iterable[tuple[str, str]], *, strict: bool = True) -> Database:
    """Add joins of given columns to a schema.

    Args:
        database: The schema; it stays as it is.
        pairs: Pairs of names, each with its table (``"orders.customer_id"``), in any letter case. A join that the
            schema has already is not added again.
        strict: Whether a name that no column has is an error; else the join is left out with a warning.

    Raises:
        JoinGRError: If the schema has no column of a name, or a column is joined to itself.
    """
    joined = {join.endpoints for join in database.joins}
    added = []
    for first, second in pairs:
        try:
            ends = column_named(first, database), column_named(second, database)
        except JoinGRError as error:
            if strict:
                raise
            logger.warning("The join %r = %r is left out. %s", first, second, error)
            continue
        if ends[0] == ends[1]:
            raise JoinGRError(f"The join {first!r} = {second!r} joins a column to itself: give two columns.")
        if frozenset(ends) not in joined:
            joined.add(frozenset(ends))
            added.append(directed_join(database, *ends, "given"))
    return replace(database, foreign_keys=(*database.foreign_keys, *added)) if added else database


def joins_tables(pair: tuple[str, str], databases: Iterable[Database], tables: Container[TableName]) -> bool:
    """Whether a pair of columns, named as for :func:`with_given_joins`, joins two of some tables of the schemas."""
    for database in databases:
        ends = [find_column(name, database) for name in pair]
        if all(end is not None and (database.name, end[0]) in tables for end in ends):
            return True
    return False


def column_named(name: str, database: Database) -> End:
    """The column that ``"table.column"`` names, in any letter case.

    Raises:
        JoinGRError: If there is none; the sentence names the nearest one.
    """
    if (end := find_column(name, database)) is not None:
        return end
    columns = {
        f"{table.name}.{column}".lower(): f"{table.name}.{column}"
        for table in database
        for column in table.column_names
    }
    near = get_close_matches(name.lower(), columns, 1, 0.5)
    hint = f"did you mean {columns[near[0]]!r}?" if near else "write it as 'table.column'."
    raise JoinGRError(f"Database {database.name!r} has no column {name!r}: {hint}")
