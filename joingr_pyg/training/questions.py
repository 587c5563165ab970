"""Questions as batches of tensors. Everything that training does not change is computed once."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.data import Dataset

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Question
from joingr_pyg.datasets.gold import gold_join_numbers, gold_table_numbers
from joingr_pyg.models import Evidence, TrainableRetriever

CHUNK = 256
"""Questions whose evidence is computed at once."""


class QuestionBatch(NamedTuple):
    """``B`` questions on a corpus of ``T`` tables and ``J`` joins.

    Attributes:
        query: ``[B, d]`` embeddings.
        evidence: The evidence on the questions, as the model computes it before the walk.
        gold: ``[B, G]`` gold table numbers, padded with ``-1``.
        gold_tables: ``[B, T]`` whether a table is gold.
        gold_edges: ``[B, J]`` whether a join edge is gold; all false where the benchmark annotates no joins.
        own_tables: ``[B, T]`` whether a table belongs to the question's database.
        own_edges: ``[B, J]`` whether a join edge belongs to the question's database.
        view: Position of their corpus in :class:`QuestionViews`.
    """

    query: Tensor
    evidence: Evidence
    gold: Tensor
    gold_tables: Tensor
    gold_edges: Tensor
    own_tables: Tensor
    own_edges: Tensor
    view: int = 0


class QuestionSet(Dataset[QuestionBatch]):
    """Questions on one corpus, served in batches.

    Args:
        model: The retriever, bound to the corpus; it computes the evidence.
        questions: The questions with their gold tables.
        queries: The same questions, embedded.
    """

    def __init__(self, model: TrainableRetriever, questions: Sequence[Question], queries: Queries) -> None:
        corpus = model.corpus
        self.query = queries.vector
        evidence = [model.evidence(chunk) for chunk in queries.split(CHUNK)]
        self.evidence = type(evidence[0]).cat(evidence)
        self.gold = gold_table_numbers(questions, corpus)
        self.gold_edges = gold_join_numbers(questions, corpus)
        number = dict(zip((database for database, _ in corpus.tables), corpus.database.tolist(), strict=True))
        self.database = torch.tensor([number[question.database] for question in questions])
        self.table_database = corpus.database
        self.edge_database = self.table_database[corpus.edge_index[0]]

    def __len__(self) -> int:
        return self.query.size(0)

    def __getitem__(self, indices: list[int]) -> QuestionBatch:
        rows = torch.tensor(indices, dtype=torch.long)  # The dtype matters when ``indices`` is empty.
        database = self.database[rows].unsqueeze(1)
        return QuestionBatch(
            query=self.query[rows],
            evidence=self.evidence[rows],
            gold=self.gold[rows],
            gold_tables=_mask(self.gold[rows], self.table_database.numel()),
            gold_edges=_mask(self.gold_edges[rows], self.edge_database.numel()),
            own_tables=self.table_database == database,
            own_edges=self.edge_database == database,
        )


class QuestionViews(Dataset[QuestionBatch]):
    """The same questions on several corpora. Each batch is on one corpus.

    Args:
        views: The questions on each corpus.
    """

    def __init__(self, views: Sequence[QuestionSet]) -> None:
        self.views = views

    def __len__(self) -> int:
        """The number of questions. Item ``v * len(self) + i`` is question ``i`` on corpus ``v``."""
        return len(self.views[0])

    def __getitem__(self, indices: list[int]) -> QuestionBatch:
        view = indices[0] // len(self) if indices else 0
        return self.views[view][[index - view * len(self) for index in indices]]._replace(view=view)


def _mask(numbers: Tensor, width: int) -> Tensor:
    """Turn ``[B, G]`` numbers, padded with ``-1``, into a ``[B, width]`` mask."""
    # Padding is written to an extra last column, which is then dropped.
    mask = torch.zeros(numbers.size(0), width + 1, dtype=torch.bool)
    return mask.scatter_(1, numbers.where(numbers >= 0, width), True)[:, :width]
