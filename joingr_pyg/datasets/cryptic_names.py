"""A benchmark with abbreviated table and column names."""

from dataclasses import replace

from joingr_pyg.datasets.benchmark import Benchmark, ColumnName, Question
from joingr_pyg.schema.names.cryptic import CrypticNames, with_cryptic_names


def benchmark_with_cryptic_names(benchmark: Benchmark) -> Benchmark:
    """Abbreviate all names of a benchmark (:func:`~joingr_pyg.schema.names.cryptic.with_cryptic_names`).

    Gold tables and gold joins get the new names; the texts of questions stay. The SQL is removed, since it uses the old
    names.
    """
    cryptic = {database.name: with_cryptic_names(database) for database in benchmark.databases}
    return replace(
        benchmark,
        databases=tuple(names.database for names in cryptic.values()),
        questions=tuple(_renamed(question, cryptic[question.database]) for question in benchmark.questions),
    )


def _renamed(question: Question, names: CrypticNames) -> Question:
    def rename(column: ColumnName) -> ColumnName:
        return names.tables[column[0]], names.columns[column]

    return replace(
        question,
        gold_tables=tuple(names.tables[table] for table in question.gold_tables),
        gold_joins=tuple((rename(one), rename(other)) for one, other in question.gold_joins),
        sql="",
    )
