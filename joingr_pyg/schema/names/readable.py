"""Names of tables and columns: split into words, matched, and checked for SQLite's internal tables."""

import re
from collections.abc import Callable, Iterable

from joingr_pyg.schema.model import Database

_WORD_BOUNDARY = re.compile(
    r"[\s_]+"  # snake_case
    r"|(?<=[^\W\d_A-Z])(?=[A-Z])"  # camelCase
    r"|(?<=[A-Z\d])(?=[A-Z][a-z])"  # the end of an acronym or a number: IDNumber, line2Total
)


def readable_name(name: str) -> str:
    """Split a ``snake_case``, ``camelCase`` or ``UPPER_CASE`` name into lower-case words.

    Names in scripts without letter case are not split. A name without any word becomes ``"unnamed"``.
    """
    return " ".join(word for word in _WORD_BOUNDARY.split(name) if word).lower() or "unnamed"


def match(name: str, names: Iterable[str], fold: Callable[[str], str] = str.lower) -> str | None:
    """Look up a name in ``names``: an exact match, or else the first that is equal after ``fold``, or else ``None``."""
    folded = fold(name)
    first_match: str | None = None
    for candidate in names:
        if candidate == name:
            return candidate
        if first_match is None and fold(candidate) == folded:
            first_match = candidate
    return first_match


def find_column(name: str, database: Database) -> tuple[str, str] | None:
    """Look up ``"table.column"`` in any letter case, where both names may contain dots; ``None`` if not found."""
    for dot in (position for position, letter in enumerate(name) if letter == "."):
        table = match(name[:dot], (table.name for table in database))
        column = None if table is None else match(name[dot + 1 :], database[table].column_names)
        if table is not None and column is not None:
            return table, column
    return None


def is_internal(table: str) -> bool:
    """Whether a table is an internal table of SQLite, such as ``sqlite_sequence``. The prefix is reserved."""
    return table.lower().startswith("sqlite_")
