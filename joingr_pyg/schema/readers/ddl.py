"""The reader of ``CREATE TABLE`` statements.

It reads sqlglot's tokens rather than its syntax trees: those fall back to opaque commands at ``WITHOUT ROWID`` and
``STRICT``, and refuse types and clauses that SQLite accepts (``UNSIGNED BIG INT``, ``ON CONFLICT``), while the names,
keys and comments that matter here stand at fixed places.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot.tokens import Token, TokenType

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.readable import is_internal, match
from joingr_pyg.schema.sql.column_type import leading_type
from joingr_pyg.schema.sql.parsing import tokenize_sql

logger = logging.getLogger(__name__)

QUOTED = (TokenType.IDENTIFIER, TokenType.STRING)
"""Tokens that are names whatever they spell."""

TABLE_CONSTRAINTS = {"CONSTRAINT", "PRIMARY KEY", "FOREIGN KEY", "UNIQUE", "CHECK"}
"""What an entry of a table begins with where it defines no column."""

MYSQL_INDEXES = {"KEY", "INDEX", "FULLTEXT", "SPATIAL"}
"""The same in MySQL alone; elsewhere they may be names."""


@dataclass
class _Reference:
    columns: list[str]
    table: str
    targets: list[str]


@dataclass
class _Definition:
    name: str
    columns: list[Column] = field(default_factory=list)
    primary_key: list[str] = field(default_factory=list)
    references: list[_Reference] = field(default_factory=list)


def read_ddl(text: str, name: str, dialect: str = "sqlite") -> Database:
    """Read the tables that a DDL text creates; statements other than ``CREATE TABLE`` are ignored.

    A comment after a column, before or after its comma, is the column's description. ``REFERENCES``
    without a column means the primary key of the table it names. A foreign key to a table or column
    that the text lacks is left out with a warning, and so is a table without a list of columns. SQLite's own tables
    (``sqlite_sequence``) are left out.

    Args:
        text: The statements.
        name: Name of the database.
        dialect: Name of the sqlglot dialect.

    Raises:
        JoinGRError: If a quote or parenthesis is not closed, a key names a column that does not exist
            in its own table, or the text creates no table.
    """
    definitions = []
    for statement in _statements(tokenize_sql(text, dialect)):
        definition = _definition(text, statement, dialect)
        if definition is not None and not is_internal(definition.name):
            definitions.append(definition)
    if not definitions:
        raise JoinGRError(f"The DDL of database {name!r} creates no table.")
    tables = [
        Table(each.name, tuple(each.columns), tuple(_own(column, each) for column in each.primary_key))
        for each in definitions
    ]
    by_name = {table.name: table for table in tables}
    foreign_keys = tuple(key for each in definitions for key in _foreign_keys(name, each, by_name))
    return Database(name, tuple(tables), foreign_keys)


def _statements(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    statement: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            yield statement
            statement = []
        else:
            statement.append(token)
    yield statement


def _definition(text: str, statement: Sequence[Token], dialect: str) -> _Definition | None:
    """The table that a statement creates, or ``None``."""
    words = [_word(token) for token in statement[:4]]
    if words[:1] != ["CREATE"] or "TABLE" not in words or "VIRTUAL" in words:
        return None
    position = words.index("TABLE") + 1
    if [_word(token) for token in statement[position : position + 3]] == ["IF", "NOT", "EXISTS"]:
        position += 3
    name, position = _name(statement, position)
    definition = _Definition(name)
    if position == len(statement) or statement[position].token_type != TokenType.L_PAREN:
        logger.warning("Table %r is left out: its statement lists no columns.", name)
        return None
    mysql = MYSQL_INDEXES if dialect == "mysql" else set()
    for entry in _entries(statement, position, name):
        if _word(entry[0]) in TABLE_CONSTRAINTS | mysql:
            _add_constraint(definition, entry)
        else:
            _add_column(definition, entry, text)
    return definition


def _add_column(definition: _Definition, entry: Sequence[Token], text: str) -> None:
    name = entry[0].text
    rest = entry[1:]
    # A comment on a line of its own hangs on the name that follows it, and need not be about it.
    named_only = all(token.token_type == TokenType.COMMA for token in rest)
    comments = [comment.strip() for token in (entry if named_only else rest) for comment in token.comments]
    definition.columns.append(Column(name, type=leading_type(text, rest), description=" ".join(comments)))
    if any(_word(token) == "PRIMARY KEY" for token in rest):
        definition.primary_key.append(name)
    _add_reference(definition, [name], entry)


def _add_constraint(definition: _Definition, entry: Sequence[Token]) -> None:
    kinds = {_word(token) for token in entry}
    opening = next((place for place, token in enumerate(entry) if token.token_type == TokenType.L_PAREN), None)
    if opening is None or not kinds & {"PRIMARY KEY", "FOREIGN KEY"}:
        return
    columns = [each[0].text for each in _entries(entry, opening, definition.name)]
    if "PRIMARY KEY" in kinds:
        definition.primary_key += columns
    else:
        _add_reference(definition, columns, entry)


def _add_reference(definition: _Definition, columns: list[str], entry: Sequence[Token]) -> None:
    """Note what an entry's ``REFERENCES``, where it has one, points at."""
    place = next((place for place, token in enumerate(entry) if _word(token) == "REFERENCES"), None)
    if place is None:
        return
    table, after = _name(entry, place + 1)
    targets: list[str] = []
    if after < len(entry) and entry[after].token_type == TokenType.L_PAREN:
        targets = [each[0].text for each in _entries(entry, after, definition.name)]
    definition.references.append(_Reference(columns, table, targets))


def _foreign_keys(database: str, definition: _Definition, tables: dict[str, Table]) -> Iterator[ForeignKey]:
    for reference in definition.references:
        columns = [_own(column, definition) for column in reference.columns]
        parent = match(reference.table, tables)
        found = () if parent is None else _targets(reference, tables[parent])
        if parent is None or len(found) != len(columns):
            logger.warning(
                "The foreign key %r (%s) of database %r is skipped: it references %r (%s), which does not exist.",
                *(definition.name, ", ".join(columns), database),
                *(reference.table, ", ".join(reference.targets) or "its primary key"),
            )
            continue
        for column, referenced in zip(columns, found, strict=True):
            yield ForeignKey(definition.name, column, parent, referenced)


def _targets(reference: _Reference, parent: Table) -> tuple[str, ...]:
    """The columns a reference points at, those left out being the primary key; missing ones are not among them."""
    if not reference.targets:
        return parent.primary_key
    found = (match(column, parent.column_names) for column in reference.targets)
    return tuple(column for column in found if column is not None)


def _own(column: str, definition: _Definition) -> str:
    """The exact name of a column of the table, or the name as given where there is none."""
    return match(column, (each.name for each in definition.columns)) or column


def _word(token: Token) -> str:
    """The upper-case keyword of a token, empty for a quoted name."""
    return "" if token.token_type in QUOTED else token.text.upper()


def _name(tokens: Sequence[Token], position: int) -> tuple[str, int]:
    """The name at a position, without its schema prefix, and the position after it."""
    while position + 2 < len(tokens) and tokens[position + 1].token_type == TokenType.DOT:
        position += 2
    if position >= len(tokens):
        raise JoinGRError("The DDL ends where a table should be named.")
    return tokens[position].text, position + 1


def _entries(tokens: Sequence[Token], opening: int, table: str) -> list[list[Token]]:
    """The entries of the parenthesised list that opens at a position, each with the comma after it."""
    entries: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[opening + 1 :]:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth < 0:
            return [entry for entry in entries if entry]
        entries[-1].append(token)
        if depth == 0 and token.token_type == TokenType.COMMA:
            entries.append([])
    raise JoinGRError(f"The DDL of table {table!r} ends before its closing parenthesis.")
