"""The catalog of MySQL and MariaDB."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from joingr_pyg.schema.model import Column
from joingr_pyg.schema.readers.live.catalog import Catalog, Details, Listing, Reference, is_system_schema

TABLES = """
    SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = %(schema)s ORDER BY CREATE_TIME, TABLE_NAME
"""

COLUMNS = """
    SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLUMN_COMMENT FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = %(schema)s ORDER BY TABLE_NAME, ORDINAL_POSITION
"""

KEYS = """
    SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME,
        REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
    FROM information_schema.KEY_COLUMN_USAGE
    WHERE TABLE_SCHEMA = %(schema)s AND (CONSTRAINT_NAME = 'PRIMARY' OR REFERENCED_TABLE_NAME IS NOT NULL)
    ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION
"""


class MySQLCatalog(Catalog):
    """The catalog of MySQL and MariaDB, from ``information_schema``: SQLAlchemy would ask for each table alone."""

    @property
    def names_default_schema(self) -> bool:  # type: ignore[override]
        return not self.default_schema

    def user_schemas(self) -> list[str]:
        """The database of the connection, or every database of the server where it names none."""
        if self.default_schema:
            return [self.default_schema]
        return [name for name in self.all_schemas() if not is_system_schema(name)]

    def _listed(self, schema: str) -> list[tuple[str, str, str]]:
        return [(name, kind, comment or "") for name, kind, comment in self._rows(TABLES, schema)]

    def _rows(self, query: str, schema: str) -> list[list[Any]]:
        rows = self.connection.exec_driver_sql(query, {"schema": schema})
        return [[value.decode() if isinstance(value, bytes) else value for value in row] for row in rows]

    def listing(self, schema: str) -> Listing:
        listed = self._listed(schema)
        return Listing(
            tables=tuple(name for name, kind, _ in listed if kind in ("BASE TABLE", "SYSTEM VERSIONED")),
            views=tuple(name for name, kind, _ in listed if kind == "VIEW"),
        )

    def details(self, schema: str, names: Sequence[str], everything: bool) -> Details:
        wanted = set(names)
        columns: dict[str, list[Column]] = defaultdict(list)
        for table, column, declared, comment in self._rows(COLUMNS, schema):
            if table in wanted:
                columns[table].append(Column(column, declared, description=comment or ""))
        details = Details(
            columns={table: tuple(listed) for table, listed in columns.items()},
            comments={name: comment for name, kind, comment in self._listed(schema) if kind != "VIEW"},
        )
        primary: dict[str, list[str]] = defaultdict(list)
        pairs: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        for table, constraint, column, other_schema, other, referenced in self._rows(KEYS, schema):
            if table not in wanted:
                continue
            if other is None:
                primary[table].append(column)
            else:
                pairs[table, constraint, other_schema, other].append((column, referenced))
        details.primary_keys = {table: tuple(listed) for table, listed in primary.items()}
        for (table, _, other_schema, other), joined in pairs.items():
            own, referenced_columns = zip(*joined, strict=True)
            details.references.append(Reference(schema, table, own, other_schema, other, referenced_columns))
        broken = [name for name in names if name not in columns]
        details.unreadable = dict.fromkeys(broken, "the server lists no columns of it; its definition is broken")
        return details
