"""Descriptions that lie beside a schema, and which of its parts each is of."""

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
"""Texts by database, table and column."""

Name = TypeVar("Name")
"""What names a part of a schema: a table, a column as ``(table, column)``, a join as the frozen set of its ends."""


def read_descriptions(path: str | Path) -> Descriptions:
    """Read a file ``{database: {table: {column: text}}}``.

    Raises:
        JoinGRError: If the file is missing or holds anything else.
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
    """Attach descriptions to the columns they name.

    Names match exactly, else without regard to letter case and surrounding blanks. A description of a
    table or column that a database lacks is left out; one log line counts them. Descriptions of
    other databases are not counted.

    Args:
        databases: The databases; they stay as they are.
        descriptions: The texts by database, table and column.

    Returns:
        The databases in their order, each with its columns described where a text was found.
    """
    described = []
    unmatched = 0
    for database in databases:
        texts, lost = matched(named_columns(database, descriptions.get(database.name, {})))
        unmatched += lost
        described.append(replace(database, tables=tuple(_described(table, texts) for table in database)))
    if unmatched:
        logger.info("Left out %d column description(s) that name no column of the schema.", unmatched)
    return tuple(described)


Named = tuple[Name, Name | None, str]
"""A text of a part as it was written: the name, the part of the schema that it means if there is one, the text."""


def named_tables(database: Database, texts: Mapping[str, str]) -> Iterator[Named[str]]:
    """Texts by table, with the tables that they are of."""
    for name, text in texts.items():
        yield name, match(name, (table.name for table in database), _fold), text


def named_columns(database: Database, texts: Mapping[str, Mapping[str, str]]) -> Iterator[Named[tuple[str, str]]]:
    """Texts by table and column, with the columns that they are of."""
    for table_name, columns in texts.items():
        table = match(table_name, (table.name for table in database), _fold)
        for name, text in columns.items():
            column = None if table is None else match(name, database[table].column_names, _fold)
            yield (table_name, name), None if table is None or column is None else (table, column), text


def matched(texts: Iterable[Named[Name]]) -> tuple[dict[Name, str], int]:
    """Gather texts by the part that each is of.

    Of several texts of one part, the one with its exact name is kept, else the first.

    Returns:
        The texts without blanks around them, and the number of those that are of no part.
    """
    found: dict[Name, str] = {}
    lost = 0
    for written, meant, text in texts:
        if meant is None:
            lost += 1
        elif meant == written:
            found[meant] = text.strip()
        else:
            found.setdefault(meant, text.strip())
    return found, lost


def _described(table: Table, texts: Mapping[tuple[str, str], str]) -> Table:
    columns = (
        replace(column, description=texts.get((table.name, column.name), column.description))
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _fold(name: str) -> str:
    return name.strip().lower()
