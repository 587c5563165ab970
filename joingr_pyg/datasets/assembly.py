"""From questions as their files hold them to a benchmark."""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from joingr_pyg.datasets.benchmark import Benchmark, ColumnName, Dropped, Question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.readable import is_internal, match
from joingr_pyg.schema.sql.gold import gold_tables

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Asked:
    """A question as its file holds it, nothing of it checked yet.

    Args:
        text: The question.
        database: Name of the database it is asked of.
        sql: The gold SQL.
        gold_tables: Names of the gold tables where the file annotates them; empty means those that the SQL reads.
        gold_joins: The joined columns where the file annotates them.
        bridge_tables: Gold tables that only connect others, where the file annotates them.
        dialect: Name of the sqlglot dialect of the gold SQL; empty where it is that of the benchmark.
    """

    text: str
    database: str
    sql: str
    gold_tables: tuple[str, ...] = ()
    gold_joins: tuple[tuple[ColumnName, ColumnName], ...] = ()
    bridge_tables: tuple[str, ...] = ()
    dialect: str = ""


def require(what: str, value: str, choices: Collection[str]) -> None:
    """Refuse a name that does not exist.

    Raises:
        JoinGRError: If ``value`` is not one of ``choices``.
    """
    if value not in choices:
        raise JoinGRError(f"There is no {what} {value!r}: choose {' or '.join(map(repr, choices))}.")


def assemble(
    name: str, split: str, databases: Sequence[Database], asked: Iterable[Asked], dialect: str, strict: bool
) -> Benchmark:
    """Resolve the questions of a split; those that cannot be resolved are dropped, each with its reason.

    Args:
        name: Name of the benchmark.
        split: Name of the split.
        databases: The databases of the split.
        asked: The questions in file order.
        dialect: Name of the sqlglot dialect of the gold SQL.
        strict: Raise at the first question that cannot be resolved.

    Raises:
        JoinGRError: In strict mode, if a question is empty, its database is not in the schema file, its
            SQL does not parse or it needs a table that the schema lacks.
    """
    by_name = {database.name: database for database in databases}
    questions: list[Question] = []
    dropped: list[Dropped] = []
    for index, each in enumerate(asked):
        try:
            questions.append(_resolve(index, each, by_name, dialect))
        except JoinGRError as error:
            if strict:
                raise JoinGRError(f"Question {index} of {name} {split} cannot be resolved: {error}") from error
            dropped.append(Dropped(index, each.database, str(error)))
    benchmark = Benchmark(name, split, tuple(databases), tuple(questions), tuple(dropped))
    tell_dropped(benchmark)
    return benchmark


def tell_dropped(benchmark: Benchmark) -> None:
    """Warn in one line of the questions that cannot be scored, where there are any."""
    if not benchmark.dropped:
        return
    first, count = benchmark.dropped[0], len(benchmark.dropped)
    logger.warning(
        "%s %s: %d of %d questions are dropped, the first (question %d) because: %s",
        *(benchmark.name, benchmark.split, count, count + len(benchmark.questions), first.index, first.reason),
    )


def _resolve(index: int, asked: Asked, databases: dict[str, Database], dialect: str) -> Question:
    if not asked.text.strip():
        raise JoinGRError("The question is empty.")
    if asked.database not in databases:
        raise JoinGRError(f"Its database {asked.database!r} is not in the schema file.")
    database = databases[asked.database]
    if asked.gold_tables:
        tables = tuple(dict.fromkeys(_annotated(table, database) for table in asked.gold_tables))
    else:
        tables = gold_tables(asked.sql, database, asked.dialect or dialect)
    if own := next(filter(is_internal, tables), None):
        raise JoinGRError(f"Its gold table {own!r} is SQLite's own, which is never retrieved.")
    bridges = tuple(dict.fromkeys(_annotated(table, database) for table in asked.bridge_tables))
    return Question(index, asked.text, asked.database, tables, asked.gold_joins, asked.sql, bridges)


def _annotated(table: str, database: Database) -> str:
    known = match(table, (each.name for each in database))
    if known is None:
        raise JoinGRError(f"Its gold table {table!r} is not in database {database.name!r}.")
    return known
