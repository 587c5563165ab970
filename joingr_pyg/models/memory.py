"""Answered questions that vote for the tables they needed."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from joingr_pyg.schema import TableName

SAME = 1 - 1e-5
"""Cosine from which a remembered question is the one that is asked."""


class QuestionMemory(nn.Module):
    r"""Votes of remembered questions, each weighed by its likeness to the one asked.

    .. math::
        m(t|q) = \sum_j w_j\, [t \in \mathrm{gold}_j], \qquad
        w = \operatorname{softmax}\big(\tau \cos(q, q_1), \ldots, \tau \cos(q, q_M), \tau c_0\big)

    The last place of the softmax votes for nothing: questions much less alike than :math:`c_0` are hardly heard. An
    empty memory votes for nothing as well, so one model serves schemas that were never asked about. In training a
    question does not hear itself.

    What is remembered is part of the state that checkpoints keep, and may grow, or be emptied, at any time.

    Args:
        temperature: Initial :math:`\tau`.
        null: Initial :math:`c_0`.

    Attributes:
        voters: ``[V, d]`` the remembered questions that have a vote, made anew whenever they change.
        voter: Who casts each vote, ...
        table: ... and for which table.
    """

    def __init__(self, temperature: float = 10.0, null: float = 0.3) -> None:
        super().__init__()
        self.temperature = nn.Parameter(torch.tensor(temperature))
        self.null = nn.Parameter(torch.tensor(null))
        self._asked = torch.empty(0, 0)
        self._gold: list[tuple[TableName, ...]] = []
        self._number: Mapping[TableName, int] = {}
        self._bind()

    def __len__(self) -> int:
        return len(self._gold)

    def add(self, vector: Tensor, gold: Sequence[Sequence[TableName]]) -> None:
        """Remember further questions ``[M, d]`` with the tables that each of them needed.

        Raises:
            ValueError: If there are not as many vectors as sets of tables.
        """
        if len(vector) != len(gold):
            raise ValueError(f"'gold' needs to have one entry for each of {len(vector)} questions (got {len(gold)})")
        self._asked = torch.cat([self._asked, vector]) if len(self) else vector
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
        self._asked = self._asked[kept]
        self._gold = [tables for tables, is_kept in zip(self._gold, kept.tolist(), strict=True) if is_kept]
        self._bind()

    def _same(self, vector: Tensor) -> Tensor:
        """``[M, R]`` which of the ``R`` remembered questions have these vectors ``[M, d]``."""
        if not len(self):
            return torch.zeros(len(vector), 0, dtype=torch.bool)
        return vector @ self._asked.t() > SAME

    def rename(self, names: Mapping[TableName, TableName]) -> None:
        """Let votes for some tables count for tables of other names, such as after a schema was renamed."""
        self._gold = [tuple(names.get(table, table) for table in tables) for tables in self._gold]
        self._bind()

    def clear(self) -> None:
        """Forget all questions."""
        self._asked, self._gold = torch.empty(0, 0), []
        self._bind()

    def bind(self, table_number: Mapping[TableName, int]) -> None:
        """Vote on these tables; questions that needed none of them have no vote."""
        self._number = table_number
        self._bind()

    def _bind(self) -> None:
        needed = [sorted({self._number[table] for table in tables if table in self._number}) for tables in self._gold]
        voters = [row for row, tables in enumerate(needed) if tables]
        self.voters = self._asked[voters]
        self.voter = torch.tensor([voter for voter, row in enumerate(voters) for _ in needed[row]], dtype=torch.long)
        self.table = torch.tensor([table for row in voters for table in needed[row]], dtype=torch.long)

    def likeness(self, query: Tensor) -> Tensor:
        """``[B, V]`` cosines of questions ``[B, d]`` and the ``V`` remembered ones that have a vote."""
        return query @ self.voters.t() if len(self.voters) else query.new_zeros(len(query), 0)

    @property
    def nothing(self) -> Tensor:
        """What stands in the last place of the softmax."""
        return self.temperature * self.null

    def forward(self, likeness: Tensor) -> Tensor:
        """``[B, T]`` votes, given :meth:`likeness`."""
        votes = likeness.new_zeros(len(likeness), len(self._number))
        if not likeness.size(1):
            # Zero, but of the parameters: training in several processes wants to see all of them used.
            return votes * self.nothing
        heard = self.temperature * likeness
        if self.training:
            heard = heard.masked_fill(likeness > SAME, -torch.inf)
        nothing = self.nothing.expand(len(heard), 1)
        weight = torch.cat([heard, nothing], dim=1).softmax(dim=1)
        voter, table = self.voter.to(votes.device), self.table.to(votes.device)
        return votes.index_add(1, table, weight[:, voter])

    def get_extra_state(self) -> dict[str, Any]:
        return {"asked": self._asked, "gold": [[list(table) for table in tables] for tables in self._gold]}

    def set_extra_state(self, state: dict[str, Any]) -> None:
        self._asked = state["asked"]
        self._gold = [tuple((database, table) for database, table in tables) for tables in state["gold"]]
        self._bind()

    def extra_repr(self) -> str:
        return f"{len(self)} questions"
