"""Turns raw questions into a benchmark: resolves gold tables, and drops questions that cannot be scored."""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from joingr_pyg.datasets.benchmark import Benchmark, ColumnName, Dropped, Question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema import Database
from joingr_pyg.schema.names.readable import is_internal, match
from joingr_pyg.schema.sql.gold import tables_read_by

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RawQuestion:
    """A question as read from its file, before any check.

    Args:
        text: The question.
        database: Name of its database.
        sql: The gold SQL.
        gold_tables: Names of the gold tables if the file annotates them. If empty, they are the tables that the SQL
            reads.
        gold_joins: The joined columns if the file annotates them.
        bridge_tables: Gold tables that only connect others, if the file annotates them.
        dialect: Name of the sqlglot dialect of the gold SQL. If empty, it is the dialect of the benchmark.
    """

    text: str
    database: str
    sql: str
    gold_tables: tuple[str, ...] = ()
    gold_joins: tuple[tuple[ColumnName, ColumnName], ...] = ()
    bridge_tables: tuple[str, ...] = ()
    dialect: str = ""


def require_choice(what: str, value: str, choices: Collection[str]) -> None:
    """Check that a value is one of the choices.

    Args:
        what: What the value names, for the message, such as ``"split of bird"``.
        value: The value.
        choices: The allowed values.

    Raises:
        JoinGRError: If ``value`` is not one of ``choices``.
    """
    if value not in choices:
        raise JoinGRError(f"There is no {what} {value!r}: choose {' or '.join(map(repr, choices))}.")


def assemble(
    name: str, split: str, databases: Sequence[Database], questions: Iterable[RawQuestion], dialect: str, strict: bool
) -> Benchmark:
    """Resolve the gold tables of the questions of a split.

    A question that cannot be resolved is dropped with its reason; a warning counts dropped questions.

    Args:
        name: Name of the benchmark.
        split: Name of the split.
        databases: The databases of the split.
        questions: The questions in file order.
        dialect: Name of the sqlglot dialect of the gold SQL.
        strict: Raise at the first question that cannot be resolved.

    Raises:
        JoinGRError: In strict mode, if a question is empty, its database is not in the schema file, its SQL does not
            parse or it needs a table that is not in the schema.
    """
    by_name = {database.name: database for database in databases}
    resolved: list[Question] = []
    dropped: list[Dropped] = []
    for index, question in enumerate(questions):
        try:
            resolved.append(_resolve(index, question, by_name, dialect))
        except JoinGRError as error:
            if strict:
                raise JoinGRError(f"Question {index} of {name} {split} cannot be resolved: {error}") from error
            dropped.append(Dropped(index, question.database, str(error)))
    benchmark = Benchmark(name, split, tuple(databases), tuple(resolved), tuple(dropped))
    warn_of_dropped_questions(benchmark)
    return benchmark


def warn_of_dropped_questions(benchmark: Benchmark) -> None:
    """Log one warning about the dropped questions, if there are any."""
    if not benchmark.dropped:
        return
    first, count = benchmark.dropped[0], len(benchmark.dropped)
    logger.warning(
        "%s %s: %d of %d questions are dropped, the first (question %d) because: %s",
        *(benchmark.name, benchmark.split, count, count + len(benchmark.questions), first.index, first.reason),
    )


def _resolve(index: int, raw: RawQuestion, databases: dict[str, Database], dialect: str) -> Question:
    if not raw.text.strip():
        raise JoinGRError("The question is empty.")
    if raw.database not in databases:
        raise JoinGRError(f"Its database {raw.database!r} is not in the schema file.")
    database = databases[raw.database]
    if raw.gold_tables:
        tables = tuple(dict.fromkeys(_table_name(name, database) for name in raw.gold_tables))
    else:
        tables = tables_read_by(raw.sql, database, raw.dialect or dialect)
    if internal := next(filter(is_internal, tables), None):
        raise JoinGRError(f"Its gold table {internal!r} is an internal table of SQLite, which is never retrieved.")
    bridges = tuple(dict.fromkeys(_table_name(name, database) for name in raw.bridge_tables))
    return Question(index, raw.text, raw.database, tables, raw.gold_joins, raw.sql, bridges)


def _table_name(annotated: str, database: Database) -> str:
    """The exact name of an annotated table."""
    name = match(annotated, (table.name for table in database))
    if name is None:
        raise JoinGRError(f"Its gold table {annotated!r} is not in database {database.name!r}.")
    return name
