"""Data augmentation: training questions on merged databases with cryptic names, which resemble data warehouses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.datasets import JoinGraphs, Question
from joingr_pyg.errors import require_at_least, require_whole
from joingr_pyg.schema import TableName


@dataclass(frozen=True)
class Warehouses:
    """Databases with cryptic names, merged in groups into larger ones.

    A real warehouse has about a hundred tables and abbreviates most names; a benchmark database has about seven tables
    with readable names. Training on both makes a model useful on both.

    Args:
        dataset: The training split with cryptic names. Its questions have the same indices as the training questions.
        databases: Number of databases merged into one, at least 1.

    Raises:
        JoinGRError: If ``databases`` is not a whole number, or below 1.
    """

    dataset: JoinGraphs
    databases: int = 8

    def __post_init__(self) -> None:
        require_whole(**{"augmentation.databases": self.databases})
        require_at_least(1, **{"augmentation.databases": self.databases})

    def merge(self, dataset: JoinGraphs, questions: Sequence[Question]) -> tuple[Corpus, list[Question]]:
        """Merge the databases of a training dataset, and rename the tables of its questions accordingly.

        Args:
            dataset: The training dataset. Only its databases are merged.
            questions: Its training questions.

        Returns:
            The corpus of merged databases, and the questions with the names that their tables have in it.
        """
        corpus = self.dataset.only({graph.database for graph in dataset}).corpus()
        databases = list(dict.fromkeys(database for database, _ in corpus.tables))
        parts = [databases[i : i + self.databases] for i in range(0, len(databases), self.databases)]
        warehouse = {database: " + ".join(part) for part in parts for database in part}

        def rename_table(name: TableName) -> TableName:
            database, table = name
            return warehouse[database], f"{database}.{table}"

        def rename_in(question: Question) -> Question:
            database = question.database
            ends = [
                [(rename_table((database, table))[1], column) for table, column in join] for join in question.gold_joins
            ]
            return replace(
                question,
                database=warehouse[database],
                gold_tables=tuple(table for _, table in map(rename_table, question.gold)),
                gold_joins=tuple((one, other) for one, other in ends),
            )

        cryptic = {question.index: question for question in self.dataset.questions}
        return (
            replace(corpus, tables=tuple(map(rename_table, corpus.tables))),
            [rename_in(cryptic[question.index]) for question in questions],
        )
