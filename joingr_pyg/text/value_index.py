"""The values of a database's columns, looked up in questions: *Radiohead* is a value of ``artist.name``."""

import re
import sqlite3
import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from Stemmer import Stemmer

from joingr_pyg.errors import JoinGRError
from joingr_pyg.text.tokens import spelled

VERSION = 1
"""Version of the file's format; a file of another version is written anew."""

LONGEST = 8
"""Values of more words are not kept: questions do not spell them out."""

FEW = 200
"""A column with at most so many values holds categories, which questions spell in lower case too."""

AMBIGUOUS = 3
"""A value of more columns than this points at none of them."""

_WORD = re.compile(r"[^\W_]+")
_ENGLISH = Stemmer("english")


@dataclass(frozen=True)
class ValueColumn:
    """A column whose values are kept.

    Attributes:
        database: Its database.
        table: Its table.
        column: Its name.
    """

    database: str
    table: str
    column: str


@dataclass(frozen=True)
class ValueMatch:
    """A value in a question.

    Attributes:
        value: The value, as the question spells it.
        column: The column that has it.
    """

    value: str
    column: ValueColumn

    def __str__(self) -> str:
        return f"'{self.value}' is a value of {self.column.table}.{self.column.column}"


class ValueIndex:
    """A file of values by their words; it is read where it lies, so that its size takes no memory.

    Words are compared by their stems, without accents and in any letter case.

    Args:
        path: The file, as :meth:`write` left it.

    Raises:
        JoinGRError: If it is missing or no index of this version.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not is_value_index(self.path):
            raise JoinGRError(f"'{self.path}' is no index of values: have it written again.")

    @classmethod
    def write(cls, path: str | Path, columns: Iterable[tuple[ValueColumn, Iterable[str]]]) -> "ValueIndex":
        """Write an index that only this user may read; a file that is there stays until the new one is complete.

        Args:
            path: The file; its folder exists.
            columns: Columns, each with its distinct values.
        """
        path = Path(path)
        partial = path.with_name(f"{path.name}.{uuid4().hex}.partial")
        try:
            partial.touch(mode=0o600)
            with closing(sqlite3.connect(partial)) as file, file:
                file.executescript(
                    f"PRAGMA user_version = {VERSION}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                    "CREATE TABLE place (id INTEGER PRIMARY KEY, base TEXT, name TEXT, part TEXT, size INTEGER);"
                    "CREATE TABLE value (key TEXT, place INTEGER, PRIMARY KEY (key, place)) WITHOUT ROWID;"
                )
                for number, (column, values) in enumerate(columns):
                    keys = {key for value in values if (key := value_key(value))}
                    place = (number, column.database, column.table, column.column, len(keys))
                    file.execute("INSERT INTO place VALUES (?, ?, ?, ?, ?)", place)
                    file.executemany("INSERT INTO value VALUES (?, ?)", ((key, number) for key in sorted(keys)))
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        return cls(path)

    def __len__(self) -> int:
        """How many values there are, counted once for every column."""
        with self._open() as file:
            return int(file.execute("SELECT count(*) FROM value").fetchone()[0])

    def columns(self) -> list[ValueColumn]:
        """The columns whose values are kept."""
        with self._open() as file:
            return [ValueColumn(*row) for row in file.execute("SELECT base, name, part FROM place ORDER BY id")]

    def matches(
        self,
        question: str,
        schema_words: frozenset[str] = frozenset(),
        among: Container[ValueColumn] | None = None,
    ) -> list[ValueMatch]:
        """The values that a question names, longer ones first where they overlap.

        A single word in lower case counts only as a value of a column with few values, and none that the schema uses
        in its names does: these are words of the question, not names in it.

        Args:
            question: The question.
            schema_words: Stems of the words of the schema's names, as :func:`value_key` gives them.
            among: The columns whose values count; all where not given.
        """
        runs = list(_WORD.finditer(question))
        stems = [_stem(run.group()) for run in runs]
        keys = {" ".join(stems[at : at + size]) for at, size in _spans(len(runs))}
        with self._open() as file:
            places = self._places(file, sorted(keys), among)
        taken: set[int] = set()
        found: list[tuple[int, ValueMatch]] = []
        for at, size in _spans(len(runs)):
            columns = places.get(" ".join(stems[at : at + size]), [])
            if not columns or taken & set(range(at, at + size)):
                continue
            text = question[runs[at].start() : runs[at + size - 1].end()]
            few = [column for column, count in columns if count <= FEW]
            if _is_name(question, runs[at : at + size], at == 0):
                kept = [column for column, _ in columns]
            else:
                kept = few if size == 1 else [column for column, _ in columns]
            if size == 1 and stems[at] in schema_words:
                kept = []
            if kept and _has_content([run.group() for run in runs[at : at + size]], at == 0):
                taken |= set(range(at, at + size))
                found += [(at, ValueMatch(text, column)) for column in kept]
        return [match for _, match in sorted(found, key=lambda pair: pair[0])]

    def _places(
        self, file: sqlite3.Connection, keys: Sequence[str], among: Container[ValueColumn] | None
    ) -> dict[str, list[tuple[ValueColumn, int]]]:
        places: dict[str, list[tuple[ValueColumn, int]]] = {}
        for first in range(0, len(keys), 500):
            some = keys[first : first + 500]
            marks = ", ".join("?" * len(some))
            query = f"SELECT key, base, name, part, size FROM value JOIN place ON id = place WHERE key IN ({marks})"
            for key, base, name, part, size in file.execute(f"{query} ORDER BY id", some):
                column = ValueColumn(base, name, part)
                if among is None or column in among:
                    places.setdefault(key, []).append((column, size))
        return places

    def _open(self) -> "closing[sqlite3.Connection]":
        return closing(sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True))


def is_value_index(path: Path) -> bool:
    """Whether a file is an index of values of this version."""
    if not path.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as file:
            return bool(file.execute("PRAGMA user_version").fetchone()[0] == VERSION)
    except sqlite3.DatabaseError:
        return False


def value_key(value: str) -> str:
    """A value as it is compared: the stems of its words; empty if it has no letter or too many words."""
    words = _WORD.findall(value)
    if not any(letter.isalpha() for letter in value) or len(words) > LONGEST:
        return ""
    return " ".join(map(_stem, words))


def _stem(word: str) -> str:
    plain = "".join(part for part in unicodedata.normalize("NFKD", word) if not unicodedata.combining(part))
    return str(_ENGLISH.stemWord(plain.casefold()))


def _spans(words: int) -> Iterator[tuple[int, int]]:
    """Starts and sizes of all runs of words, the longest first."""
    for size in range(min(LONGEST, words), 0, -1):
        yield from ((at, size) for at in range(words - size + 1))


def _has_content(words: Sequence[str], first: bool) -> bool:
    """Whether words say enough: one that is no stop word if it stands alone, two of several, or a name in capitals."""
    content = [word for word in words if spelled(word)]
    if len(words) == 1 or len(content) > 1:
        return bool(content)
    capital = [word[0].isupper() for word in words]
    return any(capital) if content else all(capital) and not first


def _is_name(question: str, runs: Sequence[re.Match[str]], first: bool) -> bool:
    """Whether a question spells words as a name: in quotes, with a capital that begins no sentence, or with a digit."""
    start, end = runs[0].start(), runs[-1].end()
    quoted = start > 0 and question[start - 1] in "'\"‘“«" and question[end : end + 1] in ("'", '"', "’", "”", "»")
    words = [run.group() for run in runs]
    capital = [word[0].isupper() or word[0].isdigit() for word in (words[1:] if first else words)]
    return quoted or any(capital) or any(word.isupper() and len(word) > 1 for word in words)
