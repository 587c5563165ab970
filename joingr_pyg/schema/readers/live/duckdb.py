"""The catalog of DuckDB."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from joingr_pyg.schema.model import Column
from joingr_pyg.schema.readers.live.catalog import Catalog, Details, Listing, Reference

TABLES = """
    SELECT schema_name, table_name, false, comment, table_oid FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT internal AND NOT temporary
    UNION ALL
    SELECT schema_name, view_name, true, comment, view_oid FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal AND NOT temporary
    ORDER BY 3, 5
"""

COLUMNS = """
    SELECT table_name, column_name, data_type, comment FROM duckdb_columns()
    WHERE database_name = current_database() AND schema_name = ? ORDER BY table_name, column_index
"""

KEYS = """
    SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names
    FROM duckdb_constraints()
    WHERE database_name = current_database() AND schema_name = ? AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
    ORDER BY table_name, constraint_index
"""


class DuckDBCatalog(Catalog):
    """DuckDB's catalog, from its metadata functions: its SQLAlchemy dialect asks for tables that PostgreSQL alone has.

    A foreign key of DuckDB cannot lead to another schema.
    """

    names_default_schema = False

    @cached_property
    def default_schema(self) -> str:
        return str(self.connection.exec_driver_sql("SELECT current_schema()").scalar())

    def all_schemas(self) -> list[str]:
        query = "SELECT schema_name FROM duckdb_schemas() WHERE database_name = current_database() ORDER BY oid"
        return [name for (name,) in self.connection.exec_driver_sql(query)]

    def _listed(self, schema: str) -> list[tuple[str, bool, str]]:
        rows = self.connection.exec_driver_sql(TABLES)
        return [(name, view, comment or "") for of, name, view, comment, _ in rows if of == schema]

    def listing(self, schema: str) -> Listing:
        listed = self._listed(schema)
        return Listing(
            tables=tuple(name for name, view, _ in listed if not view),
            views=tuple(name for name, view, _ in listed if view),
        )

    def details(self, schema: str, names: Sequence[str], everything: bool) -> Details:
        wanted = set(names)
        columns: dict[str, list[Column]] = defaultdict(list)
        for table, name, declared, comment in self.connection.exec_driver_sql(COLUMNS, (schema,)):
            if table in wanted:
                columns[table].append(Column(name, declared, description=comment or ""))
        details = Details(
            columns={table: tuple(listed) for table, listed in columns.items()},
            comments={name: comment for name, _, comment in self._listed(schema)},
        )
        for table, kind, own, other, referenced in self.connection.exec_driver_sql(KEYS, (schema,)):
            if table in wanted and kind == "PRIMARY KEY":
                details.primary_keys[table] = tuple(own)
            elif table in wanted:
                details.references.append(Reference(schema, table, tuple(own), schema, other, tuple(referenced)))
        details.unreadable = {name: "DuckDB lists no columns of it" for name in names if name not in columns}
        return details
