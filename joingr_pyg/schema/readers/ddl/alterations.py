"""``ALTER TABLE``: keys, columns, comments and partitions that are added or changed after a table was created."""

from collections.abc import Sequence
from dataclasses import replace

from joingr_pyg.schema.readers.ddl.catalog import Catalog, DraftTable
from joingr_pyg.schema.readers.ddl.keywords import HARMLESS_ACTIONS
from joingr_pyg.schema.readers.ddl.tables import (
    add_column,
    add_constraint,
    is_constraint,
    read_column,
    read_options,
)
from joingr_pyg.schema.readers.ddl.tokens import Cursor, Name, NotUnderstoodError, Token, split_entries

ACTIONS = {
    "ADD",
    "DROP",
    "ALTER",
    "MODIFY",
    "CHANGE",
    "RENAME",
    "COMMENT",
    "ATTACH",
    "INHERIT",
    "SET",
    "FOREIGN",
    "PRIMARY",
    "REPLACE",
}
"""What actions that shape a schema begin with."""

COLUMN_PROPERTIES = {"GENERATED", "ROWGUIDCOL", "PERSISTED", "MASKED", "SPARSE", "HIDDEN", "NOT"}
"""What ``ALTER COLUMN … ADD`` gives to a column."""

NO_COLUMN = {"PARTITION", "PARTITIONS", "SUBPARTITION", "PERIOD", "SYSTEM", "VERSIONING", "PROJECTION", "SEARCH", "ROW"}
"""What may be added or dropped without being a column, beside constraints and indexes."""


def alter_table(cursor: Cursor, text: str, catalog: Catalog) -> None:
    """Carry out an ``ALTER TABLE``.

    Args:
        cursor: The place behind ``ALTER TABLE``.
        text: The statement.
        catalog: The schema that it changes.

    Raises:
        UnknownTableError: If an action that matters is about a table that was not created.
        NotUnderstoodError: If one of the actions is not understood.
    """
    cursor.accept("IF", "EXISTS")
    cursor.accept("ONLY")
    name = cursor.name()
    cursor.accept("*")
    if cursor.accept("ON", "CLUSTER"):
        cursor.place += 1
    cursor.accept("WITH", "CHECK") or cursor.accept("WITH", "NOCHECK")
    actions = _actions(cursor.tokens[cursor.place :])
    if all(action[0].word in HARMLESS_ACTIONS for action in actions if not action[0].quote):
        return
    if catalog.find(name) is None and all(action[0].word in HARMLESS_ACTIONS | {"DROP"} for action in actions):
        # There is nothing to drop yet; a table of the name may come.
        return
    table = catalog.get(name)
    verb = ""
    failure: NotUnderstoodError | None = None
    for action in actions:
        # In SQL Server and Snowflake the entries behind the first ADD or DROP are further ones of it.
        starts = not action[0].quote and action[0].word in ACTIONS | HARMLESS_ACTIONS and not _continues(verb, action)
        verb = action[0].word if starts else verb
        try:
            if verb in ("FOREIGN", "PRIMARY"):
                # DB2 adds keys without ADD.
                add_constraint(table, action, cursor.dialect)
            else:
                _act(verb, Cursor(action[1:] if starts else action, cursor.dialect), text, table, catalog)
        except NotUnderstoodError as error:
            failure = failure or error
    if failure is not None:
        raise failure


def _actions(tokens: Sequence[Token]) -> list[list[Token]]:
    """The actions, which commas separate, or in DB2 nothing but the next verb."""
    actions = []
    for entry in split_entries(tokens):
        begin = depth = 0
        for place, token in enumerate(entry):
            depth += (token.word == "(") - (token.word == ")")
            if place > begin and depth == 0 and _is_next_action(entry, place):
                actions.append(entry[begin:place])
                begin = place
        actions.append(entry[begin:])
    return [action for action in actions if action]


def _is_next_action(entry: Sequence[Token], place: int) -> bool:
    """Whether the next action begins at a place without a comma before it."""
    word, following = entry[place].word, entry[place + 1].word if place + 1 < len(entry) else ""
    if word == "ADD":
        return entry[place - 1].word not in ("CHECK", "NOCHECK") and following not in COLUMN_PROPERTIES
    return (word, following) in (("ALTER", "COLUMN"), ("DROP", "COLUMN"), ("DROP", "CONSTRAINT"))


def _continues(verb: str, action: Sequence[Token]) -> bool:
    """Whether an entry that begins like an action is a constraint or column of the ``ADD`` before it."""
    first, second = action[0].word, action[1].word if len(action) > 1 else ""
    return verb == "ADD" and (
        (first in ("FOREIGN", "PRIMARY") and second == "KEY") or (first == "CHECK" and second == "(")
    )


def _act(verb: str, cursor: Cursor, text: str, table: DraftTable, catalog: Catalog) -> None:
    if verb == "ADD":
        _add(cursor, text, table)
    elif verb == "DROP":
        _drop(cursor, table)
    elif verb == "ALTER":
        _alter_column(cursor, text, table)
    elif verb in ("MODIFY", "CHANGE"):
        _redefine(verb, cursor, text, table)
    elif verb == "RENAME":
        _rename(cursor, table, catalog)
    elif verb == "COMMENT":
        _comment(cursor, table)
    elif verb == "REPLACE":
        if cursor.accept("COLUMNS"):
            table.columns.clear()
            for entry in cursor.entries():
                add_column(table, entry, text, cursor.dialect)
    elif verb == "ATTACH":
        if cursor.accept("PARTITION") and (token := cursor.token) is not None and token.quote != "string":
            catalog.get(cursor.name()).partition_of = table.name
    elif verb == "INHERIT":
        table.parents.append(cursor.name())
    elif verb == "SET":
        _set(cursor, table, catalog)
    elif verb not in HARMLESS_ACTIONS:
        raise NotUnderstoodError(f"what it does to table {str(table.name)!r} is not understood")


def _add(cursor: Cursor, text: str, table: DraftTable) -> None:
    cursor.accept_any("COLUMN", "COLUMNS")
    cursor.accept("IF", "NOT", "EXISTS")
    if cursor.word() == "(":
        for entry in cursor.entries():
            _add_entry(entry, text, table, cursor.dialect)
    else:
        _add_entry(cursor.tokens[cursor.place :], text, table, cursor.dialect)


def _add_entry(entry: Sequence[Token], text: str, table: DraftTable, dialect: str) -> None:
    if not entry:
        raise NotUnderstoodError(f"what it adds to table {str(table.name)!r} is missing")
    if not entry[0].quote:
        if is_constraint(entry):
            add_constraint(table, entry, dialect)
            return
        if entry[0].word in NO_COLUMN | {"DEFAULT"} and len(entry) > 1 and not entry[1].word.isalpha():
            return
        if entry[0].word in NO_COLUMN | {"COLUMNSTORE", "EXTENDED", "CLUSTERING"}:
            return
    definition, position = _placed(entry, table)
    add_column(table, definition, text, dialect, position)


def _placed(entry: Sequence[Token], table: DraftTable) -> tuple[Sequence[Token], int | None]:
    """A column's definition without where it goes, and that place."""
    for place, token in enumerate(entry[1:], 1):
        if token.word == "FIRST" and place == len(entry) - 1:
            return entry[:place], 0
        if token.word == "AFTER" and place == len(entry) - 2:
            return entry[:place], table.position(entry[-1].text) + 1
    return entry, None


def _drop(cursor: Cursor, table: DraftTable) -> None:
    if cursor.accept("CONSTRAINT"):
        cursor.accept("IF", "EXISTS")
        table.drop_constraint(cursor.parts()[-1].text)
    elif cursor.accept("PRIMARY", "KEY"):
        table.primary_key = []
    elif cursor.accept("FOREIGN", "KEY"):
        cursor.accept("IF", "EXISTS")
        table.drop_constraint(cursor.parts()[-1].text)
    elif cursor.word() in NO_COLUMN | {"INDEX", "KEY", "CHECK", "UNIQUE", "DEFAULT", "IDENTITY", "STATISTICS"}:
        return
    else:
        cursor.accept_any("COLUMN", "COLUMNS")
        cursor.accept("IF", "EXISTS")
        names = cursor.columns() if cursor.word() == "(" else [cursor.parts()[-1].text]
        for name in names:
            table.drop(name)


def _alter_column(cursor: Cursor, text: str, table: DraftTable) -> None:
    if cursor.word() in ("INDEX", "CONSTRAINT", "CHECK") and not cursor.accept("COLUMN"):
        return
    cursor.accept("COLUMN")
    cursor.accept("IF", "EXISTS")
    begin = cursor.place
    name = cursor.parts()[-1].text
    if cursor.accept("COMMENT"):
        table.describe(name, cursor.accept_string() or "")
    elif cursor.accept("SET", "OPTIONS"):
        table.describe(name, read_options(cursor, "DESCRIPTION"))
    elif cursor.accept("TYPE") or cursor.accept("SET", "DATA", "TYPE"):
        rest = cursor.tokens[cursor.place :]
        _retype(table, [cursor.tokens[begin], *rest], text, cursor.dialect)
    elif cursor.accept("RENAME", "TO"):
        table.rename(name, cursor.parts()[-1].text)
    elif cursor.word() not in ("SET", "DROP", "ADD", "RESET", "RESTART", "NOT", "NULL", "DEFAULT", "UNSET", ""):
        _retype(table, cursor.tokens[begin:], text, cursor.dialect)


def _redefine(verb: str, cursor: Cursor, text: str, table: DraftTable) -> None:
    if cursor.accept("COMMENT"):
        table.description = cursor.accept_string() or table.description
        return
    if (
        cursor.word() in HARMLESS_ACTIONS | {"TTL", "SETTING", "QUERY", "LOB", "NESTED", "CONSTRAINT"}
        and cursor.word(1) != "("
    ):
        return
    cursor.accept_any("COLUMN", "COLUMNS")
    cursor.accept("IF", "EXISTS")
    entries = cursor.entries() if cursor.word() == "(" else [list(cursor.tokens[cursor.place :])]
    for entry in entries:
        inside = Cursor(entry, cursor.dialect)
        if verb == "CHANGE":
            old = inside.parts()[-1].text
            table.rename(old, entry[inside.place].text if inside.place < len(entry) else old)
            entry = entry[inside.place :]
            inside = Cursor(entry, cursor.dialect)
        name = inside.parts()[-1].text
        if inside.accept("COMMENT"):
            table.describe(name, inside.accept_string() or "")
        elif inside.word() not in ("SET", "UNSET", "DROP", "REMOVE", "NOT", "NULL", "DEFAULT", "ENABLE", ""):
            definition, _ = _placed(entry, table)
            _retype(table, definition, text, cursor.dialect)


def _retype(table: DraftTable, definition: Sequence[Token], text: str, dialect: str) -> None:
    """Give a column what a new definition says; its description stays where that has none."""
    new = read_column(definition, text, dialect)
    place = table.position(new.column.name)
    old = table.columns[place]
    description = new.column.description or old.description
    table.columns[place] = replace(old, type=new.column.type, description=description)
    if new.primary and not table.primary_key:
        table.primary_key = [old.name]
    if new.reference is not None:
        table.references.append(new.reference)


def _rename(cursor: Cursor, table: DraftTable, catalog: Catalog) -> None:
    if cursor.word() in ("CONSTRAINT", "INDEX", "KEY", "PARTITION", "ATTRIBUTE"):
        return
    if cursor.accept("TO") or cursor.accept("AS"):
        name = cursor.name()
        catalog.rename(table, name if name.schema else replace(name, schema=table.name.schema))
        return
    cursor.accept("COLUMN")
    cursor.accept("IF", "EXISTS")
    old = cursor.parts()[-1].text
    if cursor.accept("TO") or cursor.accept("AS"):
        table.rename(old, cursor.parts()[-1].text)
    else:
        # A new name for the table without TO.
        catalog.rename(table, Name(table.name.schema, old))


def _comment(cursor: Cursor, table: DraftTable) -> None:
    if cursor.accept("COLUMN"):
        cursor.accept("IF", "EXISTS")
        table.describe(cursor.parts()[-1].text, cursor.accept_string() or "")
    else:
        cursor.accept("=")
        table.description = cursor.accept_string() or table.description


def _set(cursor: Cursor, table: DraftTable, catalog: Catalog) -> None:
    if cursor.accept("SCHEMA"):
        catalog.rename(table, replace(table.name, schema=cursor.parts()[-1].text))
    elif cursor.accept("COMMENT"):
        cursor.accept("=")
        table.description = cursor.accept_string() or table.description
    elif cursor.accept("OPTIONS"):
        table.description = read_options(cursor, "DESCRIPTION") or table.description
    elif cursor.accept("TBLPROPERTIES"):
        table.description = read_options(cursor, "COMMENT") or table.description
