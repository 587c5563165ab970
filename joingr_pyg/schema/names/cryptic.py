"""Cryptic names: names abbreviated at random, as in many data warehouses."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from random import Random
from typing import NamedTuple

from joingr_pyg.schema.model import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.readable import is_internal, readable_name

SEED = 0
"""Seed of the random abbreviations, combined with the name of the database."""

SHORTEST_CUT = 4
"""Minimum length of a word that is abbreviated."""

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
    """Abbreviate the names of tables and columns at random, and drop natural names and descriptions.

    The words of a name are those of its natural name, or of the name itself. A word with more than three letters
    becomes the whole word (probability 0.3), its first three or four letters (0.3), its first letter and the following
    consonants, at most five letters (0.3), or its first letter (0.1). Within a database a word always has the same
    abbreviation. Words are joined by ``_`` in upper case; a number is appended to a name that exists already. Types,
    keys and joins are kept under the new names. The name of the database and of SQLite's internal tables do not change.
    The result is the same in every process.

    Args:
        database: The schema; it is not modified.
    """
    random = Random(f"{SEED}{database.name}")
    words: dict[str, str] = {}
    tables = {table.name: table.name for table in database if is_internal(table.name)}
    tables |= _names([table for table in database if table.name not in tables], words, random)
    columns: dict[tuple[str, str], str] = {}
    for table in database:
        columns |= {(table.name, old): new for old, new in _names(table.columns, words, random).items()}
        random.random()  # An extra draw per table, with which the published figures were measured.
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


def _names(items: Iterable[Column | Table], words: dict[str, str], random: Random) -> dict[str, str]:
    """Distinct new names, by old name. New abbreviations of words are added to ``words``."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for item in items:
        # A random number is drawn for each occurrence of a word, even if it has an abbreviation already.
        parts = [
            words.setdefault(word, _abbreviated(word, random))
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


def _abbreviated(word: str, random: Random) -> str:
    if len(word) < SHORTEST_CUT or word.isdigit():
        return word
    kind = random.random()
    if kind < 0.3:
        return word
    if kind < 0.6:
        return word[: random.choice([3, 4])]
    if kind < 0.9:
        consonants = _VOWELS.sub("", word[1:])
        return (word[0] + consonants)[:5] if consonants else word
    return word[0]
