"""Files of column descriptions, and matching of descriptions with the parts of a schema."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.model import Database, Table
from joingr_pyg.schema.names.readable import match
from joingr_pyg.schema.readers.json_file import FETCH_AGAIN, read_json

logger = logging.getLogger(__name__)

Descriptions = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Descriptions by database, table and column."""

Name = TypeVar("Name")
"""The name of a part of a schema: a table, a column as ``(table, column)``, or a join as the set of its columns."""


def read_descriptions(path: str | Path) -> Descriptions:
    """Read a file ``{database: {table: {column: text}}}``.

    Raises:
        JoinGRError: If the file is missing or malformed.
    """
    path = Path(path)
    descriptions = read_json(path)
    try:
        texts = [text for tables in descriptions.values() for columns in tables.values() for text in columns.values()]
    except AttributeError:
        texts = [None]
    if not all(isinstance(text, str) for text in texts):
        raise JoinGRError(f"The file '{path}' is not {{database: {{table: {{column: text}}}}}}: {FETCH_AGAIN}.")
    return descriptions


def describe(databases: Iterable[Database], descriptions: Descriptions) -> tuple[Database, ...]:
    """Attach descriptions to columns.

    Names match exactly, or else without regard to letter case and surrounding blanks. Descriptions of tables and
    columns that are not in their database are ignored; one log line counts them. Descriptions of other databases are
    not counted.

    Args:
        databases: The databases; they are not modified.
        descriptions: The descriptions.

    Returns:
        The databases in their order, with descriptions.
    """
    described = []
    unmatched = 0
    for database in databases:
        texts, ignored = matched(named_columns(database, descriptions.get(database.name, {})))
        unmatched += ignored
        described.append(replace(database, tables=tuple(_described(table, texts) for table in database)))
    if unmatched:
        logger.info("Ignored %d column description(s) that name no column of the schema.", unmatched)
    return tuple(described)


Named = tuple[Name, Name | None, str]
"""A description: the name as written, the exact name in the schema (``None`` if there is none), and the text."""


def named_tables(database: Database, texts: Mapping[str, str]) -> Iterator[Named[str]]:
    """Match descriptions of tables with the tables of a database."""
    for name, text in texts.items():
        yield name, match(name, (table.name for table in database), _fold), text


def named_columns(database: Database, texts: Mapping[str, Mapping[str, str]]) -> Iterator[Named[tuple[str, str]]]:
    """Match descriptions of columns with the columns of a database."""
    for table_name, columns in texts.items():
        table = match(table_name, (table.name for table in database), _fold)
        for name, text in columns.items():
            column = None if table is None else match(name, database[table].column_names, _fold)
            yield (table_name, name), None if table is None or column is None else (table, column), text


def matched(texts: Iterable[Named[Name]]) -> tuple[dict[Name, str], int]:
    """Collect matched descriptions by exact name.

    If several descriptions match one name, the one written with the exact name is used, or else the first.

    Returns:
        The descriptions without surrounding blanks, and the number of descriptions that match nothing.
    """
    by_name: dict[Name, str] = {}
    unmatched = 0
    for written, exact, text in texts:
        if exact is None:
            unmatched += 1
        elif exact == written:
            by_name[exact] = text.strip()
        else:
            by_name.setdefault(exact, text.strip())
    return by_name, unmatched


def _described(table: Table, texts: Mapping[tuple[str, str], str]) -> Table:
    columns = (
        replace(column, description=texts.get((table.name, column.name), column.description))
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _fold(name: str) -> str:
    return name.strip().lower()
