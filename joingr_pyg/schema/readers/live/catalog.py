"""What a database tells of itself: the catalog as SQLAlchemy's inspector reads it, for any system."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from joingr_pyg.schema.model import Column

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.types import TypeEngine

SYSTEM_SCHEMAS = frozenset(
    {"information_schema", "pg_catalog", "pg_toast", "sys", "mysql", "performance_schema", "guest", "system", "temp"}
)
"""Schemas that belong to a database system itself, in lower case."""

SYSTEM_PREFIXES = ("pg_", "db_", "_timescaledb_")
"""What the names of further ones begin with."""


@dataclass(frozen=True)
class Listing:
    """The names in one schema.

    Attributes:
        tables: Tables of the user.
        views: Views, materialised ones included.
        parents: For every partition the ``(schema, table)`` that it is part of.
        internal: Tables that a system or an extension keeps for itself.
    """

    tables: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    parents: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    internal: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reference:
    """A foreign key as declared: the columns of one table, and those they reference; none means its primary key."""

    schema: str
    table: str
    columns: tuple[str, ...]
    referenced_schema: str
    referenced_table: str
    referenced_columns: tuple[str, ...]


@dataclass
class Details:
    """The columns and keys of some tables of one schema, by table.

    Attributes:
        columns: Columns in their order.
        primary_keys: Columns of the primary key.
        comments: Comments on tables.
        references: Foreign keys of the tables.
        unreadable: Why a table or view could not be read.
    """

    columns: dict[str, tuple[Column, ...]] = field(default_factory=dict)
    primary_keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)


class Catalog:
    """The catalog of any system that SQLAlchemy knows.

    Args:
        connection: A read-only connection.
    """

    names_default_schema = True
    """Whether tables of the default schema are said to lie in it; a file or a single database is no schema."""

    def __init__(self, connection: "Connection") -> None:
        from sqlalchemy import inspect

        self.connection = connection
        self.inspector = inspect(connection)

    @cached_property
    def default_schema(self) -> str:
        return self.inspector.default_schema_name or ""

    def all_schemas(self) -> list[str]:
        """Every schema, those of the system included."""
        return list(self.inspector.get_schema_names())

    def user_schemas(self) -> list[str]:
        """The schemas that are read where none is asked for."""
        schemas = [name for name in self.all_schemas() if not is_system_schema(name)]
        return schemas or [self.default_schema]

    def listing(self, schema: str) -> Listing:
        """The names in a schema."""
        named = schema or None
        return Listing(tuple(self.inspector.get_table_names(named)), tuple(self._view_names(named)))

    def _view_names(self, schema: str | None) -> list[str]:
        views = list(self.inspector.get_view_names(schema))
        try:
            return views + list(self.inspector.get_materialized_view_names(schema))
        except NotImplementedError:
            return views

    def details(self, schema: str, names: Sequence[str], everything: bool) -> Details:
        """The columns and keys of some tables and views.

        They come in a few queries for all of them. Where that fails, because one of them is broken, each is read alone.

        Args:
            schema: Their schema.
            names: Their names.
            everything: Whether these are all tables of the schema.

        Raises:
            sqlalchemy.exc.DBAPIError: If the connection ends meanwhile.
        """
        try:
            return self._details(schema, None if everything else names, set(names))
        except _reading_errors() as error:
            _require_connected(error)
            self.restart()
        details = Details()
        for name in names:
            try:
                one = self._details(schema, [name], {name})
            except _reading_errors() as error:
                _require_connected(error)
                lines = str(getattr(error, "orig", None) or error).splitlines()
                details.unreadable[name] = lines[0].strip() if lines else type(error).__name__
                self.restart()
                continue
            details.columns |= one.columns
            details.primary_keys |= one.primary_keys
            details.comments |= one.comments
            details.references += one.references
        return details

    def restart(self) -> None:
        """Leave a transaction that failed, and forget what the inspector has cached of it."""
        self.connection.rollback()
        self.inspector.clear_cache()

    def _details(self, schema: str, names: Sequence[str] | None, wanted: set[str]) -> Details:
        from sqlalchemy.engine.reflection import ObjectKind

        options: dict[str, Any] = {"schema": schema or None, "filter_names": names, "kind": ObjectKind.ANY}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of types that SQLAlchemy does not know.
            columns = self.inspector.get_multi_columns(**options)
        details = Details(
            columns={
                name: tuple(
                    Column(column["name"], self.type_name(column["type"]), description=column.get("comment") or "")
                    for column in listed
                )
                for (_, name), listed in columns.items()
                if name in wanted
            },
            primary_keys={
                name: tuple(key["constrained_columns"])
                for (_, name), key in self.inspector.get_multi_pk_constraint(**options).items()
                if name in wanted and key
            },
            comments=self._comments(options),
        )
        details.references += self.references(schema, names, wanted)
        return details

    def _comments(self, options: dict[str, Any]) -> dict[str, str]:
        try:
            found = self.inspector.get_multi_table_comment(**options)
        except NotImplementedError:
            return {}
        return {name: comment["text"] or "" for (_, name), comment in found.items()}

    def references(self, schema: str, names: Sequence[str] | None, wanted: set[str]) -> list[Reference]:
        """The foreign keys of some tables.

        Args:
            schema: Their schema.
            names: Their names, or ``None`` for all tables of the schema.
            wanted: Their names.
        """
        found = self.inspector.get_multi_foreign_keys(schema=schema or None, filter_names=names)
        return [
            Reference(
                schema,
                name,
                tuple(key["constrained_columns"]),
                key["referred_schema"] or schema,
                key["referred_table"],
                tuple(column for column in key["referred_columns"] or () if column is not None),
            )
            for (_, name), keys in found.items()
            if name in wanted
            for key in keys
        ]

    def type_name(self, declared: "TypeEngine[Any]") -> str:
        """A type as the database spells it, without its collation; empty where SQLAlchemy does not know it."""
        from sqlalchemy.types import NullType

        if isinstance(declared, NullType):
            return ""
        try:
            return declared.compile(dialect=self.connection.dialect).partition(" COLLATE ")[0]
        except _reading_errors():
            return type(declared).__name__


def _reading_errors() -> tuple[type[Exception], ...]:
    """What is raised at a broken table, by the database or by a dialect that does not understand its definition."""
    from sqlalchemy.exc import SQLAlchemyError

    return SQLAlchemyError, AttributeError, IndexError, KeyError, TypeError, ValueError


def _require_connected(error: Exception) -> None:
    """Raise an error that ended the connection: it says nothing of the table that was read."""
    if getattr(error, "connection_invalidated", False):
        raise error


def is_system_schema(name: str) -> bool:
    """Whether a schema belongs to the database system."""
    lowered = name.lower().rpartition(".")[2] if "." in name else name.lower()
    return lowered in SYSTEM_SCHEMAS or lowered.startswith(SYSTEM_PREFIXES)


def catalog_of(connection: "Connection") -> Catalog:
    """The catalog reader for the system of a connection."""
    from joingr_pyg.schema.readers.live.duckdb import DuckDBCatalog
    from joingr_pyg.schema.readers.live.mysql import MySQLCatalog
    from joingr_pyg.schema.readers.live.postgres import PostgresCatalog
    from joingr_pyg.schema.readers.live.sqlite import SQLiteCatalog

    catalogs: dict[str, Callable[[Connection], Catalog]] = {
        "duckdb": DuckDBCatalog,
        "mariadb": MySQLCatalog,
        "mysql": MySQLCatalog,
        "postgresql": PostgresCatalog,
        "sqlite": SQLiteCatalog,
    }
    return catalogs.get(connection.dialect.name, Catalog)(connection)
