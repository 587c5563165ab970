"""Words of a schema: a file that spells out its abbreviations and says what its tables, columns and joins are."""

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.joins.given import with_given_joins
from joingr_pyg.schema.model import Database, Table
from joingr_pyg.schema.names.natural import spell_out
from joingr_pyg.schema.names.readable import find_column, readable_name
from joingr_pyg.schema.readers.descriptions import matched, named_columns, named_tables
from joingr_pyg.schema.readers.json_file import read_json

logger = logging.getLogger(__name__)

Ends = frozenset[tuple[str, str]]
"""A join as its two ``(table, column)`` ends."""

_RUN = re.compile(r"[^\W_]+")

SHAPES = {
    "provenance": "a text: who wrote the words, and from what",
    "abbreviations": '{abbreviation: text}, as {"DEPT": "department"}',
    "tables": "{table: text}",
    "columns": "{table: {column: text}}",
    "joins": '{"A.x = B.y": text}',
}
"""What each part of a file holds."""


@dataclass(frozen=True)
class Words:
    """The words of one schema.

    Args:
        provenance: Who wrote them, and from what.
        abbreviations: What words of names stand for, in any letter case.
        tables: What tables hold, by table.
        columns: What columns hold, by table and column.
        joins: Why columns are joined, by ``"A.x = B.y"`` in either direction.
    """

    provenance: str
    abbreviations: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    joins: Mapping[str, str] = field(default_factory=dict)

    @property
    def without_columns_and_joins(self) -> "Words":
        """Only the abbreviations and the descriptions of tables."""
        return replace(self, columns={}, joins={})


def read_words(path: str | Path) -> Words:
    """Read a file of words: a JSON object with ``provenance`` and any of the other parts of :data:`SHAPES`.

    Raises:
        JoinGRError: If the file is missing or no JSON, lacks ``provenance``, or a part of it has another shape or a
            text that is blank.
    """
    path = Path(path)
    written = read_json(path, "give the path of a words file", "correct it")
    if not isinstance(written, dict):
        raise JoinGRError(f"The words file '{path}' holds no object (got {type(written).__name__}): correct it.")
    if "provenance" not in written:
        raise JoinGRError(f"The words file '{path}' has no 'provenance': add {SHAPES['provenance']}.")
    for part, value in written.items():
        if part not in SHAPES:
            raise JoinGRError(f"The words file '{path}' has an unknown part {part!r}: choose of {', '.join(SHAPES)}.")
        if wrong := next(_wrong(part, value), None):
            raise JoinGRError(f"The words file '{path}' has {wrong}; {part!r} is {SHAPES[part]}.")
    return Words(**written)


def _wrong(part: str, value: Any) -> Iterator[str]:
    """What of a part is not as it should be."""
    depth = {"provenance": 0, "columns": 2}.get(part, 1)
    for names, text in _leaves(value, depth):
        at = "".join(f"[{name!r}]" for name in (part, *names))
        if len(names) < depth or not isinstance(text, str):
            yield f"a value of type {type(text).__name__} at {at}"
        elif not text.strip():
            yield f"a blank text at {at}"
        elif part == "abbreviations" and " " in readable_name(names[0]):
            yield f"several words at {at} (capitals within a word begin another: write it in one case)"
        elif part == "joins" and " = " not in names[0]:
            yield f"no join at {at}"


def _leaves(value: Any, depth: int, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if depth and isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, depth - 1, (*names, name))
    else:
        yield names, value


def with_words(database: Database, words: Words, *, strict: bool = True) -> Database:
    """Attach words to the schema that they are of.

    An abbreviation is spelt out in the names of tables and columns whose source gives no natural name. A table, column
    or join that is described already keeps its description in front: it is the word of the owner, and what is cut at
    the end of a long text is then what was added. Names match exactly, else without regard to letter case and
    surrounding blanks. A text of a table or column that the schema lacks is left out; one log line counts them. A join
    of two columns that the schema does not join is added to it.

    Args:
        database: The schema; it stays as it is.
        words: Its words.
        strict: Whether a join of a column that the schema lacks is an error; else it is left out with a warning.

    Raises:
        JoinGRError: If a join names a column that the schema lacks; the sentence names the nearest one.
    """
    abbreviations = {name.lower(): text.strip() for name, text in words.abbreviations.items()}
    database = spell_out(database, lambda name: _RUN.sub(lambda run: abbreviations.get(run[0], run[0]), name))
    tables, lost_tables = matched(named_tables(database, words.tables))
    columns, lost_columns = matched(named_columns(database, words.columns))
    if lost := lost_tables + lost_columns:
        logger.info("Left out %d description(s) that name no table or column of database %r.", lost, database.name)
    pairs = {join: tuple(name.strip() for name in join.split(" = ", 1)) for join in words.joins}
    database = with_given_joins(database, ((first, second) for first, second in pairs.values()), strict=strict)
    ends = {join: frozenset(find_column(name, database) for name in pair) for join, pair in pairs.items()}
    joins = {ends[join]: text for join, text in words.joins.items()}
    return replace(
        database,
        tables=tuple(_described(table, tables, columns) for table in database),
        foreign_keys=tuple(
            replace(key, description=_behind(key.description, joins.get(key.endpoints)))
            for key in database.foreign_keys
        ),
    )


def _described(table: Table, tables: Mapping[str, str], columns: Mapping[tuple[str, str], str]) -> Table:
    described = (
        replace(column, description=_behind(column.description, columns.get((table.name, column.name))))
        for column in table.columns
    )
    description = _behind(table.description, tables.get(table.name))
    return replace(table, description=description, columns=tuple(described))


def _behind(description: str, text: str | None) -> str:
    if text is None or description.endswith(text):  # Words that are attached twice stand there once.
        return description
    if not description.strip():
        return text
    return f"{description.rstrip('. ')}. {text}"
