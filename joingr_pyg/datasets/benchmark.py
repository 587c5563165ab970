"""Questions with their gold tables, and the databases they are asked of."""

from dataclasses import asdict, dataclass, field
from typing import Any

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database, TableName

ColumnName = tuple[str, str]
"""A column within one database: ``(table, column)``."""


@dataclass(frozen=True)
class Question:
    """A question with the tables its SQL reads.

    Args:
        index: Position in the questions file, counted from zero; it names the question in every report.
        text: The question as asked.
        database: Name of the database it is asked of.
        gold_tables: Exact names of the tables the gold SQL reads, within that database.
        gold_joins: Column pairs the gold SQL joins, where the benchmark annotates them.
        sql: The gold SQL.
        bridge_tables: Those of the gold tables that only connect others and that the question does not name, where the
            benchmark annotates them.
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
        """The gold tables as names within the corpus."""
        return tuple((self.database, table) for table in self.gold_tables)


@dataclass(frozen=True)
class Dropped:
    """A question that cannot be scored, and why."""

    index: int
    database: str
    reason: str


@dataclass(frozen=True)
class Benchmark:
    """One split of a benchmark: all its databases, the questions that can be scored, and those that cannot.

    Args:
        name: Name of the benchmark.
        split: Name of the split.
        databases: Every database of the split; their tables are the retrieval pool.
        questions: The questions with gold tables, in file order.
        dropped: The questions left out, each with its reason.
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
        """The benchmark as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Benchmark":
        """The benchmark that :meth:`to_dict` made plain."""
        databases = tuple(Database.from_dict(database) for database in values["databases"])
        questions = tuple(Question(**question) for question in values["questions"])
        dropped = tuple(Dropped(**question) for question in values["dropped"])
        return cls(values["name"], values["split"], databases, questions, dropped)
