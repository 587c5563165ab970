"""The reader of ``tables.json``, the schema format of Spider and BIRD."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.json_file import FETCH_AGAIN, read_records

logger = logging.getLogger(__name__)

FIELDS = {"db_id": str, "table_names_original": list, "column_names_original": list}
"""Required fields of an entry. Readable names, types and keys are optional."""


def read_tables_json(path: str | Path) -> tuple[Database, ...]:
    """Read the databases of a ``tables.json`` file.

    Names are kept exactly, including trailing blanks. A composite primary key may be a nested list (BIRD) or only its
    first column (Spider). A foreign key of a column to itself or to a column that does not exist, and a table without
    columns, are skipped with a warning.

    Args:
        path: The file.

    Raises:
        JoinGRError: If the file is missing or malformed.
    """
    path = Path(path)
    databases = []
    for entry in read_records(path, FIELDS):
        name = entry["db_id"]
        try:
            databases.append(_database(name, entry))
        except JoinGRError as error:
            raise JoinGRError(f"{error} It was read from '{path}'.") from error
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise JoinGRError(f"Database {name!r} in '{path}' is malformed ({error!r}): {FETCH_AGAIN}.") from error
    return tuple(databases)


def _database(name: str, entry: dict[str, Any]) -> Database:
    table_names: list[str] = entry["table_names_original"]
    natural_tables = entry.get("table_names") or table_names
    owners: list[int] = []
    columns: list[Column] = []
    natural_columns = entry.get("column_names") or entry["column_names_original"]
    types = entry.get("column_types") or [""] * len(entry["column_names_original"])
    for (owner, original), (_, natural), kind in zip(
        entry["column_names_original"], natural_columns, types, strict=True
    ):
        if not isinstance(owner, int) or (table_names and not -1 <= owner < len(table_names)):
            choice = f"-1 or the number of one of {len(table_names)} tables"
            raise ValueError(f"column {original!r:.40} needs {choice} (got {owner!r:.40})")
        owners.append(owner)
        columns.append(Column(original, type=kind, natural_name=natural))

    primary = {column for key in entry.get("primary_keys", ()) for column in _members(key)}
    tables = []
    for index, (original, natural) in enumerate(zip(table_names, natural_tables, strict=True)):
        own = [number for number, owner in enumerate(owners) if owner == index]
        if not own:
            logger.warning("Table %r of database %r has no columns and is skipped.", original, name)
            continue
        primary_key = tuple(columns[number].name for number in own if number in primary)
        tables.append(Table(original, tuple(columns[number] for number in own), primary_key, natural))

    foreign_keys = []
    for first, second in entry.get("foreign_keys", ()):
        ends = _end(first, owners, columns, table_names), _end(second, owners, columns, table_names)
        if ends[0] is None or ends[1] is None or ends[0] == ends[1]:
            logger.warning(
                "The foreign key [%s, %s] of database %r does not join two columns and is skipped.", first, second, name
            )
        else:
            foreign_keys.append(ForeignKey(*ends[0], *ends[1]))
    return Database(name, tuple(tables), tuple(foreign_keys))


def _members(key: int | list[int]) -> list[int]:
    return key if isinstance(key, list) else [key]


def _end(
    number: int, owners: Sequence[int], columns: Sequence[Column], table_names: Sequence[str]
) -> tuple[str, str] | None:
    """The ``(table, column)`` of a column number, or ``None`` for ``*`` and numbers out of range."""
    if not 0 <= number < len(columns) or owners[number] < 0:
        return None
    return table_names[owners[number]], columns[number].name
