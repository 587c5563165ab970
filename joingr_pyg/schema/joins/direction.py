"""Which of two joined columns refers to the other."""

from joingr_pyg.schema.model import Database, ForeignKey, JoinSource

End = tuple[str, str]
"""One end of a join: ``(table, column)``."""


def directed_join(
    database: Database, first: End, second: End, source: JoinSource, confidence: float = 1.0, evidence: str = ""
) -> ForeignKey:
    """Make a join of two columns of which it is not known which one refers to the other.

    The first column refers to the second, unless the first alone is the whole primary key of its table.
    """
    if _is_whole_key(database, first) and not _is_whole_key(database, second):
        first, second = second, first
    return ForeignKey(*first, *second, source=source, confidence=confidence, evidence=evidence)


def _is_whole_key(database: Database, end: End) -> bool:
    return database[end[0]].primary_key == (end[1],)
