"""Natural names of tables and columns whose source gives none, spelt out word by word."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from joingr_pyg.schema.model import Column, Database, Table
from joingr_pyg.schema.names.readable import readable_name

Item = TypeVar("Item", Column, Table)


def has_natural_name(item: Column | Table) -> bool:
    """Whether the source says more of a name than its words (``tables.json`` often splits it and no more)."""
    return bool(item.natural_name) and readable_name(item.natural_name) != readable_name(item.name)


def spell_out(database: Database, spell: Callable[[str], str]) -> Database:
    """Fill the natural names that the source leaves open.

    Args:
        database: The schema; it stays as it is.
        spell: Spells out a name that is split into lower-case words.

    Returns:
        The schema; names in which nothing is spelt out are left alone.
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
    # A comma would end the name in a list of names.
    return item if spelt == words else replace(item, natural_name=spelt.replace(",", ""))
