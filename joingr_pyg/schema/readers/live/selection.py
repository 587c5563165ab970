"""Which tables of a database are read: patterns of their names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from joingr_pyg.errors import JoinGRError

Patterns = str | Sequence[str] | None


@dataclass(frozen=True)
class Selection:
    """Patterns that choose tables, in any letter case; ``*`` stands for any letters.

    A pattern with a dot, such as ``"sales.*"``, is compared with ``schema.table`` and with the table's name, any other
    with the table's name alone.

    Args:
        include: A table is chosen if one of these matches; all are where there is none.
        exclude: A table that one of these matches is left out nevertheless.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @classmethod
    def of(cls, include: Patterns, exclude: Patterns) -> "Selection":
        """Check patterns as a user gives them.

        Raises:
            JoinGRError: If they are no list of texts.
        """
        return cls(patterns("include", include), patterns("exclude", exclude))

    def chooses(self, schema: str, table: str) -> bool:
        """Whether a table is read."""
        if self.include and not any(matches(pattern, schema, table) for pattern in self.include):
            return False
        return not any(matches(pattern, schema, table) for pattern in self.exclude)

    def unused(self, tables: Iterable[tuple[str, str]]) -> list[str]:
        """The patterns of ``include`` that match none of the tables, each of which is ``(schema, table)``."""
        tables = list(tables)
        return [pattern for pattern in self.include if not any(matches(pattern, *table) for table in tables)]


def patterns(name: str, given: Patterns) -> tuple[str, ...]:
    """An argument that is a list of texts, one text, or nothing.

    Raises:
        JoinGRError: If it is anything else.
    """
    if given is None:
        return ()
    listed = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Sequence | set) else None
    if listed is None or not all(isinstance(each, str) and each for each in listed):
        raise JoinGRError(f"'{name}' needs to be a list of texts, as ['sales.*'] (got {given!r}).")
    return listed


def matches(pattern: str, schema: str, table: str) -> bool:
    """Whether a pattern, as :class:`Selection` explains it, is of a table."""
    folded = pattern.casefold()
    names = [table, f"{schema}.{table}"] if "." in pattern else [table]
    return any(fnmatchcase(name.casefold(), folded) for name in names)
