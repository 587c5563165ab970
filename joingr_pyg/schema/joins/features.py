"""What speaks for and against a column's referring to another, as numbers."""

import math
from collections import Counter

from joingr_pyg.schema.joins.candidates import Candidate
from joingr_pyg.schema.joins.column_kinds import column_kind
from joingr_pyg.schema.joins.name_words import GENERIC, KEY_WORDS, NUMBERS, ColumnName, SchemaWords

NAMED_FULLY = 0.9
"""Share of a table's name from which on a column's name holds it fully: words such as *entity* may be missing."""

NAMED_HALF = 0.3

HOWS = {
    "full": "its name is that of {table!r} and {key!r}",
    "full_equal": "it has the name of {key!r}, which names {table!r}",
    "full_loose": "its name holds that of {table!r}",
    "role": "its name ends with that of {table!r} and {key!r}",
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

KEYS = ("primary", "composite", "open", "plain")
"""What the referred column is: the primary key, part of it, in a table without one, or no key."""

MODIFIERS = (
    "ends_with_key_word",
    "named",
    "covered",
    "rivals",
    "rivals_full",
    "types_differ",
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
)

FEATURES = (*(f"{how}:{key}" for how in HOWS for key in KEYS), *MODIFIERS)


class FeatureReader:
    """Reads the features of candidates of one schema.

    Args:
        words: The words of its names.
    """

    def __init__(self, words: SchemaWords) -> None:
        self._words = words
        self._keys = Counter(column.joined for column in words.all_columns() if column.is_primary)

    def how(self, candidate: Candidate) -> str:
        """How the column's name names what it refers to, of :data:`HOWS`."""
        column, key, naming = candidate.column, candidate.key, candidate.naming
        size = len(key.words)
        equal = column.joined == key.joined
        generic = set(column.words) <= GENERIC
        unique = self._keys[key.joined] == (1 if key.is_primary else 0)
        own = self._words.tables[key.table.name]
        rest = tuple(word for word in key.words if word not in own) or key.words[-1:]
        fits = naming.after in (rest, key.words) or (
            _key(key) == "primary" and bool(naming.after) and (KEY_WORDS - NUMBERS).issuperset((*naming.after, *rest))
        )
        if naming.named >= NAMED_FULLY:
            if equal:
                return "full_equal"
            if naming.covered > 0.99 or not naming.before:
                if fits:
                    return "full"
                return "full_loose" if naming.after else "bare"
            return "role" if fits else "role_loose"
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
        values[f"{how}:{_key(key)}"] = 1.0
        values["ends_with_key_word"] = float(
            bool(column.words) and (column.words[-1] in KEY_WORDS or column.joined.endswith(("id", "code", "key")))
        )
        values["named"] = naming.named
        values["covered"] = naming.covered
        values["rivals"] = math.log1p(candidate.rivals) if not full and how != "person" else 0.0
        values["rivals_full"] = math.log1p(candidate.rivals) if full else 0.0
        values["types_differ"] = float(bool(kind and other_kind) and kind != other_kind)
        values["types_unknown"] = float(not kind)
        values["time_or_bool"] = float(kind in ("time", "bool"))
        values["own_key"] = float(own_key)
        values["own_key_equal"] = float(own_key and column.joined == key.joined)
        values["column_in_composite"] = float(column.column.name in column.table.primary_key and not column.is_primary)
        values["self_join"] = float(column.table is key.table)
        values["self_role"] = float(column.table is key.table and key.is_primary and bool(naming.before))
        values["key_names_table"] = float(bool(key.content) and set(key.content) <= set(key_words))
        named = self._words.holders.get("".join(key.content), set())
        values["key_names_other"] = float(bool(key.content) and bool(named) and key.table.name not in named)
        values["part"] = float(candidate.part)
        values["part_named"] = float(candidate.part and 0 < naming.named < NAMED_FULLY)
        values["key_is_first"] = float(key.column is key.table.columns[0])
        values["generic"] = float(not full and set(column.words) <= GENERIC)
        return list(values.values())


def _key(column: ColumnName) -> str:
    if column.is_primary or (
        column.column.name not in column.table.primary_key
        and set(column.words) <= {"id", "uuid", "guid"}
        and column.words
    ):
        return "primary"
    if column.column.name in column.table.primary_key:
        return "composite"
    return "plain" if column.table.primary_key else "open"
