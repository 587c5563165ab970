"""``CREATE TABLE`` statements of a schema, for the prompt of a language model."""

import re
from collections import Counter
from collections.abc import Collection, Mapping

import sqlglot
from sqlglot import exp
from sqlglot.dialects.redshift import Redshift
from sqlglot.errors import SqlglotError

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Database, ForeignKey, Table
from joingr_pyg.schema.sql.parsing import sql_dialect

RESERVED = frozenset(word.lower() for word in Redshift.Generator.RESERVED_KEYWORDS)
"""Words that must be quoted as names in some dialect. Redshift reserves nearly all words that any dialect reserves."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_TYPE = re.compile(r"[^\W\d][\w .:%$]*")
"""A type without its texts and brackets."""


def create_table_statements(
    database: Database,
    tables: Collection[str],
    dialect: str | None = None,
    columns: Mapping[str, Collection[str]] | None = None,
) -> str:
    """Write the statements that create some tables of a schema, as one text; see :func:`statement_by_table`."""
    return "\n\n".join(statement_by_table(database, tables, dialect, columns).values())


def statement_by_table(
    database: Database,
    tables: Collection[str],
    dialect: str | None = None,
    columns: Mapping[str, Collection[str]] | None = None,
) -> dict[str, str]:
    """Write the statement that creates each of some tables of a schema.

    They contain columns with types, primary keys, the foreign keys among these tables, and descriptions as comments. A
    foreign key that the schema does not declare has a comment with its source and confidence.

    Args:
        database: The schema.
        tables: Names of the tables, in output order.
        dialect: The dialect of quoted names and types, such as ``"postgres"``. By default types are written as in the
            source of the schema.
        columns: Names of the columns to write, by table. By default all columns are written.

    Raises:
        JoinGRError: If there is no such dialect.
    """
    sqlglot_name = "" if dialect is None else sql_dialect(dialect)
    if dialect is not None and not sqlglot_name:
        names = ", ".join(sorted(name for name in sqlglot.Dialect.classes if name))
        raise JoinGRError(f"There is no SQL dialect {dialect!r}: choose one of {names}.")
    quoted = _alike(database)
    among = [key for key in database.joins if key.table in tables and key.referenced_table in tables]
    return {
        name: _statement(
            database[name],
            [key for key in among if key.table == name],
            (columns or {}).get(name, database[name].column_names),
            sqlglot_name,
            quoted,
        )
        for name in tables
    }


def _statement(
    table: Table, keys: Collection[ForeignKey], columns: Collection[str], dialect: str, quoted: Collection[str]
) -> str:
    entries: list[tuple[str, str]] = []
    for column in table.columns:
        if column.name in columns:
            spelled = " ".join(column.type.split())
            note = column.description
            if not _is_whole(spelled):  # It would end the column, or hide what follows.
                spelled, note = "", f"Type {spelled}. {note}"
            words = [_name(column.name, dialect, quoted), _type(spelled, dialect)]
            entries.append((" ".join(word for word in words if word), note))
    if table.primary_key:
        entries.append((f"PRIMARY KEY ({', '.join(_name(name, dialect, quoted) for name in table.primary_key)})", ""))
    for key in keys:
        ends = [_name(name, dialect, quoted) for name in (key.column, key.referenced_table, key.referenced_column)]
        source = "" if key.source == "declared" else f"{key.source}, confidence {key.confidence:.2f}"
        entries.append(("FOREIGN KEY ({}) REFERENCES {} ({})".format(*ends), source))
    omitted = len(table.columns) - sum(column.name in columns for column in table.columns)
    lines = [
        f"  {text}{',' * (number < len(entries))}{_comment(note)}" for number, (text, note) in enumerate(entries, 1)
    ]
    lines += [f"  -- {omitted} more columns"] * bool(omitted)
    heading = [_comment(table.description).strip()] * bool(table.description.strip())
    return "\n".join([*heading, f"CREATE TABLE {_name(table.name, dialect, quoted)} (", *lines, ");"])


def _comment(text: str) -> str:
    flat = " ".join(text.split())
    return f"  -- {flat}" if flat else ""


def _alike(database: Database) -> frozenset[str]:
    """The names of tables, and of the columns of a table, that only letter case tells from another."""
    return frozenset(
        name
        for names in ([table.name for table in database], *(table.column_names for table in database))
        for folded in [Counter(name.lower() for name in names)]
        for name in names
        if folded[name.lower()] > 1
    )


def _name(name: str, dialect: str, quoted: Collection[str]) -> str:
    plain = _PLAIN.fullmatch(name) is not None and name.lower() not in RESERVED and name not in quoted
    return exp.to_identifier(name, quoted=not plain).sql(dialect=dialect)


def _is_whole(spelled: str) -> bool:
    """Whether a type leaves no bracket or quote open, closes none that it did not open, and holds no comment."""
    rest = re.sub(r"'[^'\\\\]*'|\"[^\"\\\\]*\"", "text", spelled)
    while (inner := re.sub(r"\([\w .,:+*=-]*\)|<[\w .,:+*=-]*>|\[[\w .]*\]", "", rest)) != rest:
        rest = inner
    return not spelled or _TYPE.fullmatch(rest) is not None


def _type(spelled: str, dialect: str) -> str:
    if not (spelled and dialect):
        return spelled
    try:
        return exp.DataType.build(spelled).sql(dialect=dialect)
    except (SqlglotError, ValueError):  # A user-defined type, or one that sqlglot does not support.
        return spelled
