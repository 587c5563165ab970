"""Words files: a glossary of a schema with its abbreviations and descriptions of tables, columns and joins."""

import logging
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.joins.given import joins_tables, with_given_joins
from joingr_pyg.schema.model import Database, Table, TableName
from joingr_pyg.schema.names.meanings import Meanings
from joingr_pyg.schema.names.natural import spell_out
from joingr_pyg.schema.names.readable import find_column
from joingr_pyg.schema.readers.descriptions import matched, named_columns, named_tables
from joingr_pyg.schema.readers.json_file import read_json

logger = logging.getLogger(__name__)

Ends = frozenset[tuple[str, str]]
"""The two columns of a join, each ``(table, column)``."""

SHAPES = {
    "provenance": "a text: who wrote the words, and from what",
    "abbreviations": '{abbreviation: text}, as {"DEPT": "department"}',
    "tables": "{table: text}",
    "columns": "{table: {column: text}}",
    "joins": '{"A.x = B.y": text}',
    "opinions": '{"A.x = B.y": probability from 0 to 1}',
    "described": "{table: text}, as joingr describe keeps it",
}
"""Format of each part of a words file."""


@dataclass(frozen=True)
class Words:
    """The content of a words file: a glossary of one schema.

    Args:
        provenance: Who wrote it, and from what source.
        abbreviations: Meanings of abbreviations in names, as :class:`~joingr_pyg.schema.names.meanings.Meanings` takes
            them: single words or several (``outbound_sms``), in any letter case.
        tables: Descriptions of tables, by table.
        columns: Descriptions of columns, by table and column.
        joins: Descriptions of joins, by ``"A.x = B.y"`` in either direction.
        opinions: Probabilities that two columns are joined which no key joins, by ``"A.x = B.y"`` in either direction.
            Where joins are inferred, they count (:func:`~joingr_pyg.schema.joins.inference.infer_joins`).
        described: Digests by table, which tell what a language model described and what was changed since
            (:mod:`joingr_pyg.describing.words_file`).
    """

    provenance: str
    abbreviations: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    joins: Mapping[str, str] = field(default_factory=dict)
    opinions: Mapping[str, float] = field(default_factory=dict)
    described: Mapping[str, str] = field(default_factory=dict)

    @property
    def without_columns_and_joins(self) -> "Words":
        """Only the abbreviations and the descriptions of tables."""
        return Words(self.provenance, self.abbreviations, self.tables)

    def about(self, databases: Sequence[Database], tables: Container[TableName]) -> "Words":
        """Only the abbreviations, and the descriptions that are attached to some tables of the schemas."""
        described = {
            name
            for database in databases
            for name, table, _ in named_tables(
                database, dict.fromkeys([*self.tables, *self.columns, *self.described], "")
            )
            if table is not None and (database.name, table) in tables
        }
        return replace(
            self,
            tables={name: text for name, text in self.tables.items() if name in described},
            columns={name: columns for name, columns in self.columns.items() if name in described},
            joins={join: text for join, text in self.joins.items() if joins_tables(_ends(join), databases, tables)},
            opinions={
                join: probability
                for join, probability in self.opinions.items()
                if joins_tables(_ends(join), databases, tables)
            },
            described={name: digests for name, digests in self.described.items() if name in described},
        )


def read_words(path: str | Path) -> Words:
    """Read a words file: a JSON object with ``provenance`` and any of the other parts of :data:`SHAPES`.

    Raises:
        JoinGRError: If the file is missing or not JSON, has no ``provenance``, or a part is malformed or has a blank
            text.
    """
    path = Path(path)
    written = read_json(path, "give the path of a words file", "correct it")
    if not isinstance(written, dict):
        raise JoinGRError(f"The words file '{path}' is not a JSON object (got {type(written).__name__}): correct it.")
    if "provenance" not in written:
        raise JoinGRError(f"The words file '{path}' has no 'provenance': add {SHAPES['provenance']}.")
    for part, value in written.items():
        if part not in SHAPES:
            raise JoinGRError(f"The words file '{path}' has an unknown part {part!r}: choose from {', '.join(SHAPES)}.")
        if fault := next(_faults(part, value), None):
            raise JoinGRError(f"The words file '{path}' has {fault}; {part!r} is {SHAPES[part]}.")
    return Words(**written)


def _faults(part: str, value: Any) -> Iterator[str]:
    """Descriptions of what is malformed in a part."""
    depth = {"provenance": 0, "columns": 2}.get(part, 1)
    for names, text in _leaves(value, depth):
        at = "".join(f"[{name!r}]" for name in (part, *names))
        if part == "opinions" and len(names) == depth:
            if isinstance(text, bool) or not isinstance(text, int | float) or not 0 <= text <= 1:
                yield f"no probability at {at}"
            elif " = " not in names[0]:
                yield f"no join at {at}"
        elif len(names) < depth or not isinstance(text, str):
            yield f"a value of type {type(text).__name__} at {at}"
        elif not text.strip():
            yield f"a blank text at {at}"
        elif part == "joins" and " = " not in names[0]:
            yield f"no join at {at}"


def _leaves(value: Any, depth: int, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if depth and isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, depth - 1, (*names, name))
    else:
        yield names, value


def with_words(database: Database, words: Words, *, strict: bool = True) -> Database:
    """Attach a words file to its schema.

    Abbreviations are expanded in the names of tables and columns that have no natural name. A description is appended
    to an existing description, so that the end of a long text, which encoders cut off, is the appended one. Names match
    exactly, or else without regard to letter case and surrounding blanks. Descriptions of tables and columns that are
    not in the schema are ignored; one log line counts them, and gives the first with the nearest name of the schema. A
    join that the schema does not have is added to it.

    Args:
        database: The schema; it is not modified.
        words: The words file.
        strict: Whether a join of a column that is not in the schema is an error, and the log line a warning. Otherwise
            a warning names the join, as suits a schema that has changed since the words were written.

    Raises:
        JoinGRError: If ``strict`` and a join names a column that is not in the schema.
    """
    database = spell_out(database, Meanings(words.abbreviations).spell_out)
    tables, _ = matched(named_tables(database, words.tables))
    columns, _ = matched(named_columns(database, words.columns))
    _log_unknown_names(database, words, logging.WARNING if strict else logging.INFO)
    pairs = {join: _ends(join) for join in words.joins}
    database = with_given_joins(database, pairs.values(), strict=strict)
    ends = {join: frozenset(find_column(name, database) for name in pair) for join, pair in pairs.items()}
    joins = {ends[join]: text for join, text in words.joins.items()}
    return replace(
        database,
        tables=tuple(_described(table, tables, columns) for table in database),
        foreign_keys=tuple(
            replace(key, description=_append(key.description, joins.get(key.endpoints)))
            for key in database.foreign_keys
        ),
    )


def _log_unknown_names(database: Database, words: Words, level: int) -> None:
    """Say in one line which descriptions are of tables and columns that are not in the schema."""
    unknown = [name for name, table, _ in named_tables(database, words.tables) if table is None]
    unknown += [".".join(name) for name, column, _ in named_columns(database, words.columns) if column is None]
    if not unknown:
        return
    known_names = [table.name for table in database]
    known_names += [f"{table.name}.{column}" for table in database for column in table.column_names]
    by_lower_case = {name.lower(): name for name in known_names}
    nearest = get_close_matches(unknown[0].lower(), by_lower_case, n=1)
    hint = f"did you mean {by_lower_case[nearest[0]]!r}?" if nearest else "write names as the schema spells them."
    logger.log(
        level,
        "%d description(s) of the words name no table or column of database %r, the first %r: %s",
        *(len(unknown), database.name, unknown[0], hint),
    )


def _described(table: Table, tables: Mapping[str, str], columns: Mapping[tuple[str, str], str]) -> Table:
    described = (
        replace(column, description=_append(column.description, columns.get((table.name, column.name))))
        for column in table.columns
    )
    description = _append(table.description, tables.get(table.name))
    return replace(table, description=description, columns=tuple(described))


def _ends(join: str) -> tuple[str, str]:
    """The two columns of ``"A.x = B.y"``."""
    first, second = join.split(" = ", 1)
    return first.strip(), second.strip()


def _append(description: str, text: str | None) -> str:
    if text is None or description.endswith(text):  # A description that is attached twice is not repeated.
        return description
    if not description.strip():
        return text
    return f"{description.rstrip('. ')}. {text}"
