"""A live database as a schema."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from joingr_pyg.errors import JoinGRError, require_at_least
from joingr_pyg.schema.model import Database, ForeignKey, Table
from joingr_pyg.schema.names.readable import match
from joingr_pyg.schema.readers.live.address import database_name, source_url
from joingr_pyg.schema.readers.live.catalog import Catalog, Details, Listing, Reference, catalog_of, is_system_schema
from joingr_pyg.schema.readers.live.connection import LiveSource, reading
from joingr_pyg.schema.readers.live.selection import Patterns, Selection, patterns

if TYPE_CHECKING:
    from sqlalchemy import Connection

logger = logging.getLogger(__name__)

Place = tuple[str, str]
"""A table of a server: ``(schema, table)``."""

NAMED = 5
"""How many tables, views or keys that are left out a warning names."""


def read_database(
    source: LiveSource,
    *,
    name: str = "",
    schemas: Patterns = None,
    include: Patterns = None,
    exclude: Patterns = None,
    views: bool = False,
    timeout: float = 60.0,
) -> Database:
    """Read the schema of a live database; nothing is written to it, and no lock on a table is kept.

    Tables, columns, comments (as descriptions), primary keys and foreign keys are read in a few queries for all tables.
    Partitions are left out, since the partitioned table stands for them, and so are temporary tables, those of
    extensions, and views. A table that cannot be read stops nothing: a warning counts and names what is left out.

    Args:
        source: URL of SQLAlchemy, as ``"postgresql://user:password@host/database"`` or ``"sqlite:///file.sqlite"``, or
            an engine.
        name: Name of the database; its own where not given.
        schemas: Schemas (namespaces) to read. Where not given, all but those of the system; of MySQL and MariaDB the
            database of the URL, and of SQLite the file alone.
        include: Patterns of the tables to read, as ``["sales.*", "customer*"]``; all where not given.
        exclude: Patterns of tables to leave out, as ``["*_bak", "schema_migrations"]``.
        views: Read views as tables too.
        timeout: How long one query may take, in seconds.

    Raises:
        JoinGRError: If the database cannot be reached or read, a driver is missing, an argument is no list of texts, a
            schema does not exist, or no table is left to read. No message holds a password.
    """
    require_at_least(0.001, timeout=timeout)
    selection, wanted = Selection.of(include, exclude), patterns("schemas", schemas)

    def read(connection: "Connection") -> Database:
        title = name or database_name(source_url(source))
        catalog = catalog_of(connection)
        return _read(catalog, title, _schemas(catalog, wanted), selection, views)

    return reading(source, read, timeout)


def _schemas(catalog: Catalog, wanted: tuple[str, ...]) -> list[str]:
    """The schemas to read, as the database spells them."""
    if not wanted:
        return catalog.user_schemas()
    existing = catalog.all_schemas()
    schemas = []
    for name in wanted:
        schema = match(name, existing)
        if schema is None:
            near = get_close_matches(name, existing, 1, 0.5) or [
                each for each in existing if not is_system_schema(each)
            ]
            raise JoinGRError(f"The database has no schema {name!r}: did you mean {near[0]!r}?")
        schemas.append(schema)
    return list(dict.fromkeys(schemas))


@dataclass
class _Omissions:
    """What is left out of a schema, for the messages that say so."""

    views: int = 0
    partitions: int = 0
    internal: int = 0
    unreadable: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


def _read(catalog: Catalog, title: str, schemas: list[str], selection: Selection, views: bool) -> Database:
    listings = {schema: catalog.listing(schema) for schema in schemas}
    omitted = _Omissions(
        views=0 if views else sum(len(listing.views) for listing in listings.values()),
        partitions=sum(len(listing.parents) for listing in listings.values()),
        internal=sum(len(listing.internal) for listing in listings.values()),
    )
    present = [
        (schema, table)
        for schema, listing in listings.items()
        for table in (*listing.tables, *(listing.views if views else ()))
    ]
    chosen = [place for place in present if selection.chooses(*place)]
    if not chosen:
        raise JoinGRError(_nothing_to_read(title, present, omitted))
    if unused := selection.unused(present):
        logger.warning("No table of database %r matches %s of 'include'.", title, ", ".join(map(repr, unused)))
    details = {}
    for schema in schemas:
        names = [table for of, table in chosen if of == schema]
        if names:
            everything = len(names) == sum(of == schema for of, _ in present)
            details[schema] = catalog.details(schema, names, everything)
    database = _assemble(catalog, title, chosen, details, listings, omitted)
    _report(database, omitted)
    return database


def _nothing_to_read(title: str, present: list[Place], omitted: _Omissions) -> str:
    if present:
        examples = ", ".join(repr(".".join(filter(None, place))) for place in present[:3])
        return (
            f"No table of database {title!r} is left to read: 'include' and 'exclude' leave out all "
            f"{len(present)}, such as {examples}."
        )
    hint = f", only {omitted.views} views: views=True reads them" if omitted.views else ""
    return f"Database {title!r} has no tables{hint or ': check its name, its schemas and the rights of the user'}."


def _assemble(
    catalog: Catalog,
    title: str,
    chosen: list[Place],
    details: Mapping[str, Details],
    listings: Mapping[str, Listing],
    omitted: _Omissions,
) -> Database:
    """The schema of the tables that could be read."""
    times = Counter(table for _, table in chosen)
    names: dict[Place, str] = {}
    tables: dict[str, Table] = {}
    for place in chosen:
        schema, table = place
        of = details[schema]
        if not of.columns.get(table):
            omitted.unreadable.append(f"{table!r} ({of.unreadable.get(table, 'it has no columns')})")
            continue
        told_apart = times[table] > 1 or schema != catalog.default_schema or catalog.names_default_schema
        names[place] = table if times[table] == 1 else f"{schema}.{table}"
        columns = of.columns[table]
        listed = {column.name for column in columns}
        primary_key = tuple(column for column in of.primary_keys.get(table, ()) if column in listed)
        tables[names[place]] = Table(
            names[place],
            columns,
            primary_key,
            description=of.comments.get(table, ""),
            schema=schema if told_apart else "",
        )
    if not tables:
        raise JoinGRError(f"No table of database {title!r} can be read: {'; '.join(omitted.unreadable[:NAMED])}.")
    find = _Finder(names, listings)
    keys: dict[ForeignKey, None] = {}
    for reference in (reference for of in details.values() for reference in of.references):
        joined = _joined(reference, find, tables)
        if joined is None:
            columns_joined = ", ".join(reference.columns)
            omitted.keys.append(f"{reference.table}({columns_joined}) to {reference.referenced_table}")
        else:
            keys.update(dict.fromkeys(joined))
    return Database(title, tuple(tables.values()), tuple(keys))


class _Finder:
    """Finds the table that a place means: exactly, in other letter case, or the table that a partition is part of."""

    def __init__(self, names: Mapping[Place, str], listings: Mapping[str, Listing]) -> None:
        self._names = names
        self._folded = {(schema.lower(), table.lower()): name for (schema, table), name in names.items()}
        self._parents = {
            (schema, partition): parent
            for schema, listing in listings.items()
            for partition, parent in listing.parents.items()
        }

    def __call__(self, schema: str, table: str) -> str | None:
        place = (schema, table)
        while place in self._parents:
            place = self._parents[place]
        return self._names.get(place) or self._folded.get((place[0].lower(), place[1].lower()))


def _joined(reference: Reference, find: _Finder, tables: Mapping[str, Table]) -> list[ForeignKey] | None:
    """The column pairs of a foreign key, or ``None`` where a table or column of it is not read."""
    name = find(reference.schema, reference.table)
    other = find(reference.referenced_schema, reference.referenced_table)
    if name is None or other is None:
        return None
    own = _columns(reference.columns, tables[name])
    referenced = _columns(reference.referenced_columns or tables[other].primary_key, tables[other])
    if not own or len(own) != len(reference.columns) or len(own) != len(referenced):
        return None
    return [ForeignKey(name, column, other, target) for column, target in zip(own, referenced, strict=True)]


def _columns(columns: Iterable[str], table: Table) -> list[str]:
    found = (match(column, table.column_names) for column in columns)
    return [column for column in found if column is not None]


def _report(database: Database, omitted: _Omissions) -> None:
    """Say what was read, and what was left out."""
    parts = [f"{count:,} {what}" for what, count in _left_out(omitted) if count]
    logger.info(
        "Database %r: %s tables, %s columns, %s foreign keys%s.",
        *(database.name, f"{len(database.tables):,}", f"{sum(len(table.columns) for table in database):,}"),
        *(f"{len(database.foreign_keys):,}", f"; left out: {', '.join(parts)}" if parts else ""),
    )
    for what, listed in (
        ("tables or views of database %r cannot be read and are left out", omitted.unreadable),
        ("foreign keys of database %r are left out, since a table or column of theirs is not read", omitted.keys),
    ):
        if listed:
            more = f" and {len(listed) - NAMED:,} more" if listed[NAMED:] else ""
            logger.warning(f"%d {what}: %s%s.", len(listed), database.name, "; ".join(listed[:NAMED]), more)
    if not database.joins and len(database.tables) > 1:
        logger.warning(
            "Database %r declares no foreign keys, so that no join leads from one table to another but those that "
            "are given or inferred from names.",
            database.name,
        )


def _left_out(omitted: _Omissions) -> list[tuple[str, int]]:
    return [
        ("views", omitted.views),
        ("partitions", omitted.partitions),
        ("tables of extensions and of the system", omitted.internal),
    ]
