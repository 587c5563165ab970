"""Statements that say what tables and columns hold: ``COMMENT ON`` and SQL Server's extended properties."""

from joingr_pyg.schema.readers.ddl.catalog import Catalog
from joingr_pyg.schema.readers.ddl.tokens import Cursor, Name, NotUnderstoodError, Token, split_entries

TABLE_LIKE = ("TABLE", "VIEW", "FOREIGN", "MATERIALIZED", "EXTERNAL", "DYNAMIC", "ICEBERG")


def comment_on(cursor: Cursor, catalog: Catalog) -> None:
    """Carry out a ``COMMENT ON``; comments on anything but tables, views and columns are passed over.

    Args:
        cursor: The place behind ``COMMENT``.
        catalog: The schema that it describes.

    Raises:
        UnknownTableError: If the table was not created.
        NotUnderstoodError: If the column does not exist or the comment is missing.
    """
    cursor.accept("IF", "EXISTS")
    if not cursor.accept("ON"):
        raise NotUnderstoodError("it does not say what the comment is on")
    if cursor.accept("COLUMN"):
        *owner, column = cursor.parts()
        if not owner:
            raise NotUnderstoodError("the column of the comment has no table")
        table = catalog.get(_name(owner))
        table.describe(column.text, _text(cursor))
    elif cursor.accept_any(*TABLE_LIKE):
        while cursor.accept_any("TABLE", "VIEW"):
            pass
        cursor.accept("IF", "EXISTS")
        table = catalog.get(cursor.name())
        table.description = _text(cursor)
    elif cursor.word(1) in (".", "("):
        # DB2 describes several columns of a table at once.
        table = catalog.get(cursor.name())
        for entry in cursor.entries() if cursor.word() == "(" else []:
            inside = Cursor(entry, cursor.dialect)
            table.describe(inside.parts()[-1].text, _text(inside))


def extended_property(cursor: Cursor, catalog: Catalog) -> None:
    """Carry out a call of ``sp_addextendedproperty`` that describes a table or column; others are passed over.

    Args:
        cursor: The place behind the name of the procedure.
        catalog: The schema that it describes.

    Raises:
        UnknownTableError: If the table was not created.
        NotUnderstoodError: If the column does not exist.
    """
    positions = ("NAME", "VALUE", "LEVEL0TYPE", "LEVEL0NAME", "LEVEL1TYPE", "LEVEL1NAME", "LEVEL2TYPE", "LEVEL2NAME")
    values: dict[str, str] = {}
    for place, argument in enumerate(split_entries(cursor.tokens[cursor.place :])):
        if len(argument) > 3 and argument[0].word == "@" and argument[2].word == "=":
            values[argument[1].word] = _value(argument[3:])
        elif place < len(positions):
            values[positions[place]] = _value(argument)
    if values.get("NAME", "").lower() != "ms_description":
        return
    if values.get("LEVEL1TYPE", "").upper() not in ("TABLE", "VIEW"):
        return
    table = catalog.get(Name(values.get("LEVEL0NAME", ""), values["LEVEL1NAME"]))
    if values.get("LEVEL2TYPE", "").upper() == "COLUMN":
        table.describe(values["LEVEL2NAME"], values.get("VALUE", ""))
    elif not values.get("LEVEL2TYPE"):
        table.description = values.get("VALUE", "")


def _value(argument: list[Token]) -> str:
    """The text of an argument; empty for ``NULL`` and variables."""
    texts = [token for token in argument if token.quote or token.word not in ("NULL", "N", "+")]
    return "" if not texts or texts[0].word == "@" else texts[0].text


def _name(parts: list[Token]) -> Name:
    return Name(parts[-2].text.strip() if len(parts) > 1 else "", parts[-1].text, bool(parts[-1].quote))


def _text(cursor: Cursor) -> str:
    """The text of a comment; empty for ``NULL``, which removes it."""
    cursor.accept_any("IS", "AS")
    text = cursor.accept_string()
    if text is None and not cursor.accept("NULL"):
        raise NotUnderstoodError("the text of the comment is missing")
    return text or ""
