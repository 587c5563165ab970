"""A benchmark whose schemas spell nothing out."""

from dataclasses import replace

from joingr_pyg.datasets.benchmark import Benchmark, ColumnName, Question
from joingr_pyg.schema.names.cryptic import CrypticNames, with_cryptic_names


def benchmark_with_cryptic_names(benchmark: Benchmark) -> Benchmark:
    """Abbreviate all names of a benchmark (:func:`~joingr_pyg.schema.names.cryptic.with_cryptic_names`).

    Gold tables and gold joins take the new names; questions are asked as before. Their SQL is left out: it reads tables
    of names that are gone.
    """
    cryptic = {database.name: with_cryptic_names(database) for database in benchmark.databases}
    return replace(
        benchmark,
        databases=tuple(each.database for each in cryptic.values()),
        questions=tuple(_renamed(question, cryptic[question.database]) for question in benchmark.questions),
    )


def _renamed(question: Question, names: CrypticNames) -> Question:
    def renamed(column: ColumnName) -> ColumnName:
        return names.tables[column[0]], names.columns[column]

    return replace(
        question,
        gold_tables=tuple(names.tables[table] for table in question.gold_tables),
        gold_joins=tuple((renamed(one), renamed(other)) for one, other in question.gold_joins),
        sql="",
    )
