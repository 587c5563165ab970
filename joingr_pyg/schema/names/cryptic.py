"""Names abbreviated at random, as they are in many warehouses, with nothing beside them that spells them out."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from random import Random
from typing import NamedTuple

from joingr_pyg.schema.model import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.readable import is_internal, readable_name

SEED = 0
"""What is drawn depends on it and on the database's name alone."""

SHORTEST_CUT = 4
"""Letters of a word that is abbreviated, at least."""

_VOWELS = re.compile("[aeiou]")


class CrypticNames(NamedTuple):
    """A database with cryptic names.

    Args:
        database: The database.
        tables: The new name of each table, by the old one.
        columns: The new name of each column, by the old ``(table, column)``.
    """

    database: Database
    tables: Mapping[str, str]
    columns: Mapping[tuple[str, str], str]


def with_cryptic_names(database: Database) -> CrypticNames:
    """Abbreviate the words of the names of tables and columns at random; drop natural names and all descriptions.

    A name is made of the words of its natural name, or of its own where there is none. What stays of a word that has
    more than three letters and is no number is the whole (probability 0.3), its first three or four letters (0.3), its
    first letter and the consonants behind it, five letters at most (0.3), or its first letter (0.1). A word is
    abbreviated alike throughout a database. The words are joined by ``_``, in upper case, and a name that is taken
    already gets a number. Types, keys and joins stay as they are, under the new names, and so do the database's own
    name and those of tables that SQLite keeps for itself. The same database gives the same names in every process.

    Args:
        database: The schema; it stays as it is.
    """
    draw = Random(f"{SEED}{database.name}")
    words: dict[str, str] = {}
    tables = {table.name: table.name for table in database if is_internal(table.name)}
    tables |= _names([table for table in database if table.name not in tables], words, draw)
    columns: dict[tuple[str, str], str] = {}
    for table in database:
        columns |= {(table.name, old): new for old, new in _names(table.columns, words, draw).items()}
        draw.random()  # One more a table: the draws that the published figures were measured with.
    renamed = tuple(
        Table(
            tables[table.name],
            tuple(Column(columns[table.name, column.name], column.type) for column in table.columns),
            tuple(columns[table.name, member] for member in table.primary_key),
        )
        for table in database
    )
    keys = tuple(
        ForeignKey(
            *(tables[key.table], columns[key.table, key.column]),
            *(tables[key.referenced_table], columns[key.referenced_table, key.referenced_column]),
        )
        for key in database.foreign_keys
    )
    return CrypticNames(replace(database, tables=renamed, foreign_keys=keys), tables, columns)


def _names(items: Iterable[Column | Table], words: dict[str, str], draw: Random) -> dict[str, str]:
    """New names by the old ones, no two alike; ``words`` grows by the words that are met first."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for item in items:
        # Drawn for every mention of a word, also where its abbreviation is known.
        parts = [
            words.setdefault(word, _abbreviated(word, draw))
            for word in readable_name(item.natural_name or item.name).split()
        ]
        name = stem = "_".join(parts).upper()
        number = 2
        while name in taken:
            name = f"{stem}{number}"
            number += 1
        taken.add(name)
        names[item.name] = name
    return names


def _abbreviated(word: str, draw: Random) -> str:
    if len(word) < SHORTEST_CUT or word.isdigit():
        return word
    kind = draw.random()
    if kind < 0.3:
        return word
    if kind < 0.6:
        return word[: draw.choice([3, 4])]
    if kind < 0.9:
        consonants = _VOWELS.sub("", word[1:])
        return (word[0] + consonants)[:5] if consonants else word
    return word[0]
