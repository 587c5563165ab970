"""Answered questions vote for the tables that they needed."""

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
    r"""Ranks by votes of remembered questions, each weighed by its likeness to the one asked.

    .. math::
        m(t|q) = \sum_j w_j\, [t \in \mathrm{gold}_j], \qquad
        w = \operatorname{softmax}_j \big(\tau \cos(q, q_j)\big), \qquad
        \text{score} = m(t|q) + \lambda\, s(t|q)

    with :math:`s` the similarity of the vanilla retriever. This is the attention form of nearest neighbours (Nadaraya,
    1964; Vinyals et al., 2016), over whole questions. Questions none of whose gold tables are in the corpus have no
    vote; where nobody votes, the similarity ranks alone. Equal scores go by table number.

    Args:
        temperature: :math:`\tau`, at least 0: how much the nearest questions outweigh the others.
        similarity_weight: :math:`\lambda`, at least 0.
        null_similarity: Where given, a vote for no table joins the softmax with this cosine: questions much less alike
            than that are hardly heard.

    Raises:
        JoinGRError: If an argument is out of its range.
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
        self._asked: Tensor | None = None
        self._gold: Sequence[Sequence[TableName]] = ()
        self._voters: tuple[Tensor, csr_array] | None = None

    def index(self, corpus: Corpus) -> Self:
        self._voters = None
        return super().index(corpus)

    def remember(self, queries: Queries, gold: Sequence[Sequence[TableName]]) -> Self:
        self._voters = None
        self._asked, self._gold = queries.vector, gold
        return self

    def rank(self, queries: Queries, k: int) -> Ranking:
        similarity, _ = self.corpus.similarity(queries.vector)
        votes = self.votes(queries.vector)
        if votes is None:
            return rank_dense(similarity, k)
        return rank_dense(votes + self.similarity_weight * similarity if self.similarity_weight else votes, k)

    def votes(self, query: Tensor) -> Tensor | None:
        """``[B, T]`` votes :math:`m(t|q)` for questions ``[B, d]``, or ``None`` where nobody votes."""
        asked, needed = self._voters = self._voters or self._eligible()
        if not len(asked):
            return None
        alike = query @ asked.t()
        if self.null_similarity is not None:
            alike = torch.cat([alike, alike.new_full((len(alike), 1), self.null_similarity)], dim=1)
        weight = (self.temperature * alike).softmax(dim=1)[:, : len(asked)]
        return torch.from_numpy(weight.cpu().numpy() @ needed).to(query)

    def _eligible(self) -> tuple[Tensor, csr_array]:
        """``[M, d]`` questions that vote, and ``[M, T]`` with a one where they needed a table."""
        number = self.corpus.table_number
        needed = [sorted({number[table] for table in tables if table in number}) for tables in self._gold]
        voters = [row for row, tables in enumerate(needed) if tables]
        asked = self.corpus.x[:0] if self._asked is None else self._asked[voters]
        table = [table for row in voters for table in needed[row]]
        voter = np.repeat(np.arange(len(voters)), [len(needed[row]) for row in voters])
        shape = (len(voters), self.corpus.num_tables)
        return asked, csr_array((np.ones(len(table), np.float32), (voter, table)), shape=shape)
