"""The words file as a language model fills it: what is missing, what has changed, and what people wrote.

``described`` keeps two digests a table: that of the table as it was when the model was asked, and that of what the
model wrote of it. By the first, a changed table is asked for again; by the second, words that somebody has edited are
recognised, and kept.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.describing.answers import Answer, TableWords, ends
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database, Table
from joingr_pyg.schema.names.glossary import Words, read_words
from joingr_pyg.schema.names.readable import readable_name

EDITED = "edited"
"""Stands for the second digest where people wrote some of a table's words."""

DIGEST_LENGTH = 12
"""Letters of a digest."""


class WordsFile:
    """The words of one schema, in a file that is complete at any time.

    The file is read again before something is added, so that what is edited meanwhile is kept.

    Args:
        database: The schema.
        path: The file, which may be missing; ``None`` keeps the words in memory alone.
        provenance: Who writes the words, and from what. It is added to what the file says of itself.

    Raises:
        JoinGRError: If the file is no words file, or its folder is missing.
    """

    def __init__(self, database: Database, path: str | Path | None, provenance: str = "") -> None:
        self.database = database
        self.path = None if path is None else Path(path)
        if self.path is not None and not self.path.absolute().parent.is_dir():
            raise JoinGRError(f"The folder of the words file '{path}' is missing: make it first.")
        self._provenance = provenance
        self._words = Words("")

    @property
    def words(self) -> Words:
        """The words as they are now."""
        if self.path is not None and self.path.exists():
            self._words = read_words(self.path)
        return self._words

    def lines(self) -> dict[str, str]:
        """The lines of the tables that have one, by exact name."""
        written = _by_folded_name(self.words.tables)
        return {table.name: written[key] for table in self.database if (key := _folded(table.name)) in written}

    def to_describe(self) -> list[Table]:
        """The tables without a line, and those that have changed since the model wrote of them and nobody edited it."""
        words, lines = self.words, self.lines()
        return [
            table
            for table in self.database
            if table.name not in lines or (self._changed(table, words) and self._written_by_model(table.name, words))
        ]

    def changed_and_edited(self) -> list[str]:
        """The tables that have changed since the model wrote of them, and whose words people wrote since."""
        words = self.words
        tables = [table for table in self.database if self._changed(table, words)]
        return [table.name for table in tables if not self._written_by_model(table.name, words)]

    def add(self, answer: Answer) -> None:
        """Add what a model said, beside all that people wrote.

        Raises:
            JoinGRError: If the file cannot be read or written.
        """
        words = self.words
        for table in answer.tables:
            words = self._with_table(words, table)
        known = {readable_name(name) for name in words.abbreviations}
        new = {name: text for name, text in answer.abbreviations.items() if readable_name(name) not in known}
        if answer.tables or new:
            self._write(replace(words, abbreviations={**words.abbreviations, **new}))

    def add_opinions(self, opinions: Mapping[str, float]) -> None:
        """Add probabilities of joins; those that the file has stay.

        Raises:
            JoinGRError: If the file cannot be read or written.
        """
        words = self.words
        known = set(map(ends, words.opinions))
        new = {join: probability for join, probability in opinions.items() if ends(join) not in known}
        self._write(replace(words, opinions={**words.opinions, **new}))

    def _with_table(self, words: Words, said: TableWords) -> Words:
        name = said.table
        before = self._texts(name, words)
        if by_model := not any(before) or self._written_by_model(name, words):
            words = self._without(name, words)
            before = self._texts(name, words)
        line, columns, joins = before
        key, columns_key = _written(name, words.tables), _written(name, words.columns)
        words = replace(
            words,
            tables={**words.tables, key: line or said.line},
            columns={**words.columns, columns_key: {**said.columns, **columns}},
            joins={**words.joins, **{join: text for join, text in said.joins.items() if ends(join) not in joins}},
        )
        if not words.columns[columns_key]:
            words = replace(words, columns={key: texts for key, texts in words.columns.items() if key != columns_key})
        written = self._digest_of_words(name, words) if by_model else EDITED
        return replace(words, described={**words.described, name: f"{self._digest_of_table(name)} {written}"})

    def _texts(self, table: str, words: Words) -> tuple[str, Mapping[str, str], Mapping[frozenset[str], str]]:
        """The line, the columns and the joins of a table, as the file has them."""
        own = {ends(str(join)) for join in self.database.joins if join.table == table}
        joins = {ends(join): text for join, text in words.joins.items() if ends(join) in own}
        columns = words.columns.get(_written(table, words.columns), {})
        return words.tables.get(_written(table, words.tables), ""), columns, joins

    def _without(self, table: str, words: Words) -> Words:
        """The words without those of a table."""
        _, _, joins = self._texts(table, words)
        return replace(
            words,
            tables={name: text for name, text in words.tables.items() if _folded(name) != _folded(table)},
            columns={name: texts for name, texts in words.columns.items() if _folded(name) != _folded(table)},
            joins={join: text for join, text in words.joins.items() if ends(join) not in joins},
        )

    def _changed(self, table: Table, words: Words) -> bool:
        digest = words.described.get(table.name, "").partition(" ")[0]
        return bool(digest) and digest != self._digest_of_table(table.name)

    def _written_by_model(self, table: str, words: Words) -> bool:
        digest = words.described.get(table, "").partition(" ")[2]
        return digest == self._digest_of_words(table, words)

    def _digest_of_table(self, table: str) -> str:
        columns = [[column.name, column.type, column.description] for column in self.database[table].columns]
        joins = [str(join) for join in self.database.joins if join.table == table]
        return _digest([self.database[table].description, self.database[table].primary_key, columns, joins])

    def _digest_of_words(self, table: str, words: Words) -> str:
        line, columns, joins = self._texts(table, words)
        return _digest([line, sorted(columns.items()), sorted((*sorted(pair), text) for pair, text in joins.items())])

    def _write(self, words: Words) -> None:
        if not words.provenance:
            words = replace(words, provenance=self._provenance)
        elif self._provenance not in words.provenance:
            words = replace(words, provenance=f"{words.provenance}; {self._provenance}")
        tables = [_folded(table.name) for table in self.database]
        parts: dict[str, Any] = {
            **asdict(words),
            **{part: _sorted(getattr(words, part), _folded, tables) for part in ("tables", "columns", "described")},
            "joins": _sorted(words.joins, ends, [ends(str(join)) for join in self.database.joins]),
        }
        self._words = Words(**parts)
        if self.path is None:
            return
        text = json.dumps({part: value for part, value in parts.items() if value}, indent=1, ensure_ascii=False)
        try:
            with atomic_write(self.path) as file:
                file.write(f"{text}\n".encode())
        except OSError as error:
            raise JoinGRError(f"The words file '{self.path}' cannot be written ({error.strerror}).") from error


def _sorted(texts: Mapping[str, Any], key: Callable[[str], Any], order: Iterable[Any]) -> dict[str, Any]:
    """Entries in the order of the schema, so that two versions of a file are easily compared."""
    place = {one: position for position, one in enumerate(order)}
    return dict(sorted(texts.items(), key=lambda entry: place.get(key(entry[0]), len(place))))


def _written(name: str, names: Collection[str]) -> str:
    """A name as a file has it already, in whatever letter case, or else as it is."""
    return name if name in names else next((known for known in names if _folded(known) == _folded(name)), name)


def _by_folded_name(texts: Mapping[str, str]) -> dict[str, str]:
    return {_folded(name): text for name, text in texts.items()}


def _folded(name: str) -> str:
    return name.strip().lower()


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:DIGEST_LENGTH]
