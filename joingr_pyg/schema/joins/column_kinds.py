"""Kinds of columns by their declared types: columns of different kinds cannot refer to each other."""

import re
from functools import cache

KINDS = {
    "bool": ("bool", "bit"),
    "time": ("date", "time", "year", "interval"),
    "number": ("int", "num", "dec", "serial", "float", "double", "real", "money", "oid"),
    "text": ("char", "text", "clob", "string", "uuid", "uniqueidentifier", "guid", "binary", "bytea", "raw", "enum"),
}
"""Parts of the names of types, by kind; the first kind that fits counts. Identifiers are also kept in binary columns,
which therefore go with texts."""


LOOSE = frozenset(("number", "text", "time", "boolean", "others", ""))
"""Types as ``tables.json`` names them: those of SQLite, which lets a column of any type hold any value."""


FRACTIONS = re.compile(r"float|double|real|money|(dec|num)\w*\s*\(\s*\d+\s*,\s*[1-9]")
"""Types of numbers with digits behind the point."""


@cache
def is_fraction(declared: str) -> bool:
    """Whether a declared type is one of measured numbers, which identify nothing."""
    return bool(FRACTIONS.search(declared.lower()))


@cache
def column_kind(declared: str) -> str:
    """The kind of a declared type, ``""`` where it is unknown."""
    declared = declared.lower()
    if declared.endswith("others"):
        return ""
    return next((kind for kind, parts in KINDS.items() if any(part in declared for part in parts)), "")


def may_refer(declared: str, key: str) -> bool:
    """Whether a column of one declared type can refer to a key of another; where types are loose, any can."""
    if declared.lower() in LOOSE and key.lower() in LOOSE:
        return True
    kind, other = column_kind(declared), column_kind(key)
    return not kind or not other or kind == other
