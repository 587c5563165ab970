"""Answers of a language model about tables: what of them is of use, and what is wrong with the rest."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from joingr_pyg.describing.prompts import COLUMN_WORDS, JOIN_WORDS, LINE_WORDS
from joingr_pyg.schema import Database, ForeignKey, Table
from joingr_pyg.schema.names.meanings import Meanings
from joingr_pyg.schema.names.readable import match, readable_name

FEWEST_WORDS = 3
"""Words of a line that was not asked for as JSON, at least; fewer are no answer, but *yes* or the name once more."""

SHOWN_TABLE = re.compile(r"\s*\w+\s*\([^)]*\)\s*:")
"""A table as it is shown before its line; small models repeat it, or show another."""

NO_LINE = re.compile(r"[{\[<]|(i|i'm|i’m|sorry|as an|please|sure)\b", re.IGNORECASE)
"""How models begin that speak of themselves or to the reader, or write code."""


@dataclass(frozen=True)
class TableWords:
    """What a model says of a table.

    Args:
        table: Exact name of the table.
        line: What a row is.
        columns: What columns hold, by exact name.
        joins: Why the table is joined with others, by join as :class:`~joingr_pyg.schema.ForeignKey` writes itself.
    """

    table: str
    line: str
    columns: Mapping[str, str] = field(default_factory=dict)
    joins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What of an answer is of use.

    Args:
        tables: The tables that are described.
        abbreviations: Meanings of abbreviations.
        faults: What is wrong with each other table, in words for the model.
    """

    tables: Sequence[TableWords]
    abbreviations: Mapping[str, str]
    faults: Mapping[str, str]


def read_answer(
    answer: Any,
    database: Database,
    batch: Sequence[Table],
    known: Collection[str],
    *,
    edge_purposes: bool = True,
    last: bool = False,
) -> Answer:
    """Check an answer.

    A table is described if it has a line that is not too long and unlike all others. What else is malformed is left
    out: columns and joins that the table does not have, blank texts, abbreviations that no name holds.

    Args:
        answer: The plain values that the model gave, of whatever shape.
        database: The schema.
        batch: The tables that were asked for.
        known: Lines of other tables.
        edge_purposes: Whether joins are described, too.
        last: Whether the model is not asked again. A line that is too long is then cut off.
    """
    names = [table.name for table in batch]
    given: dict[str, dict[str, Any]] = {}
    for entry in _entries(answer, "tables"):
        if (name := match(_text(entry, "table"), names, _folded)) is not None:
            given.setdefault(name, entry)
    lines = {name: _text(entry, "line") for name, entry in given.items()}
    seen = {_folded(line) for line in known}
    tables, faults = [], {}
    for table in batch:
        line = lines.get(table.name, "")
        if fault := _fault(table.name in lines, line, seen, last):
            faults[table.name] = fault
            continue
        seen.add(_folded(line))
        joins = [join for join in database.joins if edge_purposes and join.table == table.name]
        tables.append(
            TableWords(
                table.name,
                _cut(line, LINE_WORDS),
                _columns(_entries(given[table.name], "columns"), table),
                _joins(_entries(given[table.name], "joins"), joins),
            )
        )
    return Answer(tables, _abbreviations(_entries(answer, "abbreviations"), database, names), faults)


def line_in_text(text: str, table: str) -> str:
    """The line of a table in an answer that is plain text; blank where the answer is rather about the model itself.

    Args:
        text: The answer.
        table: The table that was asked for, which the answer may repeat before the line.
    """
    text = SHOWN_TABLE.sub("", text.removeprefix(f"{table}:"))
    line = text.strip(" \t\"'`*-:")
    return "" if len(line.split()) < FEWEST_WORDS or NO_LINE.match(line) else line


def _fault(answered: bool, line: str, seen: Collection[str], last: bool) -> str:
    """What is wrong with the line of a table; blank if nothing is."""
    if not answered:
        return "the table was missing"
    if not line:
        return "the line was blank"
    if _folded(line) in seen:
        return f"the line was that of another table too ({line!r:.200}): tell them apart"
    if not last and (words := len(line.split())) > LINE_WORDS:
        return f"the line had {words} words: write at most {LINE_WORDS}"
    return ""


def _columns(entries: Iterator[dict[str, Any]], table: Table) -> dict[str, str]:
    texts: dict[str, str] = {}
    for entry in entries:
        name = match(_text(entry, "column").rpartition(".")[2], table.column_names, _folded)
        name = name or match(_text(entry, "column"), table.column_names, _folded)
        text = _cut(_text(entry, "words"), COLUMN_WORDS)
        if name is not None and text and readable_name(text) != readable_name(name):
            texts.setdefault(name, text)
    return texts


def _joins(entries: Iterator[dict[str, Any]], joins: Sequence[ForeignKey]) -> dict[str, str]:
    by_ends = {ends(str(join)): str(join) for join in joins}
    texts: dict[str, str] = {}
    for entry in entries:
        join, text = by_ends.get(ends(_text(entry, "join"))), _cut(_text(entry, "words"), JOIN_WORDS)
        if join is not None and text:
            texts.setdefault(join, text)
    return texts


def ends(join: str) -> frozenset[str]:
    """The two columns of a join as it is written, in either direction and any letter case."""
    return frozenset(part.strip().lower() for part in join.split("="))


def _abbreviations(entries: Iterator[dict[str, Any]], database: Database, tables: Sequence[str]) -> dict[str, str]:
    """Those that a name of the batch holds, with a meaning that says something else than the abbreviation."""
    names = [readable_name(name) for table in tables for name in (table, *database[table].column_names)]
    texts: dict[str, str] = {}
    for entry in entries:
        short, meaning = _text(entry, "abbreviation"), _cut(_text(entry, "meaning"), COLUMN_WORDS)
        if not short or not meaning:
            continue
        found = Meanings({short: meaning})
        says_itself = found.spell_out(meaning.lower()) != meaning.lower()
        if not says_itself and any(found.spell_out(name) != name for name in names):
            texts.setdefault(short, meaning)
    return texts


def _entries(value: Any, part: str) -> Iterator[dict[str, Any]]:
    """The objects in a list that should be a part of an object."""
    entries = value.get(part) if isinstance(value, dict) else None
    yield from (entry for entry in entries or () if isinstance(entry, dict)) if isinstance(entries, list) else ()


def _text(entry: Mapping[str, Any], part: str) -> str:
    """A text on one line; blank where there is none."""
    text = entry.get(part)
    return " ".join(text.split()) if isinstance(text, str) else ""


def _cut(text: str, words: int) -> str:
    given = text.split()
    return text if len(given) <= words else " ".join(given[:words]).rstrip(",;:(")


def _folded(text: str) -> str:
    return text.strip().rstrip(".").lower()
