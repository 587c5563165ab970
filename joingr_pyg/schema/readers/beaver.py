"""The reader of BEAVER's schema files."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.readable import find_column
from joingr_pyg.schema.readers.ddl.column_types import declared_type
from joingr_pyg.schema.readers.json_file import FETCH_AGAIN, read_json

logger = logging.getLogger(__name__)

SEPARATOR = "#sep#"
"""Separator of database and table in BEAVER's table names: ``dw#sep#BUILDINGS``."""

Join = tuple[tuple[str, str], tuple[str, str]]
"""Two joined columns, each ``(table, column)``."""


def read_beaver_tables(path: str | Path, join_keys: str | Path | None = None) -> tuple[Database, ...]:
    """Read the databases of BEAVER's ``dev_tables.json``.

    A foreign key to a table or column that is not in the file is skipped with a warning.

    Args:
        path: The file, one JSON object keyed by ``database#sep#table``.
        join_keys: The file with the joined columns of database ``dw``, which declares no keys. Without it ``dw`` has no
            joins.

    Raises:
        JoinGRError: If a file is missing or malformed.
    """
    path = Path(path)
    entries = read_json(path)
    grouped: dict[str, dict[str, Any]] = {}
    try:
        for key, entry in entries.items():
            database, separator, table = key.partition(SEPARATOR)
            if not separator:
                raise ValueError(f"{key!r} is not 'database{SEPARATOR}table'")
            grouped.setdefault(database, {})[table] = entry
        databases = [_database(name, tables) for name, tables in grouped.items()]
    except JoinGRError as error:
        raise JoinGRError(f"{error} It was read from '{path}'.") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise JoinGRError(f"The file '{path}' is malformed ({error!r}): {FETCH_AGAIN}.") from error
    if join_keys is not None:
        pairs = read_json(Path(join_keys))
        databases = [
            _with_joins(database, pairs, Path(join_keys)) if database.name == "dw" else database
            for database in databases
        ]
    return tuple(databases)


def resolve_joins(pairs: Iterable[Sequence[str]], database: Database) -> tuple[tuple[Join, ...], list[str]]:
    """Look up pairs of ``"table.column"`` in any letter case.

    Returns:
        The joins, and the names of columns that do not exist. A pair with such a name is skipped.
    """
    joins = []
    unknown = []
    for first, second in pairs:
        ends = find_column(first, database), find_column(second, database)
        if ends[0] and ends[1]:
            joins.append((ends[0], ends[1]))
        unknown += [name for name, end in zip((first, second), ends, strict=True) if end is None]
    return tuple(joins), unknown


def _database(name: str, entries: Mapping[str, Mapping[str, Any]]) -> Database:
    tables = []
    foreign_keys = []
    for table, entry in entries.items():
        columns = tuple(
            Column(column, type=declared_type(kind, "mysql"))
            for column, kind in zip(entry["column_names_original"], entry["column_types"], strict=True)
        )
        tables.append(Table(table, columns, tuple(entry.get("primary_key", ()))))
        for key in entry.get("foreign_key", ()):
            ends = (
                (table, key["column_name"]),
                (key["referenced_table_name"].removeprefix(name + SEPARATOR), key["referenced_column_name"]),
            )
            missing = [end for end in ends if end[1] not in entries.get(end[0], {}).get("column_names_original", ())]
            if missing:
                logger.warning("A foreign key of database %r is skipped: there is no column %r.%r.", name, *missing[0])
            else:
                foreign_keys.append(ForeignKey(*ends[0], *ends[1]))
    return Database(name, tuple(tables), tuple(foreign_keys))


def _with_joins(database: Database, pairs: Any, path: Path) -> Database:
    try:
        joins, unknown = resolve_joins(pairs, database)
    except (AttributeError, TypeError, ValueError) as error:
        raise JoinGRError(f"The file '{path}' is not a list of column pairs ({error!r}): {FETCH_AGAIN}.") from error
    for name in unknown:
        logger.warning("A join of database %r in '%s' is skipped: there is no column %r.", database.name, path, name)
    return Database(database.name, database.tables, tuple(ForeignKey(*ends[0], *ends[1]) for ends in joins))
