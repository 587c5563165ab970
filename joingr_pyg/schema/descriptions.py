"""Column descriptions that lie beside a schema."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.json_file import FETCH_AGAIN, read_json
from joingr_pyg.schema.model import Database, Table
from joingr_pyg.schema.names import match

logger = logging.getLogger(__name__)

Descriptions = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Texts by database, table and column."""


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
        texts: dict[tuple[str, str], str] = {}
        for table_name, columns in descriptions.get(database.name, {}).items():
            table = match(table_name, (table.name for table in database), _fold)
            for column_name, text in columns.items():
                column = None if table is None else match(column_name, database[table].column_names, _fold)
                if table is None or column is None:
                    unmatched += 1
                elif (table, column) == (table_name, column_name):
                    texts[table, column] = text.strip()
                else:
                    texts.setdefault((table, column), text.strip())
        described.append(replace(database, tables=tuple(_described(table, texts) for table in database)))
    if unmatched:
        logger.info("Left out %d column description(s) that name no column of the schema.", unmatched)
    return tuple(described)


def _described(table: Table, texts: Mapping[tuple[str, str], str]) -> Table:
    columns = (
        replace(column, description=texts.get((table.name, column.name), column.description))
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _fold(name: str) -> str:
    return name.strip().lower()
