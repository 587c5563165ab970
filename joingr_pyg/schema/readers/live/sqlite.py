"""The catalog of SQLite."""

from joingr_pyg.schema.readers.live.catalog import Catalog, Listing


class SQLiteCatalog(Catalog):
    """SQLite's catalog: the tables in which virtual tables keep their data are no tables of the user."""

    names_default_schema = False

    def user_schemas(self) -> list[str]:
        return [self.default_schema]

    def listing(self, schema: str) -> Listing:
        listed = super().listing(schema)
        rows = self.connection.exec_driver_sql("PRAGMA table_list")
        shadows = {name for of, name, kind, *_ in rows if kind == "shadow" and of == (schema or "main")}
        tables = tuple(name for name in listed.tables if name not in shadows)
        return Listing(tables, listed.views, internal=tuple(name for name in listed.tables if name in shadows))
