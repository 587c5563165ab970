"""The texts of columns, joins and tables that the frozen encoder embeds (section 3.1 of the paper).

Every function is a pure template over a :class:`~joingr_pyg.schema.Database`. Whatever is derived from a text is
keyed by the text itself, so changing a template never serves stale embeddings.
"""

import re
from collections.abc import Iterator

from joingr_pyg.schema import Column, Database, ForeignKey, Table

TABLE_COLUMNS = 40
"""How many column names the text of a table lists at most."""

_WORD_BOUNDARY = re.compile(
    r"[\s_]+"  # snake_case
    r"|(?<=[^\W\d_A-Z])(?=[A-Z])"  # camelCase
    r"|(?<=[A-Z])(?=[A-Z][a-z])"  # the end of an acronym: IDNumber
)


def readable_name(name: str) -> str:
    """Split a ``snake_case``, ``camelCase`` or ``UPPER_CASE`` name into lower-case words.

    Names in scripts without letter case stay as they are. A name without any word is ``"unnamed"``.
    """
    return " ".join(word for word in _WORD_BOUNDARY.split(name) if word).lower() or "unnamed"


def _natural(item: Column | Table) -> str:
    return readable_name(item.natural_name or item.name)


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _columns(database: Database) -> Iterator[tuple[Table, Column]]:
    return ((table, column) for table in database for column in table.columns)


def _column_text(database: Database, table: Table, column: Column) -> str:
    parts = [f"{_natural(column)} of {_natural(table)}"]
    if description := _squeeze(column.description):
        parts.append(description)
    parts.append(f"{database.name}.{table.name}.{column.name}")
    key = "key" if (table.name, column.name) in database.keys else ""
    parts.append(" ".join(word for word in (column.type.lower(), key, "column") if word))
    return ". ".join(parts)


def _join_text(database: Database, join: ForeignKey) -> str:
    left, right = database[join.table], database[join.referenced_table]
    left_column = left.columns[left.column_names.index(join.column)]
    right_column = right.columns[right.column_names.index(join.referenced_column)]
    return (
        f"join {database.name}.{left.name}.{left_column.name} = {database.name}.{right.name}.{right_column.name}. "
        f"{_natural(left_column)} of {_natural(left)} links each row to {_natural(right)} by {_natural(right_column)}"
    )


def column_descriptors(database: Database) -> list[str]:
    """The node descriptors of a database: one text a column, in table then column order.

    Each holds the readable name, the description where known, the canonical name ``db.table.column``, the declared
    type and whether the column is a key (section 3.1, items i to iv of a node descriptor).
    """
    return [_column_text(database, table, column) for table, column in _columns(database)]


def join_descriptors(database: Database) -> list[str]:
    """The edge descriptors of a database: one text for each of ``database.joins``, in that order.

    Each holds the canonical names of both ends, the edge type and why the two columns are related (section 3.1,
    items i to iii of an edge descriptor).
    """
    return [_join_text(database, join) for join in database.joins]


def table_descriptors(database: Database) -> list[str]:
    """One text a table, in table order: its name, its database and its first 40 columns."""
    return [
        f"table {_natural(table)} in database {readable_name(database.name)}; "
        f"columns: {', '.join(_natural(column) for column in table.columns[:TABLE_COLUMNS])}"
        for table in database
    ]
