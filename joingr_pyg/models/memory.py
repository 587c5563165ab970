"""A kNN memory: answered questions vote for the tables that they needed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from typing import Any

import torch
from torch import Tensor, nn

from joingr_pyg.schema import TableName

SAME_QUESTION = 1 - 1e-5
"""Cosine from which a remembered question counts as the question itself."""


class QuestionMemory(nn.Module):
    r"""Votes of remembered questions, each weighted by its similarity to the question.

    .. math::
        m(t|q) = \sum_j w_j\, [t \in \mathrm{gold}_j], \qquad
        w = \operatorname{softmax}\big(\tau \cos(q, q_1), \ldots, \tau \cos(q, q_M), \tau c_0\big)

    This is a kernel-weighted nearest-neighbour vote over the ``M`` remembered questions. The last entry of the softmax
    votes for no table: questions much less similar than :math:`c_0` have little weight. An empty memory gives 0
    everywhere, so one model serves schemas without answered questions, too. In training a question is left out of its
    own votes.

    The remembered questions are part of the state that checkpoints keep. They may be added to, or cleared, at any time.

    Args:
        temperature: Initial :math:`\tau`.
        null: Initial :math:`c_0`.

    Attributes:
        neighbors: ``[V, d]`` the remembered questions that needed a table of the present corpus; a new tensor whenever
            they change.
        vote_neighbor: ``[P]`` for each vote, its row in ``neighbors``.
        vote_table: ``[P]`` for each vote, the table.
    """

    def __init__(self, temperature: float = 10.0, null: float = 0.3) -> None:
        super().__init__()
        self.temperature = nn.Parameter(torch.tensor(temperature))
        self.null = nn.Parameter(torch.tensor(null))
        self._vectors = torch.empty(0, 0)
        self._gold: list[tuple[TableName, ...]] = []
        self._table_number: Mapping[TableName, int] = {}
        self._elsewhere: Collection[TableName] = ()
        self._bind()

    def __len__(self) -> int:
        return len(self._gold)

    def add(self, vector: Tensor, gold: Sequence[Sequence[TableName]]) -> None:
        """Remember further questions.

        Args:
            vector: ``[M, d]`` the questions.
            gold: The tables that each of them needed.

        Raises:
            ValueError: If there are not as many vectors as sets of tables.
        """
        if len(vector) != len(gold):
            raise ValueError(f"'gold' needs to have one entry for each of {len(vector)} questions (got {len(gold)})")
        self._vectors = torch.cat([self._vectors, vector]) if len(self) else vector
        self._gold += [tuple((database, table) for database, table in tables) for tables in gold]
        self._bind()

    @property
    def gold(self) -> list[tuple[TableName, ...]]:
        """The tables that each remembered question needed, whether the corpus has them or not."""
        return list(self._gold)

    def has(self, vector: Tensor) -> Tensor:
        """``[M]`` whether the questions with these vectors ``[M, d]`` are remembered."""
        return self._same(vector).any(dim=1)

    def remove(self, vector: Tensor) -> None:
        """Forget the questions with these vectors ``[M, d]``, each as often as it was remembered."""
        kept = ~self._same(vector).any(dim=0)
        self._vectors = self._vectors[kept]
        self._gold = [tables for tables, is_kept in zip(self._gold, kept.tolist(), strict=True) if is_kept]
        self._bind()

    def _same(self, vector: Tensor) -> Tensor:
        """``[M, R]`` which of the ``R`` remembered questions have these vectors ``[M, d]``."""
        if not len(self):
            return torch.zeros(len(vector), 0, dtype=torch.bool)
        return vector @ self._vectors.t() > SAME_QUESTION

    def rename(self, names: Mapping[TableName, TableName]) -> None:
        """Count votes for some tables for tables of other names, such as after a schema was renamed."""
        self._gold = [tuple(names.get(table, table) for table in tables) for tables in self._gold]
        self._bind()

    def of_questions(self, keeps: Callable[[Sequence[TableName]], bool]) -> "QuestionMemory":
        """A memory of some of the questions, with the parameters of this one; it has to be bound to its tables.

        Args:
            keeps: Tells from the tables that a question needed whether it is among them.
        """
        rows = [row for row, tables in enumerate(self._gold) if keeps(tables)]
        other = copy(self)
        other._vectors, other._gold = self._vectors[rows], [self._gold[row] for row in rows]
        return other

    def clear(self) -> None:
        """Forget all questions."""
        self._vectors, self._gold = torch.empty(0, 0), []
        self._bind()

    def bind(self, table_number: Mapping[TableName, int], elsewhere: Collection[TableName] = ()) -> None:
        """Vote on these tables; questions that needed none of them have no vote.

        Args:
            table_number: Number of each table.
            elsewhere: Tables of other parts of the corpus. A question that needed one of them has a vote, too, which
                counts there.
        """
        self._table_number, self._elsewhere = table_number, elsewhere
        self._bind()

    def _bind(self) -> None:
        number, elsewhere = self._table_number, self._elsewhere
        needed = [sorted({number[table] for table in tables if table in number}) for tables in self._gold]
        rows = [
            row
            for row, (own, tables) in enumerate(zip(needed, self._gold, strict=True))
            if own or any(table in elsewhere for table in tables)
        ]
        votes = [(neighbor, table) for neighbor, row in enumerate(rows) for table in needed[row]]
        self.neighbors = self._vectors[rows]
        self.vote_neighbor, self.vote_table = torch.tensor(votes, dtype=torch.long).reshape(-1, 2).unbind(1)

    def similarity(self, query: Tensor) -> Tensor:
        """``[B, V]`` cosines of questions ``[B, d]`` and the ``V`` remembered questions with a vote."""
        return query @ self.neighbors.t() if len(self.neighbors) else query.new_zeros(len(query), 0)

    @property
    def null_logit(self) -> Tensor:
        r"""The last entry of the softmax, :math:`\tau c_0`."""
        return self.temperature * self.null

    def forward(self, similarity: Tensor) -> Tensor:
        """``[B, T]`` votes, from the cosines of :meth:`similarity`."""
        votes = similarity.new_zeros(len(similarity), len(self._table_number))
        if not similarity.size(1):
            # Zero, but a function of the parameters: training in several processes requires that all are used.
            return votes * self.null_logit
        logits = self.temperature * similarity
        if self.training:
            logits = logits.masked_fill(similarity > SAME_QUESTION, -torch.inf)
        weight = torch.cat([logits, self.null_logit.expand(len(logits), 1)], dim=1).softmax(dim=1)
        neighbor, table = self.vote_neighbor.to(votes.device), self.vote_table.to(votes.device)
        return votes.index_add(1, table, weight[:, neighbor])

    def get_extra_state(self) -> dict[str, Any]:
        return {"asked": self._vectors, "gold": [[list(table) for table in tables] for tables in self._gold]}

    def set_extra_state(self, state: dict[str, Any]) -> None:
        self._vectors = state["asked"]
        self._gold = [tuple((database, table) for database, table in tables) for tables in state["gold"]]
        self._bind()

    def extra_repr(self) -> str:
        return f"{len(self)} questions"
