"""Names of tables and columns: their words, which are meant, and which are not the user's."""

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

    Names in scripts without letter case stay as they are. A name without any word is ``"unnamed"``.
    """
    return " ".join(word for word in _WORD_BOUNDARY.split(name) if word).lower() or "unnamed"


def match(name: str, names: Iterable[str], fold: Callable[[str], str] = str.lower) -> str | None:
    """The one of ``names`` that is ``name``, else the first that equals it after ``fold``, else ``None``."""
    folded = fold(name)
    alike: str | None = None
    for candidate in names:
        if candidate == name:
            return candidate
        if alike is None and fold(candidate) == folded:
            alike = candidate
    return alike


def find_column(name: str, database: Database) -> tuple[str, str] | None:
    """The ``(table, column)`` that ``"table.column"`` names in any letter case, dots within either included."""
    for dot in (position for position, letter in enumerate(name) if letter == "."):
        table = match(name[:dot], (table.name for table in database))
        column = None if table is None else match(name[dot + 1 :], database[table].column_names)
        if table is not None and column is not None:
            return table, column
    return None


def is_internal(table: str) -> bool:
    """Whether SQLite keeps the table for itself (``sqlite_sequence``); a user's table cannot begin so."""
    return table.lower().startswith("sqlite_")
