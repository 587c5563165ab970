"""A schema as one JSON object: tables with their columns and keys."""

from pathlib import Path
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Column, Database, ForeignKey, Table
from joingr_pyg.schema.readers.json_file import read_json

SHAPE = (
    '{"name": ..., "dialect": ..., "tables": {TABLE: {"columns": [[NAME, TYPE, COMMENT], ...], '
    '"primary_key": [NAME, ...], "comment": ...}}, "foreign_keys": [[[TABLE, COLUMN], [TABLE, COLUMN]], ...]}'
)
"""Format of a file. Only the names of tables and columns are required; other keys are ignored."""


def read_schema_json(path: str | Path) -> tuple[Database, str]:
    """Read a schema from a JSON file of the format :data:`SHAPE`.

    Returns:
        The schema, and the SQL dialect that the file names (empty if it names none).

    Raises:
        JoinGRError: If the file is missing or has another format, or if the schema is not valid.
    """
    path = Path(path)
    content = read_json(path, "give the path of a schema file", "correct it")
    try:
        tables = tuple(_table(name, table) for name, table in content["tables"].items())
        keys = tuple(
            ForeignKey(table, column, referenced_table, referenced_column)
            for (table, column), (referenced_table, referenced_column) in content.get("foreign_keys", ())
        )
        name = str(content.get("name", path.stem))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise JoinGRError(
            f"The schema file '{path}' is malformed ({type(error).__name__}: {error}): write {SHAPE}."
        ) from error
    return Database(name, tables, keys), str(content.get("dialect") or "")


def _table(name: str, table: dict[str, Any]) -> Table:
    columns = tuple(_column(column) for column in _list(table["columns"]))
    return Table(name, columns, tuple(_list(table.get("primary_key") or [])), description=table.get("comment") or "")


def _column(column: str | list[str]) -> Column:
    parts = [column] if isinstance(column, str) else _list(column)
    name, kind, comment = [*parts, "", ""][:3]
    return Column(name, type=kind or "", description=comment or "")


def _list(value: Any) -> list[Any]:
    """A list, and not a text or an object, of which Python would take the letters or keys."""
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.40} is no list")
    return value
