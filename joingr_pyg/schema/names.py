"""Names of tables and columns: which are meant, and which are not the user's."""

from collections.abc import Callable, Iterable


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


def is_internal(table: str) -> bool:
    """Whether SQLite keeps the table for itself (``sqlite_sequence``); a user's table cannot begin so."""
    return table.lower().startswith("sqlite_")
