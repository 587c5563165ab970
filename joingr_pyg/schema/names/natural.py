"""Natural names for tables and columns that have none."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from joingr_pyg.schema.model import Column, Database, Table
from joingr_pyg.schema.names.readable import readable_name

Item = TypeVar("Item", Column, Table)


def has_natural_name(item: Column | Table) -> bool:
    """Whether there is a natural name that is more than the words of the name (as often in ``tables.json``)."""
    return bool(item.natural_name) and readable_name(item.natural_name) != readable_name(item.name)


def spell_out(database: Database, spell: Callable[[str], str]) -> Database:
    """Set the missing natural names of a schema.

    Args:
        database: The schema; it is not modified.
        spell: Expands a name, given as lower-case words.

    Returns:
        The schema. Names that ``spell`` does not change get no natural name.
    """
    tables = (
        replace(_spelt(table, spell), columns=tuple(_spelt(column, spell) for column in table.columns))
        for table in database
    )
    return replace(database, tables=tuple(tables))


def _spelt(item: Item, spell: Callable[[str], str]) -> Item:
    if has_natural_name(item):
        return item
    words = readable_name(item.name)
    spelt = spell(words)
    # Commas are removed, since names are listed with commas in descriptors.
    return item if spelt == words else replace(item, natural_name=spelt.replace(",", ""))
