"""kNN over answered questions: similar questions vote for the tables that they needed."""

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import require_at_least
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense
from joingr_pyg.schema import TableName


class NearestQuestions(Retriever):
    r"""Ranks tables by the votes of remembered questions, weighted by their similarity to the new question.

    .. math::
        m(t|q) = \sum_j w_j\, [t \in \mathrm{gold}_j], \qquad
        w = \operatorname{softmax}_j \big(\tau \cos(q, q_j)\big), \qquad
        \text{score} = m(t|q) + \lambda\, s(t|q)

    with :math:`s` the similarity of the vanilla retriever. This is kernel-weighted kNN, or attention over questions
    (Nadaraya, 1964; Vinyals et al., 2016). Questions without a gold table in the corpus do not vote. If no question
    votes, tables are ranked by similarity. Ties are broken by table number.

    Args:
        temperature: Inverse temperature :math:`\tau` of the softmax, at least 0.
        similarity_weight: :math:`\lambda`, at least 0.
        null_similarity: Cosine of an additional entry in the softmax that votes for no table. Questions with a much
            lower cosine then have almost no weight. ``None`` leaves it out.

    Raises:
        JoinGRError: If an argument is out of range.
    """

    remembers: ClassVar[bool] = True

    def __init__(
        self, temperature: float = 10.0, similarity_weight: float = 1.0, null_similarity: float | None = None
    ) -> None:
        super().__init__()
        require_at_least(0, temperature=temperature, similarity_weight=similarity_weight)
        self.temperature = temperature
        self.similarity_weight = similarity_weight
        self.null_similarity = null_similarity
        self._remembered: Tensor | None = None
        self._gold: Sequence[Sequence[TableName]] = ()
        self._neighbors: tuple[Tensor, csr_array] | None = None

    def index(self, corpus: Corpus) -> Self:
        self._neighbors = None
        return super().index(corpus)

    def remember(self, queries: Queries, gold: Sequence[Sequence[TableName]]) -> Self:
        self._neighbors = None
        self._remembered, self._gold = queries.vector, gold
        return self

    def rank(self, queries: Queries, k: int) -> Ranking:
        similarity, _ = self.corpus.similarity(queries.vector)
        votes = self.votes(queries.vector)
        if votes is None:
            return rank_dense(similarity, k)
        return rank_dense(votes + self.similarity_weight * similarity if self.similarity_weight else votes, k)

    def votes(self, query: Tensor) -> Tensor | None:
        """``[B, T]`` votes :math:`m(t|q)` for questions ``[B, d]``, or ``None`` if no question votes."""
        neighbors, needed = self._neighbors = self._neighbors or self._make_neighbors()
        if not len(neighbors):
            return None
        cosine = query @ neighbors.t()
        if self.null_similarity is not None:
            cosine = torch.cat([cosine, cosine.new_full((len(cosine), 1), self.null_similarity)], dim=1)
        weight = (self.temperature * cosine).softmax(dim=1)[:, : len(neighbors)]
        return torch.from_numpy(weight.cpu().numpy() @ needed).to(query)

    def _make_neighbors(self) -> tuple[Tensor, csr_array]:
        """``[M, d]`` questions that vote, and a ``[M, T]`` matrix that is 1 for the tables that they needed."""
        number = self.corpus.table_number
        needed = [sorted({number[table] for table in tables if table in number}) for tables in self._gold]
        voting = [row for row, tables in enumerate(needed) if tables]
        neighbors = self.corpus.x[:0] if self._remembered is None else self._remembered[voting]
        table = [table for row in voting for table in needed[row]]
        neighbor = np.repeat(np.arange(len(voting)), [len(needed[row]) for row in voting])
        shape = (len(voting), self.corpus.num_tables)
        return neighbors, csr_array((np.ones(len(table), np.float32), (neighbor, table)), shape=shape)
