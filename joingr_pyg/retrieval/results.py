"""What a question is answered with: the tables, best first, and the joins among them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from joingr_pyg.errors import MissingPackageError
from joingr_pyg.retrieval.fitting import LEAST_FIT
from joingr_pyg.retrieval.walk import AnswerWalk
from joingr_pyg.schema import Database, TableName
from joingr_pyg.schema.joins.connecting import connecting_joins
from joingr_pyg.schema.model import JoinSource
from joingr_pyg.schema.names.readable import readable_name
from joingr_pyg.text.tokens import words

if TYPE_CHECKING:
    from joingr_pyg.plotting.figure import Figure


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
        matching_columns: Its columns whose values the question names, and the one most similar to the phrase that the
            reason tells; empty where there are none.
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
    matching_columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class RetrievedJoin:
    """A join that connects tables that were found. Written as text it is ``"a.x = b.y"``.

    Attributes:
        database: Its database.
        table: The referencing table.
        column: Its column.
        referenced_table: The referenced table.
        referenced_column: Its column.
        source: Where the join comes from: ``"declared"``, ``"given"``, ``"inferred"`` or ``"mined"``.
        confidence: Probability that the two columns are joined.
        direct: Whether both tables were found. Otherwise the join is a part of a shortest path that connects tables
            over others, which were not found.
    """

    database: str
    table: str
    column: str
    referenced_table: str
    referenced_column: str
    source: JoinSource
    confidence: float
    direct: bool

    def __str__(self) -> str:
        return f"{self.table}.{self.column} = {self.referenced_table}.{self.referenced_column}"


def joins_of(
    databases: Iterable[Database], tables: Iterable[TableName], preferred: Iterable[str] = ()
) -> tuple[RetrievedJoin, ...]:
    """All joins among tables, and shortest paths where a table is connected to the others only over further tables.

    Tables of different databases, and those that no joins connect, stay apart.

    Args:
        databases: The schemas.
        tables: The tables.
        preferred: Joins as text, to be preferred where several paths are equally short.
    """
    names: dict[str, dict[str, None]] = {}
    for database_name, table in tables:
        names.setdefault(database_name, {})[table] = None
    preferred = frozenset(preferred)
    joins = []
    for database in databases:
        here = names.get(database.name, {})
        if not here:
            continue
        for join in connecting_joins(
            database, here, [database.join_by_name[name] for name in preferred if name in database.join_by_name]
        ):
            joins.append(
                RetrievedJoin(
                    database.name,
                    *(join.table, join.column, join.referenced_table, join.referenced_column),
                    *(join.source, join.confidence),
                    join.table in here and join.referenced_table in here,
                )
            )
    return tuple(joins)


@dataclass(frozen=True)
class RetrievalResult(Sequence[RetrievedTable]):
    """The tables found for a question, best first. It is a sequence: it has a length, an order, and can be sliced.

    Args:
        question: The question.
        tables: The tables.
        databases: The schemas they were found in.
        walk_source: Tells the walk of the question, when it is asked for; ``None`` where there was none.
        fits: Probability that the schemas are about what is asked, if as many questions are about something else;
            ``None`` with other encoders than MiniLM.
    """

    question: str
    tables: tuple[RetrievedTable, ...]
    databases: tuple[Database, ...] = field(repr=False, compare=False)
    walk_source: Callable[[], AnswerWalk | None] | None = field(default=None, repr=False, compare=False)
    fits: float | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The walk itself in place of what it is computed from, which refers to the model."""
        return {**self.__dict__, "walk": self.walk, "walk_source": None}

    def __len__(self) -> int:
        return len(self.tables)

    @overload
    def __getitem__(self, place: int) -> RetrievedTable: ...

    @overload
    def __getitem__(self, place: slice) -> "RetrievalResult": ...

    def __getitem__(self, place: int | slice) -> "RetrievedTable | RetrievalResult":
        if isinstance(place, slice):
            return RetrievalResult(self.question, self.tables[place], self.databases, lambda: self.walk, self.fits)
        return self.tables[place]

    def __iter__(self) -> Iterator[RetrievedTable]:
        return iter(self.tables)

    @property
    def nothing_fits(self) -> bool:
        """Whether nothing in the schemas seems to fit the question: :attr:`fits` is known and below 0.2."""
        return self.fits is not None and self.fits < LEAST_FIT

    @cached_property
    def walk(self) -> AnswerWalk | None:
        """The walk that led to the tables, hop by hop; ``None`` where the model did not walk."""
        return None if self.walk_source is None else self.walk_source()

    @cached_property
    def joins(self) -> tuple[RetrievedJoin, ...]:
        """All joins among the tables, and what connects the others; see :func:`joins_of`.

        Where several paths are equally short, the one that led to the tables is preferred.
        """
        led = {join for table in self.tables for join in table.joins}
        return joins_of(self.databases, [(table.database, table.table) for table in self.tables], led)

    def to_ddl(self, dialect: str | None = None, *, matching_columns: bool = False) -> str:
        """The ``CREATE TABLE`` statements of the tables, best first, for a prompt.

        They hold primary keys, the foreign keys among the tables, and descriptions as comments; foreign keys that the
        schema does not declare are marked. Tables of several databases stand below a comment with their name.

        Args:
            dialect: The SQL dialect to write, such as ``"postgres"``; where not given, types stand as the source of
                the schema spells them.
            matching_columns: Write only the columns that matter to the question: members of primary keys, ends of
                :attr:`joins`, the nearest column, those of :attr:`RetrievedTable.matching_columns`, and columns that
                share a word with the question.

        Raises:
            JoinGRError: If there is no such dialect.
        """
        # sqlglot, which is slow to load, is not needed to find tables.
        from joingr_pyg.schema.sql.create_table import create_table_statements

        parts = []
        for database in self.databases:
            here = [table for table in self.tables if table.database == database.name]
            columns = {table.table: self._matching_columns(database, table) for table in here}
            if here:
                names = [table.table for table in here]
                text = create_table_statements(database, names, dialect, columns if matching_columns else None)
                parts.append((database.name, text))
        if len(parts) == 1:
            return parts[0][1]
        return "\n\n".join(f"-- Database {' '.join(name.split())}\n\n{text}" for name, text in parts)

    def _matching_columns(self, database: Database, found: RetrievedTable) -> set[str]:
        table = database[found.table]
        question = {*words(self.question)}
        joined = {
            column
            for join in self.joins
            if join.database == database.name
            for name, column in ((join.table, join.column), (join.referenced_table, join.referenced_column))
            if name == table.name
        }
        matching = {
            column.name
            for column in table.columns
            if question.intersection(words(readable_name(column.natural_name or column.name)))
        }
        return {found.column, *found.matching_columns, *table.primary_key} | joined | matching

    def to_html(self) -> str:
        """One page of the answer and its walk, to be opened in a browser.

        It holds all that it needs, and loads nothing. A slider goes through the hops; pointing at a table or a join, or
        tapping it, tells the reasons. Names, descriptions and the question are text on it, whatever they hold.
        """
        from joingr_pyg.plotting.page import page
        from joingr_pyg.retrieval.picture import picture_of

        return page(picture_of(self))

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks."""
        from joingr_pyg.plotting.page import frame
        from joingr_pyg.retrieval.picture import picture_of

        return frame(picture_of(self))

    def plot(self) -> "Figure":
        """Draw the answer and its walk.

        Returns:
            A figure of matplotlib: the area of a circle is the deposit at a table, its number the place of a table
            that was found; the width of a line is the deposit on a join, dashed where the join is inferred, and a ring
            marks an anchor.

        Raises:
            MissingPackageError: If matplotlib is not installed.
        """
        try:
            from joingr_pyg.plotting.figure import draw_picture
        except ImportError as error:
            raise MissingPackageError("Drawing an answer", "matplotlib", "plot") from error
        from joingr_pyg.retrieval.picture import picture_of

        return draw_picture(picture_of(self))

    def to_dict(self) -> dict[str, Any]:
        """The question, how well it fits, the tables and their joins as plain values, which JSON can hold."""
        return {
            "question": self.question,
            "fits": self.fits,
            "tables": [
                {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(table).items()}
                for table in self.tables
            ],
            "joins": [asdict(join) for join in self.joins],
        }

    def to_json(self, indent: int | None = None) -> str:
        """:meth:`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)
