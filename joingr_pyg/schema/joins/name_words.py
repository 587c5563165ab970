"""The words of names, in a form in which a reference and what it refers to can be compared."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from joingr_pyg.schema.joins.vocabulary import (
    GENERIC,
    IRREGULAR,
    KEY_WORDS,
    KINDS_OF_TABLE,
    LINKING,
    PEOPLE,
    PERSON_ROLES,
    TEACHERS,
)
from joingr_pyg.schema.model import Column, Database, Table
from joingr_pyg.schema.names.readable import readable_name

SHORTEST_ABBREVIATION = 3
"""Letters of an abbreviation, at least."""

FAMILY_SHARE, FAMILY_SIZE = 0.05, 3
"""Share and number of tables that begin with the same word, from which on it is the prefix of a family of tables."""

OWN_PREFIX_SHARE = 0.8
"""Share of a table's columns that begin with the same word, from which on the word is a prefix and no name."""


def singular(word: str) -> str:
    """An English word in the singular, by its ending or as :data:`IRREGULAR` has it."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "puses", "tuses", "nuses", "ruses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def name_words(name: str) -> tuple[str, ...]:
    """The lower-case words of a name in the singular.

    Left out are a number at its end (``address_id_2``, ``atom_id2``) and words before it that say that it refers to
    something (``link_to_major``).
    """
    words = [word for part in readable_name(name).split() if (word := singular(part.strip(".-#$()")))]
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    while len(words) > 1 and words[0] in LINKING:
        del words[0]
    if words and (last := words[-1].rstrip("0123456789")) in KEY_WORDS:
        words[-1] = last
    return tuple(words)


def shortened(short: str, words: Sequence[str]) -> bool:
    """Whether a word is made of beginnings of all words in their order: *hdemo* of *household demographics*."""
    if not words:
        return not short
    first = words[0]
    return any(
        shortened(short[size:], words[1:])
        for size in range(1, min(len(short), len(first)) + 1)
        if short.startswith(first[:size])
    )


def is_person_role(words: Sequence[str]) -> bool:
    """Whether a column's name says in what role people stand to its table (``created_by``, ``buyer_id``)."""
    content = [word for word in words if word not in KEY_WORDS]
    return bool(content) and (
        content[-1] in PERSON_ROLES
        or (content[-1].endswith("by") and len("".join(content)) > 4)
        or content[-2:] == ["report", "to"]
    )


def person_tables(tables: Mapping[str, tuple[str, ...]], role: Collection[str] = ()) -> list[str]:
    """The table that holds people, if any.

    Args:
        tables: The words of each table's name.
        role: The words of a column whose name is a role of people; those who teach are looked for among teachers first.

    Returns:
        The table of the first of :data:`PEOPLE` that ends the name of any, and of these of the shortest name.
    """
    others = PEOPLE
    if TEACHERS.intersection(role):
        others = [*sorted(TEACHERS), *(word for word in PEOPLE if word != "student")]
    for word in others:
        if people := sorted(
            (name for name, parts in tables.items() if parts and parts[-1] == word), key=lambda n: (len(tables[n]), n)
        ):
            return people[:1]
    return []


def runs(words: Sequence[str], longest: int = 5) -> Iterator[tuple[int, int, str]]:
    """All runs of words, as first position, position behind the last, and the words run together."""
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + longest) + 1):
            yield first, last, "".join(words[first:last])


@dataclass(frozen=True, eq=False)
class ColumnName:
    """A column with the words of its name, without the prefix that all columns of its table share."""

    table: Table
    column: Column
    words: tuple[str, ...]

    @cached_property
    def joined(self) -> str:
        return "".join(self.words)

    @cached_property
    def content(self) -> tuple[str, ...]:
        """The words that are no key words."""
        return tuple(word for word in self.words if word not in KEY_WORDS)

    @cached_property
    def is_primary(self) -> bool:
        """Whether the column alone is the primary key of its table."""
        return self.table.primary_key == (self.column.name,)


class SchemaWords:
    """The words of the names of a schema, and how much each word tells tables apart.

    Args:
        database: The schema. A natural name, where the source gives one, goes before the name itself.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.tables = _table_names(database)
        things = {word for words in self.tables.values() for word in words}
        spelt = _Spelling(things)
        whole = {word for table in database for word in name_words(table.name)} | things
        self.columns = {table.name: _column_names(table, whole, spelt) for table in database}
        self.holders = defaultdict(set)
        for name, words in self.tables.items():
            self.holders["".join(words)].add(name)
        counts = Counter(word for words in self.tables.values() for word in set(words))
        self._weights = {word: math.log(1 + len(self.tables) / count) for word, count in counts.items()}
        self._unknown = math.log(1 + len(self.tables))

    def all_columns(self) -> Iterator[ColumnName]:
        for columns in self.columns.values():
            yield from columns

    def weight(self, words: Sequence[str]) -> float:
        """How much words tell tables apart: the sum of their inverse document frequencies among names of tables."""
        return sum(self._weights.get(word, self._unknown) for word in words)


def _table_names(database: Database) -> dict[str, tuple[str, ...]]:
    """The words of the names of tables that say what the tables hold.

    Left out are the prefixes of families (``act_`` in ``act_task``, ``act_job``, …) and words for kinds of tables
    (``_entity``), unless the words that stay are the name of another table (*note invoice* beside *invoice*), or, for a
    family, the prefix alone is one (*order item* beside *order*).
    """
    written = {table.name: name_words(table.name) for table in database}
    names = {table.name: name_words(table.natural_name or table.name) for table in database}
    enough = max(FAMILY_SIZE, FAMILY_SHARE * len(names))
    while True:
        taken = Counter(names.values())
        shorter = {name: _without_kind(words) for name, words in names.items()}
        names = {name: words if taken[shorter[name]] else shorter[name] for name, words in names.items()}
        whole = set(names.values())
        members = {
            name
            for name, words in names.items()
            if len(words) > 1 and written[name][:1] == words[:1] and not whole.intersection((words[:1], words[1:]))
        }
        counts = Counter(names[name][0] for name in members)
        stripped = {name for name in members if counts[names[name][0]] >= enough}
        if not stripped:
            return names
        for name in stripped:
            names[name], written[name] = names[name][1:], written[name][1:]


def _without_kind(words: tuple[str, ...]) -> tuple[str, ...]:
    if len(words) > 1 and words[-1] in KINDS_OF_TABLE:
        return words[:-1]
    if len(words) > 1 and words[0] in KINDS_OF_TABLE:
        return words[1:]
    return words


class _Spelling(dict[str, str]):
    """Words of columns, by the word of tables that alone begins with them: *def* is *definition* where only it is."""

    def __init__(self, things: Collection[str]) -> None:
        super().__init__()
        self._things = things

    def __missing__(self, word: str) -> str:
        longer = []
        if len(word) >= SHORTEST_ABBREVIATION and word not in self._things and word not in KEY_WORDS | GENERIC:
            longer = [thing for thing in self._things if thing.startswith(word) and len(thing) >= len(word) + 2]
        self[word] = longer[0] if len(longer) == 1 else word
        return self[word]


def _column_names(table: Table, things: Collection[str], spelt: Mapping[str, str]) -> list[ColumnName]:
    names = [name_words(column.natural_name or column.name) for column in table.columns]
    first = Counter(words[0] for words in names if len(words) > 1)
    prefix, count = first.most_common(1)[0] if first else ("", 0)
    if len(names) > 2 and count >= OWN_PREFIX_SHARE * len(names) and prefix not in things:
        names = [words[1:] if words[:1] == (prefix,) and len(words) > 1 else words for words in names]
    return [
        ColumnName(table, column, tuple(spelt[word] for word in words))
        for column, words in zip(table.columns, names, strict=True)
    ]
