"""Statements that create tables: their columns, keys and comments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from joingr_pyg.schema.model import Column
from joingr_pyg.schema.readers.ddl.catalog import Copied, DraftTable, Reference
from joingr_pyg.schema.readers.ddl.column_types import leading_type
from joingr_pyg.schema.readers.ddl.tokens import NESTED_TYPES, Cursor, Name, NotUnderstoodError, Token

NO_LIST_BEHIND = {"BY", "OPTIONS", "WITH", "TAG", "RANGE", "LIST", "HASH", "IN", "TBLPROPERTIES", "SERVER", "ON"}
"""Words whose parentheses hold no columns."""

INDEX_WORDS = {"KEY", "INDEX", "FULLTEXT", "SPATIAL"}
"""What defines an index within the list of columns, and may be the name of a column as well."""


@dataclass(frozen=True)
class Definition:
    """What the definition of a column says.

    Args:
        column: The column.
        primary: Whether it is the primary key.
        reference: The foreign key that it declares.
        fault: What of it was not understood.
    """

    column: Column
    primary: bool
    reference: Reference | None
    fault: NotUnderstoodError | None


def read_table(cursor: Cursor, text: str, name: Name) -> DraftTable:
    """Read what follows the name of a table that is created.

    Args:
        cursor: The place behind the name.
        text: The statement, for the spelling of types.
        name: The table's name with its schema.

    Raises:
        NotUnderstoodError: If the statement lists no columns.
    """
    table = DraftTable(name)
    if _copies(cursor, table):
        return table
    _move_to_columns(cursor, name)
    for entry in cursor.entries():
        try:
            add_entry(table, entry, text, cursor.dialect)
        except NotUnderstoodError as error:
            table.faults.append(str(error))
    _read_rest(cursor, table, text)
    return table


def add_entry(table: DraftTable, entry: Sequence[Token], text: str, dialect: str) -> None:
    """Add what one entry of the list of a table defines: a column or a constraint.

    Raises:
        NotUnderstoodError: If it is neither.
    """
    cursor = Cursor(entry, dialect)
    if cursor.accept("LIKE"):
        including = {token.word for token in entry}
        with_key = "INCLUDING" in including and bool(including & {"ALL", "INDEXES"})
        table.copied.append(Copied(cursor.name(), len(table.columns), with_key))
    elif not entry[0].quote and is_constraint(entry):
        add_constraint(table, entry, dialect)
    else:
        add_column(table, entry, text, dialect)


def is_constraint(entry: Sequence[Token]) -> bool:
    """Whether an entry defines a constraint or an index rather than a column."""
    first, *words = [token.word for token in entry[:4]]
    second = words[0] if words else ""
    if first in ("CONSTRAINT", "CHECK", "UNIQUE"):
        return len(entry) > 1 and second != "," and (first == "CONSTRAINT" or not _is_type(entry))
    if first in ("PRIMARY", "FOREIGN"):
        return second == "KEY"
    if first in INDEX_WORDS:
        return _is_index(entry)
    pairs = {"PERIOD": ("FOR",), "EXCLUDE": ("USING", "("), "SUPPLEMENTAL": ("LOG",), "INCLUDE": ("(",)}
    if first in pairs:
        return second in pairs[first]
    return (first == "PROJECTION" and "SELECT" in words) or (first == "WATERMARK" and second == "FOR")


def _is_type(entry: Sequence[Token]) -> bool:
    """Whether a word that mostly begins a constraint is followed by a type, and so is the name of a column."""
    second = entry[1].word
    return (
        second.isalpha()
        and second not in ("KEY", "INDEX", "CLUSTERED", "NONCLUSTERED", "NULLS", "USING")
        and (len(entry) < 3 or entry[2].word != "(")
    )


def _is_index(entry: Sequence[Token]) -> bool:
    """Whether an entry defines an index: a list of columns follows, where a column has numbers or values at most."""
    words = [token.word for token in entry]
    if words[0] == "INDEX" and {"TYPE", "COLUMNSTORE"} & set(words):
        return True
    if "(" not in words[:6]:
        return words[0] in ("FULLTEXT", "SPATIAL") and words[1:2] in (["KEY"], ["INDEX"])
    opening = words.index("(")
    if opening + 1 >= len(entry):
        return False
    inside = entry[opening + 1]
    return (
        inside.quote == "name"
        or (bool(re.match(r"[^\W\d]", inside.word)) and inside.word != "MAX")
        or (inside.word == "(")
    )


def add_column(table: DraftTable, entry: Sequence[Token], text: str, dialect: str, position: int | None = None) -> None:
    """Add a column and the keys that its definition declares.

    A comment behind the column, before or after its comma, is its description unless it has a ``COMMENT``.

    Args:
        table: The table.
        entry: The tokens of the definition.
        text: The statement.
        dialect: Its dialect.
        position: Where among the columns it goes; behind the others where not given.

    Raises:
        NotUnderstoodError: If the definition does not begin with a name.
    """
    definition = read_column(entry, text, dialect)
    table.columns.insert(len(table.columns) if position is None else position, definition.column)
    if definition.primary:
        table.primary_key.append(definition.column.name)
    if definition.reference is not None:
        table.references.append(definition.reference)
    if definition.fault is not None:
        raise definition.fault


def read_column(entry: Sequence[Token], text: str, dialect: str) -> Definition:
    """Read the definition of a column.

    Raises:
        NotUnderstoodError: If it does not begin with a name.
    """
    cursor = Cursor(entry, dialect)
    first = cursor.token
    if first is None or not (first.quote or re.match(r"\w", first.text)):
        raise NotUnderstoodError("a column has no name")
    cursor.place += 1
    name = cursor.with_adjacent(first).text
    rest = entry[cursor.place :]
    # A comment on a line of its own hangs on the name that follows it, and need not be about it.
    named_only = all(token.word == "," for token in rest)
    behind = [comment.strip() for token in (entry if named_only else rest) for comment in token.comments]
    description = " ".join(behind)
    primary, reference, fault, before = False, None, None, ""
    while not cursor.at_end:
        word = cursor.word()
        if word == "(":
            cursor.skip_group()
        elif word == "<" and before in NESTED_TYPES:
            _skip_angles(cursor)
        elif word == "REFERENCES":
            try:
                reference = read_reference(cursor, [name])
            except NotUnderstoodError as error:
                fault = error
        elif word == "COMMENT":
            cursor.place += 1
            cursor.accept("=")
            description = cursor.accept_string() or description
        elif word == "OPTIONS":
            cursor.place += 1
            description = _option(cursor, "DESCRIPTION") or description
        else:
            primary |= word == "PRIMARY" and cursor.word(1) == "KEY"
            primary |= word == "KEY" and dialect == "mysql" and before not in ("PRIMARY", "UNIQUE", "FOREIGN", "")
            cursor.place += 1
        before = word
    return Definition(Column(name, leading_type(text, rest), description=description), primary, reference, fault)


def add_constraint(table: DraftTable, entry: Sequence[Token], dialect: str) -> None:
    """Add the key that a constraint declares; other constraints are passed over.

    Raises:
        NotUnderstoodError: If a key names no columns or no table.
    """
    cursor = Cursor(entry, dialect)
    name = ""
    if cursor.accept("CONSTRAINT"):
        cursor.accept("IF", "NOT", "EXISTS")
        if cursor.word() not in ("PRIMARY", "FOREIGN", "UNIQUE", "CHECK") or not cursor.word(1):
            name = cursor.parts()[-1].text
    if cursor.accept("PRIMARY", "KEY"):
        # ClickHouse's may be a bare name.
        bare = cursor.word() != "(" and "(" not in (token.word for token in entry)
        if not bare:
            _move_to_list(cursor)
        table.primary_key = [cursor.parts()[-1].text] if bare else cursor.columns()
        table.primary_key_name = name
    elif cursor.accept("FOREIGN", "KEY"):
        # MySQL and DB2 name the key here.
        if cursor.word() != "(" and (token := cursor.token) is not None:
            name = name or token.text
        _move_to_list(cursor)
        columns = cursor.columns()
        while not cursor.at_end and cursor.word() != "REFERENCES":
            cursor.place += 1
        reference = read_reference(cursor, columns)
        reference.constraint = name
        table.references.append(reference)
    else:
        table.checked |= cursor.word() == "CHECK"


def read_reference(cursor: Cursor, columns: list[str]) -> Reference:
    """What ``REFERENCES`` points at; moves behind it.

    Raises:
        NotUnderstoodError: If it names no table.
    """
    if not cursor.accept("REFERENCES"):
        raise NotUnderstoodError("a foreign key references no table")
    if cursor.accept("WITH"):
        # Teradata says here whether it checks the key.
        cursor.skip_behind("OPTION")
    table = cursor.name()
    targets = cursor.columns() if cursor.word() == "(" else []
    return Reference(columns, table, targets)


def read_options(cursor: Cursor, *names: str) -> str:
    """The value of an option of a table or column in the parenthesised list that is next; moves behind it."""
    return _option(cursor, *names) or ""


def _copies(cursor: Cursor, table: DraftTable) -> bool:
    """Read a table that is made in the image of another; false where it is none."""
    cursor.accept("DEEP") or cursor.accept("SHALLOW")
    if cursor.accept("PARTITION", "OF"):
        table.partition_of = cursor.name()
    elif cursor.accept_any("LIKE", "CLONE", "COPY"):
        if [token.quote for token in cursor.tokens[cursor.place : cursor.place + 2]] == ["", "string"]:
            raise NotUnderstoodError("its columns are those of a data file")
        table.copied.append(Copied(cursor.name(), 0, with_key=True))
    elif cursor.word() == "(" and cursor.word(1) == "LIKE" and ")" in (cursor.word(3), cursor.word(5)):
        cursor.place += 2
        table.copied.append(Copied(cursor.name(), 0, with_key=True))
    elif cursor.word() == "AS" and cursor.word(1) not in ("SELECT", "WITH", "(", "TABLE", "VALUES", "FROM", ""):
        cursor.place += 1
        table.copied.append(Copied(cursor.name(), 0))
    else:
        return False
    return True


def _move_to_columns(cursor: Cursor, name: Name) -> None:
    """Move to the list of columns, over words and groups that some dialects put before it."""
    before = ""
    while not cursor.at_end:
        word = cursor.word()
        if word == "(" and cursor.word(1) in ("SELECT", "WITH"):
            break
        if word == "(" and before not in NO_LIST_BEHIND:
            return
        if word in ("AS", "SELECT"):
            break
        if word == "(":
            cursor.skip_group()
        else:
            cursor.place += 1
        before = word
    raise NotUnderstoodError(f"table {str(name)!r} lists no columns")


def _read_rest(cursor: Cursor, table: DraftTable, text: str) -> None:
    """Read what follows the list of columns."""
    while not cursor.at_end:
        if cursor.accept("COMMENT"):
            cursor.accept("=")
            table.description = cursor.accept_string() or table.description
        elif cursor.accept("OPTIONS"):
            table.description = _option(cursor, "DESCRIPTION") or table.description
        elif cursor.accept("TBLPROPERTIES"):
            table.description = table.description or _option(cursor, "COMMENT") or ""
        elif cursor.accept("INHERITS"):
            table.parents += [Cursor(entry, cursor.dialect).name() for entry in cursor.entries()]
        elif (cursor.accept("PARTITIONED", "BY") or cursor.accept("PARTITION", "COLUMNS")) and cursor.word() == "(":
            for entry in cursor.entries():
                # A bare name or an expression is about a column of the list; with a type it is one more column.
                if len(entry) > 1 and entry[1].word not in ("(", ","):
                    add_column(table, entry, text, cursor.dialect)
        elif cursor.accept("PRIMARY", "KEY"):
            names = cursor.columns() if cursor.word() == "(" else [cursor.parts()[-1].text]
            table.primary_key = names if all(name in _names(table) for name in names) else table.primary_key
        elif cursor.word() == "AS" and cursor.word(1) in ("SELECT", "WITH", "("):
            return
        elif cursor.word() == "(":
            cursor.skip_group()
        else:
            cursor.place += 1


def _names(table: DraftTable) -> list[str]:
    return [column.name for column in table.columns]


def _move_to_list(cursor: Cursor) -> None:
    while not cursor.at_end and cursor.word() != "(":
        cursor.place += 1


def _skip_angles(cursor: Cursor) -> None:
    depth = 0
    while not cursor.at_end:
        word = cursor.word()
        depth += (word == "<") - (len(word) if word in (">", ">>") else 0)
        cursor.place += 1
        if depth <= 0:
            return


def _option(cursor: Cursor, *names: str) -> str | None:
    """The string that one of the names is set to in the list that is next."""
    if cursor.word() != "(":
        return None
    for entry in cursor.entries():
        inside = Cursor(entry, cursor.dialect)
        if entry[0].text.upper() in names:
            inside.place += 1
            inside.accept("=") or inside.accept("=", "=")
            return inside.accept_string()
    return None
