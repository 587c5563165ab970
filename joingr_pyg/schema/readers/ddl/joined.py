"""Statements that stand in one another's place or one behind the other with nothing between them."""

import re

from joingr_pyg.schema.model import Column
from joingr_pyg.schema.readers.ddl.catalog import DraftTable
from joingr_pyg.schema.readers.ddl.splitting import ROUTINE
from joingr_pyg.schema.readers.ddl.tokens import Cursor, Name, NotUnderstoodError, tokenize

CREATES = re.compile(r"\bCREATE\s+(?:\w+\s+){0,4}?(?:TABLE|VIEW)\s+[\w\"`\[$@&{]", re.IGNORECASE)


def parts_of(text: str, dialect: str) -> list[str]:
    """The statements that a text is made of: ``CREATE SCHEMA`` with its tables, and statements that nothing ends."""
    if CREATES.search(text, 1) is None or ROUTINE.match(text):
        return [text]
    try:
        tokens = tokenize(text, dialect)
    except NotUnderstoodError:
        return [text]
    begins, depth = [0], 0
    for token in tokens[1:]:
        depth += (token.word == "(") - (token.word == ")")
        if depth == 0 and token.word == "CREATE" and CREATES.match(text, token.start):
            begins.append(token.start)
    return [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)], strict=True)]


def schema_created(text: str, dialect: str) -> str:
    """The name of the schema that ``CREATE SCHEMA`` creates; empty where the statement creates something else."""
    if re.match(r"CREATE\s+SCHEMA\b", text, re.IGNORECASE) is None:
        return ""
    cursor = Cursor(tokenize(text, dialect), dialect)
    cursor.skip_behind("SCHEMA")
    cursor.accept("IF", "NOT", "EXISTS")
    cursor.accept("AUTHORIZATION")
    return cursor.name().name


def virtual_table(cursor: Cursor, name: Name) -> DraftTable:
    """SQLite's ``CREATE VIRTUAL TABLE name USING module(column, ..., option = value)``, read from behind its name.

    Raises:
        NotUnderstoodError: If it lists no columns, as those of some modules do not.
    """
    table = DraftTable(name)
    cursor.skip_behind("USING")
    module = cursor.name().name
    for entry in [] if cursor.at_end else cursor.entries():
        words = [token.word for token in entry]
        if "=" not in words and words[0] != "TOKENIZE":
            column = Cursor(entry, cursor.dialect)
            column.accept("+")
            table.columns.append(Column(column.parts()[-1].text))
    if not table.columns:
        raise NotUnderstoodError(f"virtual table {str(name)!r} of module {module!r} lists no columns")
    return table
