"""``CREATE TABLE`` statements of a schema, as a prompt shows it."""

import re
from collections.abc import Collection, Mapping

import sqlglot
from sqlglot import exp
from sqlglot.dialects.redshift import Redshift
from sqlglot.errors import SqlglotError

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Database, ForeignKey, Table
from joingr_pyg.schema.sql.parsing import sql_dialect

RESERVED = frozenset(word.lower() for word in Redshift.Generator.RESERVED_KEYWORDS)
"""Words that are no names without quotes in some dialect; Redshift reserves nearly all words that any dialect does."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def create_table_statements(
    database: Database,
    tables: Collection[str],
    dialect: str | None = None,
    columns: Mapping[str, Collection[str]] | None = None,
) -> str:
    """Write the statements that create some tables of a schema.

    They hold columns with their types, primary keys, the foreign keys among these tables, and descriptions as comments.
    A comment also says where a foreign key comes from if the schema does not declare it, and how sure it is.

    Args:
        database: The schema.
        tables: Names of the tables, in the order in which they are written.
        dialect: The dialect to quote names and spell types in, such as ``"postgres"``; where not given, types stand as
            the source of the schema spells them.
        columns: Names of the columns to write, by table; all columns of a table that is not named.

    Raises:
        JoinGRError: If there is no such dialect.
    """
    written = "" if dialect is None else sql_dialect(dialect)
    if dialect is not None and not written:
        names = ", ".join(sorted(name for name in sqlglot.Dialect.classes if name))
        raise JoinGRError(f"There is no SQL dialect {dialect!r}: choose one of {names}.")
    among = [key for key in database.joins if key.table in tables and key.referenced_table in tables]
    return "\n\n".join(
        _statement(
            database[name],
            [key for key in among if key.table == name],
            (columns or {}).get(name, database[name].column_names),
            written,
        )
        for name in tables
    )


def _statement(table: Table, keys: Collection[ForeignKey], columns: Collection[str], dialect: str) -> str:
    entries: list[tuple[str, str]] = []
    for column in table.columns:
        if column.name in columns:
            words = [_name(column.name, dialect), _type(column.type, dialect)]
            entries.append((" ".join(word for word in words if word), column.description))
    if table.primary_key:
        entries.append((f"PRIMARY KEY ({', '.join(_name(name, dialect) for name in table.primary_key)})", ""))
    for key in keys:
        ends = [_name(name, dialect) for name in (key.column, key.referenced_table, key.referenced_column)]
        source = "" if key.source == "declared" else f"{key.source}, confidence {key.confidence:.2f}"
        entries.append(("FOREIGN KEY ({}) REFERENCES {} ({})".format(*ends), source))
    omitted = len(table.columns) - sum(column.name in columns for column in table.columns)
    lines = [
        f"  {text}{',' * (number < len(entries))}{_comment(note)}" for number, (text, note) in enumerate(entries, 1)
    ]
    lines += [f"  -- {omitted} more columns"] * bool(omitted)
    heading = [_comment(table.description).strip()] * bool(table.description.strip())
    return "\n".join([*heading, f"CREATE TABLE {_name(table.name, dialect)} (", *lines, ");"])


def _comment(text: str) -> str:
    flat = " ".join(text.split())
    return f"  -- {flat}" if flat else ""


def _name(name: str, dialect: str) -> str:
    plain = _PLAIN.fullmatch(name) is not None and name.lower() not in RESERVED
    return exp.to_identifier(name, quoted=not plain).sql(dialect=dialect)


def _type(spelled: str, dialect: str) -> str:
    if not (spelled and dialect):
        return spelled
    try:
        return exp.DataType.build(spelled).sql(dialect=dialect)
    except (SqlglotError, ValueError):  # A type of the source's own, or none that sqlglot knows.
        return spelled
