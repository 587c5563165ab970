"""The data model of a benchmark: questions with gold tables, and their databases."""

from dataclasses import asdict, dataclass, field
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database, TableName

ColumnName = tuple[str, str]
"""A column within one database: ``(table, column)``."""


@dataclass(frozen=True)
class Question:
    """A question with its gold tables.

    Args:
        index: Position in the questions file, from zero; it identifies the question in every report.
        text: The text of the question.
        database: Name of its database.
        gold_tables: Exact names of the tables of that database that the gold SQL reads.
        gold_joins: Column pairs that the gold SQL joins, if the benchmark annotates them.
        sql: The gold SQL.
        bridge_tables: Gold tables that only connect others and are not named in the question, if the benchmark
            annotates them.
    """

    index: int
    text: str
    database: str
    gold_tables: tuple[str, ...]
    gold_joins: tuple[tuple[ColumnName, ColumnName], ...] = ()
    sql: str = ""
    bridge_tables: tuple[str, ...] = ()

    @property
    def gold(self) -> tuple[TableName, ...]:
        """The gold tables as ``(database, table)``."""
        return tuple((self.database, table) for table in self.gold_tables)


@dataclass(frozen=True)
class Dropped:
    """A question that cannot be scored, with the reason."""

    index: int
    database: str
    reason: str


@dataclass(frozen=True)
class Benchmark:
    """One split of a benchmark: its databases, its questions, and the questions that were dropped.

    Args:
        name: Name of the benchmark.
        split: Name of the split.
        databases: The databases of the split; their tables are the retrieval pool.
        questions: The questions with gold tables, in file order.
        dropped: The questions that cannot be scored.

    Raises:
        JoinGRError: If two databases have the same name.
    """

    name: str
    split: str
    databases: tuple[Database, ...]
    questions: tuple[Question, ...]
    dropped: tuple[Dropped, ...] = field(default=())

    def __post_init__(self) -> None:
        names = [database.name for database in self.databases]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise JoinGRError(f"Benchmark {self.name!r} lists database {twice!r} twice.")

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Benchmark":
        """Convert back from the values of :meth:`to_dict`."""
        databases = tuple(Database.from_dict(database) for database in values["databases"])
        questions = tuple(Question(**question) for question in values["questions"])
        dropped = tuple(Dropped(**question) for question in values["dropped"])
        return cls(values["name"], values["split"], databases, questions, dropped)
