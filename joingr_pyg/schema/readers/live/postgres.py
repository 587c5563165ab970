"""The catalog of PostgreSQL."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from joingr_pyg.schema.readers.live.catalog import Catalog, Details, Listing, Reference

RELATIONS = """
    SELECT n.nspname, c.relname, c.relkind, pn.nspname, p.relname, EXISTS (
        SELECT 1 FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid AND c.relispartition
    LEFT JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
    LEFT JOIN pg_catalog.pg_namespace pn ON pn.oid = p.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND c.relpersistence <> 't'
    ORDER BY c.oid
"""
"""Tables and views as they were created: schema, name, kind, schema and name of the table that a partition is part of,
and whether an extension made it."""

KEYS = """
    SELECT n.nspname, f.relname, tn.nspname, t.relname,
        ARRAY(
            SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(number, place)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.number ORDER BY u.place
        ),
        ARRAY(
            SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(number, place)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.number ORDER BY u.place
        )
    FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_class f ON f.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = f.relnamespace
    JOIN pg_catalog.pg_class t ON t.oid = k.confrelid JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace
    WHERE k.contype = 'f'
    ORDER BY k.oid
"""


TYPES = """
    SELECT c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %(schema)s AND c.relname = ANY (%(tables)s) AND a.attnum > 0 AND NOT a.attisdropped
"""


class PostgresCatalog(Catalog):
    """PostgreSQL's catalog: partitions and the tables of extensions are told apart.

    Foreign keys are read from ``pg_constraint``, because SQLAlchemy takes them from their text, where it splits names
    that hold a comma, and names no schema for those on the search path.
    """

    @cached_property
    def _relations(self) -> dict[str, list[Any]]:
        relations = defaultdict(list)
        for schema, *relation in self.connection.exec_driver_sql(RELATIONS):
            relations[schema].append(relation)
        return relations

    @cached_property
    def _keys(self) -> dict[str, list[Reference]]:
        keys = defaultdict(list)
        for schema, table, other_schema, other, columns, referenced in self.connection.exec_driver_sql(KEYS):
            keys[schema].append(Reference(schema, table, tuple(columns), other_schema, other, tuple(referenced)))
        return keys

    def listing(self, schema: str) -> Listing:
        relations = self._relations.get(schema, [])
        users = [(name, kind) for name, kind, _, parent, extension in relations if not parent and not extension]
        return Listing(
            tables=tuple(name for name, kind in users if kind in ("r", "p", "f")),
            views=tuple(name for name, kind in users if kind in ("v", "m")),
            parents={name: (of, parent) for name, _, of, parent, _ in relations if parent},
            internal=tuple(name for name, _, _, _, extension in relations if extension),
        )

    def _details(self, schema: str, names: Sequence[str] | None, wanted: set[str]) -> Details:
        details = super()._details(schema, names, wanted)
        # Types of extensions and composite types, which SQLAlchemy does not know.
        unknown = [table for table, columns in details.columns.items() if not all(column.type for column in columns)]
        if unknown:
            rows = self.connection.exec_driver_sql(TYPES, {"schema": schema, "tables": unknown})
            types = {(table, column): declared for table, column, declared in rows}
            for table in unknown:
                details.columns[table] = tuple(
                    column if column.type else replace(column, type=types[table, column.name])
                    for column in details.columns[table]
                )
        return details

    def references(self, schema: str, names: Sequence[str] | None, wanted: set[str]) -> list[Reference]:
        parents = self.listing(schema).parents
        return [key for key in self._keys.get(schema, []) if key.table in wanted or key.table in parents]
