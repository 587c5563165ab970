"""Training questions asked again on databases that look like warehouses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.datasets import JoinGraphs, Question
from joingr_pyg.errors import require_at_least, require_whole
from joingr_pyg.schema import TableName


@dataclass(frozen=True)
class Warehouses:
    """Databases with cryptic names, some of them taken together as one.

    A warehouse has a hundred tables where a database of a benchmark has seven, and spells few of its names out. What
    is learned on both kinds is of use on either.

    Args:
        dataset: The training split with cryptic names; its questions are the same as of the training, by their index.
        databases: How many databases are taken together, at least 1.

    Raises:
        JoinGRError: If ``databases`` is no whole number, or below 1.
    """

    dataset: JoinGraphs
    databases: int = 8

    def __post_init__(self) -> None:
        require_whole(**{"augmentation.databases": self.databases})
        require_at_least(1, **{"augmentation.databases": self.databases})

    def ask(self, dataset: JoinGraphs, questions: Sequence[Question]) -> tuple[Corpus, list[Question]]:
        """Ask questions of warehouses.

        Args:
            dataset: What they are asked of otherwise; no other database has a part in the warehouses.
            questions: The questions.

        Returns:
            The warehouses, and the questions with the names that their tables have there.
        """
        corpus = self.dataset.only({graph.database for graph in dataset}).corpus()
        databases = list(dict.fromkeys(database for database, _ in corpus.tables))
        parts = [databases[i : i + self.databases] for i in range(0, len(databases), self.databases)]
        warehouse = {database: " + ".join(part) for part in parts for database in part}

        def renamed(name: TableName) -> TableName:
            database, table = name
            return warehouse[database], f"{database}.{table}"

        def on_warehouse(question: Question) -> Question:
            database = question.database
            ends = [[(renamed((database, table))[1], column) for table, column in join] for join in question.gold_joins]
            return replace(
                question,
                database=warehouse[database],
                gold_tables=tuple(table for _, table in map(renamed, question.gold)),
                gold_joins=tuple((one, other) for one, other in ends),
            )

        cryptic = {question.index: question for question in self.dataset.questions}
        return (
            replace(corpus, tables=tuple(map(renamed, corpus.tables))),
            [on_warehouse(cryptic[question.index]) for question in questions],
        )
