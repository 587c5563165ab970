"""What speaks for and against a column's referring to another, as numbers."""

import math
from collections import Counter

from joingr_pyg.schema.joins.candidates import Candidate
from joingr_pyg.schema.joins.column_kinds import LOOSE, column_kind, is_fraction
from joingr_pyg.schema.joins.name_words import ColumnName, SchemaWords, singular
from joingr_pyg.schema.joins.vocabulary import AMOUNTS, GENERIC, KEY_WORDS, NUMBERS, WITHIN
from joingr_pyg.schema.names.readable import readable_name

NAMED_FULLY = 0.9
"""Share of a table's name from which on a column's name holds it fully: words such as *entity* may be missing."""

NAMED_HALF = 0.3

HOWS = {
    "full": "its name is that of {table!r} and {key!r}",
    "full_equal": "it has the name of {key!r}, which names {table!r}",
    "full_loose": "its name holds that of {table!r}",
    "role": "its name ends with that of {table!r} and {key!r}",
    "role_bare": "its name ends with that of {table!r}",
    "role_loose": "its name holds that of {table!r} among other words",
    "bare": "its name is that of {table!r}",
    "head_only": "its name is the end of the name of {table!r} and of no other table",
    "head": "its name is the end of the name of {table!r}",
    "half": "its name holds part of the name of {table!r}",
    "equal_unique": "it has the name of {key!r} of {table!r}, which is no other table's key",
    "equal": "it has the name of {key!r} of {table!r}",
    "suffix_unique": "its name ends with {key!r} of {table!r}, which is no other table's key",
    "suffix": "its name ends with {key!r} of {table!r}",
    "person": "its name is a role of people, whom {table!r} holds",
    "base_part": "the name of its table begins with that of {table!r}",
    "base_special": "the name of its table ends with that of {table!r}",
    "self": "its name is a role within its own table",
    "other": "its name is similar to that of {table!r}",
}
"""How the name of a column names what it refers to; the first that holds counts."""

KEYS = ("primary", "composite", "open", "plain", "unlisted")
"""What the referred column is: the primary key, part of it, in a table without one, no key, or none as far as a source
tells that lists only the first column of each key, as Spider's ``tables.json`` does."""

KEYED = ("", ":keyed")
"""Every candidate has the first; the second too if the column's name ends with a key word and is no role of people."""

MODIFIERS = (
    "ends_with_key_word",
    "named",
    "covered",
    "rivals",
    "rivals_full",
    "types_differ",
    "types_differ_unkeyed",
    "types_unknown",
    "time_or_bool",
    "own_key",
    "own_key_equal",
    "column_in_composite",
    "self_join",
    "self_role",
    "key_names_table",
    "key_names_other",
    "key_is_first",
    "generic",
    "part",
    "part_named",
    "fraction",
    "generic_table",
    "rivals_person",
    "amount",
    "own_key_whole",
    "self_word",
)

FEATURES = (*(f"{how}:{key}{keyed}" for how in HOWS for key in KEYS for keyed in KEYED), *MODIFIERS)


class FeatureReader:
    """Reads the features of candidates of one schema.

    Args:
        words: The words of its names.
    """

    def __init__(self, words: SchemaWords) -> None:
        self._words = words
        types = {column.column.type.lower() for column in words.all_columns()}
        self._whole_keys = any(len(table.primary_key) > 1 for table in words.database) or not types <= LOOSE
        self._ends = Counter(words.tables[table.name][-1:] for table in words.database if len(table.primary_key) < 2)
        self._keys = Counter(column.joined for column in words.all_columns() if column.is_primary)

    def how(self, candidate: Candidate) -> str:
        """How the column's name names what it refers to, of :data:`HOWS`."""
        column, key, naming = candidate.column, candidate.key, candidate.naming
        size = len(key.words)
        equal = column.joined == key.joined
        generic = set(column.words) <= GENERIC
        unique = self._keys[key.joined] == (1 if key.is_primary else 0)
        own = self._words.tables[key.table.name]
        rest = tuple(word for word in key.words if not any(part.startswith(word) for part in own)) or key.words[-1:]
        fits = naming.after in (rest, key.words) or (
            self._key(key) == "primary"
            and bool(naming.after)
            and (KEY_WORDS - NUMBERS).issuperset((*naming.after, *rest))
        )
        if naming.named >= NAMED_FULLY:
            if equal:
                return "full_equal"
            if naming.covered > 0.99 or not naming.before:
                if fits:
                    return "full"
                return "full_loose" if naming.after else "bare"
            if fits:
                return "role"
            return "role_loose" if naming.after else "role_bare"
        if equal and not generic:
            return "equal_unique" if unique else "equal"
        if size > 1 and column.words[-size:] == key.words:
            return "suffix_unique" if unique else "suffix"
        if candidate.person:
            return "person"
        if naming.head and naming.covered > 0.99 and fits:
            return "head" if candidate.rivals else "head_only"
        if naming.named >= NAMED_HALF and fits:
            return "half"
        if not naming.named:
            if candidate.part and not column.is_primary:
                return "base_part"
            if candidate.special and column.is_primary:
                return "base_special"
            if key.table is column.table:
                return "self"
        return "other"

    def read(self, candidate: Candidate) -> list[float]:
        """The features of a candidate, in the order of :data:`FEATURES`."""
        column, key, naming = candidate.column, candidate.key, candidate.naming
        how = self.how(candidate)
        kind, other_kind = column_kind(column.column.type), column_kind(key.column.type)
        full = naming.named >= NAMED_FULLY
        own = self._words.tables[column.table.name]
        own_key = column.is_primary and (set(column.content) <= set(own))
        key_words = self._words.tables[key.table.name]
        values = dict.fromkeys(FEATURES, 0.0)
        keyed = how != "person" and bool(column.words)
        keyed = keyed and (column.words[-1] in KEY_WORDS or column.joined.endswith(("id", "code", "key")))
        for kind_of_name in KEYED[: 1 + keyed]:
            values[f"{how}:{self._key(key)}{kind_of_name}"] = 1.0
        values["ends_with_key_word"] = float(keyed)
        rivals = candidate.rivals + (self._other_identifiers(key) if how in ("bare", "role_bare") else 0)
        values["named"] = naming.named
        values["covered"] = naming.covered
        values["rivals"] = math.log1p(rivals) if not full and how != "person" else 0.0
        values["rivals_full"] = math.log1p(rivals) if full else 0.0
        values["rivals_person"] = math.log(max(1, self._ends[key_words[-1:]])) if how == "person" else 0.0
        values["types_differ"] = float(bool(kind and other_kind) and kind != other_kind)
        values["types_differ_unkeyed"] = values["types_differ"] * (not keyed)
        values["types_unknown"] = float(not kind)
        values["time_or_bool"] = float(kind in ("time", "bool"))
        values["own_key"] = float(own_key)
        values["own_key_whole"] = float(own_key and set(column.content) == set(own) and column.joined != key.joined)
        values["own_key_equal"] = float(own_key and column.joined == key.joined)
        values["column_in_composite"] = float(column.column.name in column.table.primary_key and not column.is_primary)
        values["self_join"] = float(column.table is key.table)
        values["self_role"] = float(
            column.table is key.table and key.is_primary and (bool(naming.before) or candidate.person)
        )
        values["key_names_table"] = float(bool(key.content) and set(key.content) <= set(key_words))
        named = self._words.holders.get("".join(key.content), set())
        values["key_names_other"] = float(bool(key.content) and bool(named) and key.table.name not in named)
        values["part"] = float(candidate.part)
        values["part_named"] = float(candidate.part and 0 < naming.named < NAMED_FULLY)
        values["key_is_first"] = float(key.column is key.table.columns[0])
        plural = bool(naming.before) and not naming.after and _is_plural(column.column.name)
        values["amount"] = float(plural or (len(column.words) > 1 and column.words[0] in AMOUNTS))
        values["self_word"] = float(
            column.table is key.table and key.is_primary and not WITHIN.isdisjoint(column.words[:1])
        )
        values["fraction"] = float(is_fraction(column.column.type))
        values["generic_table"] = float(not keyed and set(key_words) <= GENERIC)
        values["generic"] = float(not full and set(column.words) <= GENERIC)
        return list(values.values())

    def _other_identifiers(self, key: ColumnName) -> int:
        """Columns that identify the same table as a key does (``player_api_id`` beside ``id`` of ``player``)."""
        own = self._words.tables[key.table.name]
        return sum(
            other.words[-1:] != () and other.words[-1] in KEY_WORDS - NUMBERS and other.content[: len(own)] == own
            for other in self._words.columns[key.table.name]
            if other.column is not key.column
        )

    def _key(self, column: ColumnName) -> str:
        """What a referred column is, of :data:`KEYS`."""
        table = column.table
        if column.is_primary:
            return "primary"
        if column.column.name in table.primary_key:
            return "composite"
        if column.words and set(column.words) <= {"id", "uuid", "guid"}:
            return "primary"
        if not table.primary_key:
            names_table = bool(column.content) and column.content == self._words.tables[table.name]
            return "primary" if names_table and column.words[-1] in KEY_WORDS else "open"
        return "plain" if self._whole_keys else "unlisted"


def _is_plural(name: str) -> bool:
    """Whether a name ends with a word in the plural."""
    last = readable_name(name).split()[-1:]
    return any(singular(word) != word for word in last)
