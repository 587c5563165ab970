"""The schema while it is being read: tables that later statements change, until all of them are known."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from joingr_pyg.schema.model import Column
from joingr_pyg.schema.names.readable import match
from joingr_pyg.schema.readers.ddl.tokens import Name, NotUnderstoodError

DEFAULT_SCHEMAS = {"", "public", "dbo", "main"}
"""Schemas that a table without a schema lies in, in one dialect or another."""


@dataclass
class Reference:
    """A foreign key as it is written.

    Args:
        columns: The columns of the referencing table.
        table: The referenced table.
        targets: The referenced columns; empty for the primary key.
        constraint: Name of the constraint, where it has one.
    """

    columns: list[str]
    table: Name
    targets: list[str]
    constraint: str = ""


@dataclass
class Copied:
    """Another table whose columns a table takes over.

    Args:
        table: The other table.
        position: Where among the columns they go.
        with_key: Whether the primary key comes along.
    """

    table: Name
    position: int
    with_key: bool = False


@dataclass(eq=False)
class DraftTable:
    """A table as far as the statements read so far define it.

    Args:
        name: Its name with its schema.
        columns: Its columns.
        primary_key: Names of the columns of its primary key.
        primary_key_name: Name of that constraint, where it has one.
        references: Its foreign keys.
        copied: Tables whose columns it takes over.
        parents: Tables that it inherits from.
        description: What it holds, where that is written.
        partition_of: The table whose rows it holds a part of.
        checked: Whether a ``CHECK`` says which rows it may hold.
        is_view: Whether it is a view.
        faults: What of its statement was not understood.
    """

    name: Name
    columns: list[Column] = field(default_factory=list)
    primary_key: list[str] = field(default_factory=list)
    primary_key_name: str = ""
    references: list[Reference] = field(default_factory=list)
    copied: list[Copied] = field(default_factory=list)
    parents: list[Name] = field(default_factory=list)
    description: str = ""
    partition_of: Name | None = None
    checked: bool = False
    is_view: bool = False
    faults: list[str] = field(default_factory=list)

    def position(self, column: str) -> int:
        """Where a column stands.

        Raises:
            NotUnderstoodError: If there is none of the name.
        """
        names = [column.name for column in self.columns]
        name = match(column, names)
        if name is None:
            raise NotUnderstoodError(f"table {str(self.name)!r} has no column {column!r}")
        return names.index(name)

    def describe(self, column: str, description: str) -> None:
        """Say what a column holds.

        Raises:
            NotUnderstoodError: If there is no such column.
        """
        place = self.position(column)
        self.columns[place] = replace(self.columns[place], description=description)

    def drop(self, column: str) -> None:
        """Remove a column and the keys that it is part of.

        Raises:
            NotUnderstoodError: If there is no such column.
        """
        name = self.columns.pop(self.position(column)).name.lower()
        if name in map(str.lower, self.primary_key):
            self.primary_key = []
        self.references = [key for key in self.references if name not in map(str.lower, key.columns)]

    def drop_constraint(self, constraint: str) -> None:
        """Remove the key of a name, where it is one."""
        if self.primary_key_name.lower() == constraint.lower():
            self.primary_key = []
        self.references = [key for key in self.references if key.constraint.lower() != constraint.lower()]

    def rename(self, column: str, new: str) -> None:
        """Give a column another name, in the table's keys too.

        Raises:
            NotUnderstoodError: If there is no such column.
        """
        place = self.position(column)
        old = self.columns[place].name.lower()
        self.columns[place] = replace(self.columns[place], name=new)
        self.primary_key = [new if name.lower() == old else name for name in self.primary_key]
        for reference in self.references:
            reference.columns = [new if name.lower() == old else name for name in reference.columns]


class UnknownTableError(NotUnderstoodError):
    """A statement names a table that no statement before it creates."""


class Catalog:
    """The tables and views that the statements read so far create, in that order."""

    def __init__(self) -> None:
        self.schema = ""
        """The schema that names without one belong to."""
        self.tables: list[DraftTable] = []
        self._alike: dict[str, list[DraftTable]] = {}

    def resolve(self, name: Name) -> Name:
        """The name with the schema that is in use, where it has none."""
        return name if name.schema else replace(name, schema=self.schema)

    def find(self, name: Name, schema: str | None = None) -> DraftTable | None:
        """The table that a name means.

        A name without a schema means the table in the schema in use, else the only table of that name. A name with one
        also means a table that was created without.

        Args:
            name: The name.
            schema: The schema in use where the name stands; the current one where not given.
        """
        alike = self._alike.get(name.name.lower(), ())
        used = self.schema if schema is None else schema
        same = [table for table in alike if _same_schema(table.name.schema, name.schema or used)]
        if not same and not name.schema:
            same = list(alike)
        elif not same:
            same = [table for table in alike if not table.name.schema]
        exact = [table for table in same if table.name.name == name.name]
        candidates = exact or same
        return candidates[0] if len(candidates) == 1 else None

    def get(self, name: Name) -> DraftTable:
        """The table that a name means.

        Raises:
            UnknownTableError: If there is none, or several.
        """
        table = self.find(name)
        if table is None:
            raise UnknownTableError(f"no statement creates table {str(name)!r}")
        return table

    def add(self, table: DraftTable) -> None:
        """Add a table; :meth:`find` tells whether it is there already."""
        self.tables.append(table)
        self._alike.setdefault(table.name.name.lower(), []).append(table)

    def same(self, name: Name) -> DraftTable | None:
        """The table that another of this name would collide with."""
        for table in self._alike.get(name.name.lower(), ()):
            distinct = name.quoted and table.name.quoted and name.name != table.name.name
            if _same_schema(table.name.schema, name.schema) and not distinct:
                return table
        return None

    def remove(self, table: DraftTable) -> None:
        """Remove a table."""
        self.tables.remove(table)
        self._alike[table.name.name.lower()].remove(table)

    def rename(self, table: DraftTable, name: Name) -> None:
        """Give a table another name; foreign keys to it follow."""
        for other in self.tables:
            for reference in other.references:
                if self.find(reference.table, other.name.schema) is table:
                    reference.table = name
        place = self.tables.index(table)
        self.remove(table)
        table.name = name
        self.add(table)
        self.tables.insert(place, self.tables.pop())


def take_over(table: DraftTable, catalog: Catalog) -> None:
    """Add the columns that a table copies or inherits and does not have yet.

    Raises:
        UnknownTableError: If one of the other tables was not created.
    """
    others = [catalog.get(copy.table) for copy in table.copied]
    for copy, other in reversed(list(zip(table.copied, others, strict=True))):
        table.columns[copy.position : copy.position] = _missing(other.columns, table.columns)
        if copy.with_key and not table.primary_key:
            table.primary_key = list(other.primary_key)
    table.copied = []
    inherited: list[Column] = []
    for name in table.parents:
        inherited += _missing(catalog.get(name).columns, inherited)
    if inherited:
        own = {column.name.lower(): column for column in table.columns}
        table.columns = [own.pop(column.name.lower(), column) for column in inherited] + list(own.values())


def _missing(columns: Sequence[Column], present: Sequence[Column]) -> list[Column]:
    names = {column.name.lower() for column in present}
    return [column for column in columns if column.name.lower() not in names]


def _same_schema(one: str, other: str) -> bool:
    one, other = one.lower(), other.lower()
    return one == other or (one in DEFAULT_SCHEMAS and other in DEFAULT_SCHEMAS)
