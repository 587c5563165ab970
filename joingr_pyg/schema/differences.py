"""Differences between two versions of schemas."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from joingr_pyg.schema.model import Column, Database, Table, TableName

ColumnName = tuple[str, str, str]
"""A column within a corpus of databases: ``(database, table, column)``."""

SHOWN = 5
"""Maximum number of names of each kind in the text of the differences."""


@dataclass(frozen=True)
class SchemaDifferences:
    """The differences between two versions of schemas. It is false if there are none.

    Columns of added and removed tables are not listed.

    Attributes:
        added_tables: Tables that only the later version has, as ``(database, table)``.
        removed_tables: Tables that only the earlier version has.
        added_columns: Columns added to tables of both versions, as ``(database, table, column)``.
        removed_columns: Columns removed from tables of both versions.
        changed_columns: Columns whose type, natural name or description has changed.
        changed_tables: Tables whose primary key, natural name or description has changed.
        added_joins: Joins that only the later version has, as ``(database, "a.x = b.y")``.
        removed_joins: Joins that only the earlier version has.
    """

    added_tables: tuple[TableName, ...] = ()
    removed_tables: tuple[TableName, ...] = ()
    added_columns: tuple[ColumnName, ...] = ()
    removed_columns: tuple[ColumnName, ...] = ()
    changed_columns: tuple[ColumnName, ...] = ()
    changed_tables: tuple[TableName, ...] = ()
    added_joins: tuple[tuple[str, str], ...] = ()
    removed_joins: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def __str__(self) -> str:
        """One line, such as ``"1 table added (invoice), 2 columns removed (orders.a, orders.b)"``."""
        parts = []
        for name, changed in vars(self).items():
            if changed:
                verb, _, noun = name.partition("_")
                listed = [".".join(path[1:]) for path in changed[:SHOWN]]
                if changed[SHOWN:]:
                    listed.append(f"{len(changed) - SHOWN:,} more")
                noun = noun.removesuffix("s") if len(changed) == 1 else noun
                parts.append(f"{len(changed):,} {noun} {verb} ({', '.join(listed)})")
        return ", ".join(parts) or "nothing changed"


def schema_differences(before: Iterable[Database], after: Iterable[Database]) -> SchemaDifferences:
    """Compare two versions of schemas. Databases and tables are matched by name.

    Args:
        before: The databases of the earlier version.
        after: The databases of the later version.
    """
    before, after = tuple(before), tuple(after)
    old_tables, new_tables = _tables(before), _tables(after)
    both = [name for name in new_tables if name in old_tables]
    old_columns, new_columns = _columns(old_tables, both), _columns(new_tables, both)
    old_joins, new_joins = _joins(before), _joins(after)
    return SchemaDifferences(
        added_tables=tuple(name for name in new_tables if name not in old_tables),
        removed_tables=tuple(name for name in old_tables if name not in new_tables),
        added_columns=tuple(name for name in new_columns if name not in old_columns),
        removed_columns=tuple(name for name in old_columns if name not in new_columns),
        changed_columns=tuple(
            name for name, column in new_columns.items() if name in old_columns and column != old_columns[name]
        ),
        changed_tables=tuple(name for name in both if _changed(old_tables[name], new_tables[name])),
        added_joins=tuple((key[0], join) for key, join in new_joins.items() if key not in old_joins),
        removed_joins=tuple((key[0], join) for key, join in old_joins.items() if key not in new_joins),
    )


def _tables(databases: Iterable[Database]) -> dict[TableName, Table]:
    return {(database.name, table.name): table for database in databases for table in database}


def _columns(tables: Mapping[TableName, Table], names: Iterable[TableName]) -> dict[ColumnName, Column]:
    return {(*name, column.name): column for name in names for column in tables[name].columns}


def _joins(databases: Iterable[Database]) -> dict[tuple[str, frozenset[tuple[str, str]]], str]:
    """The text of each join, by its database and its two columns without direction."""
    return {(database.name, join.endpoints): str(join) for database in databases for join in database.joins}


def _changed(old: Table, new: Table) -> bool:
    """Whether two versions of a table differ in anything but their columns."""
    return replace(old, columns=new.columns) != new
