"""Questions as batches of tensors, with everything that learning does not change made once."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.data import Dataset

from joingr_pyg.datasets import Question
from joingr_pyg.datasets.gold import gold_joins, gold_tables
from joingr_pyg.models import Evidence, JoinGR

CHUNK = 256


class QuestionBatch(NamedTuple):
    """``B`` questions on a corpus of ``T`` tables and ``J`` joins.

    Attributes:
        query: ``[B, d]`` embeddings.
        evidence: What the walk needs to know.
        gold: ``[B, G]`` gold table numbers, ``-1`` for empty places.
        gold_tables: ``[B, T]`` whether a table is gold.
        gold_edges: ``[B, J]`` whether a join edge is gold, where the benchmark annotates joins.
    """

    query: Tensor
    evidence: Evidence
    gold: Tensor
    gold_tables: Tensor
    gold_edges: Tensor


class QuestionSet(Dataset[QuestionBatch]):
    """Questions on one corpus, served in batches.

    Args:
        model: The retriever, bound to the corpus; it makes the evidence.
        questions: The questions.
        query: ``[Q, d]`` their embeddings.
    """

    def __init__(self, model: JoinGR, questions: Sequence[Question], query: Tensor) -> None:
        corpus = model.corpus
        self.query = query
        evidence = [model.evidence(chunk) for chunk in query.split(CHUNK)]
        self.evidence = Evidence(
            *(
                torch.cat([getattr(part, name) for part in evidence])
                for name in ("anchor", "deposit", "similarity", "column")
            )
        )
        self.gold = gold_tables(questions, corpus)
        self.gold_edges = gold_joins(questions, corpus)
        self.num_tables = corpus.num_tables
        self.num_joins = corpus.join_index.size(1)

    def __len__(self) -> int:
        return self.query.size(0)

    def __getitems__(self, indices: list[int]) -> QuestionBatch:
        rows = torch.tensor(indices)
        gold, edges = self.gold[rows], self.gold_edges[rows]
        return QuestionBatch(
            self.query[rows], self.evidence[rows], gold, _mask(gold, self.num_tables), _mask(edges, self.num_joins)
        )


def _mask(numbers: Tensor, width: int) -> Tensor:
    """``[B, width]`` membership of padded numbers."""
    # Empty places go to a column of their own, which is cut off again.
    mask = torch.zeros(numbers.size(0), width + 1, dtype=torch.bool)
    return mask.scatter_(1, numbers.where(numbers >= 0, width), True)[:, :width]
