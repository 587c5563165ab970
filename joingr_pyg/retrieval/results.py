"""What a question is answered with: the tables, best first, and the joins among them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from joingr_pyg.schema import Database


@dataclass(frozen=True)
class RetrievedTable:
    """A table found for a question.

    Attributes:
        database: Its database.
        table: Its name.
        score: Its score; higher is better, and the scale is the model's own.
        column: Its column that is most similar to the question.
        similarity: Cosine of that column and the question.
        matched_words: The question's words that the table shares, the one that counts most first; empty where the
            model does not compare words.
        anchor: Whether a walk started from it.
        joins: The joins that lead to it from an anchor, as ``"a.x = b.y"``, where most of its deposit came over joins;
            empty otherwise.
        reason: Why the table was found, in one sentence.
    """

    database: str
    table: str
    score: float
    column: str
    similarity: float
    matched_words: tuple[str, ...]
    anchor: bool
    joins: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class RetrievalResult(Sequence[RetrievedTable]):
    """The tables found for a question, best first. It is a sequence: it has a length, an order, and can be sliced.

    Args:
        question: The question.
        tables: The tables.
        databases: The schemas they were found in.
    """

    question: str
    tables: tuple[RetrievedTable, ...]
    databases: tuple[Database, ...] = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.tables)

    @overload
    def __getitem__(self, place: int) -> RetrievedTable: ...

    @overload
    def __getitem__(self, place: slice) -> "RetrievalResult": ...

    def __getitem__(self, place: int | slice) -> "RetrievedTable | RetrievalResult":
        if isinstance(place, slice):
            return RetrievalResult(self.question, self.tables[place], self.databases)
        return self.tables[place]

    def __iter__(self) -> Iterator[RetrievedTable]:
        return iter(self.tables)
