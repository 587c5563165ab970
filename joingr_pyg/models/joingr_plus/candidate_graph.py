"""Which candidates of the reranker are joined, and which share a database."""

from copy import copy
from functools import cached_property
from typing import Self

import torch
from torch import Tensor

from joingr_pyg.data.corpus import Corpus


class CandidateGraph:
    """The join graph of a corpus, for look-ups of a few tables at a time.

    Args:
        database: ``[T]`` database of each table.
        edge_index: ``[2, J]`` joins of tables.

    Attributes:
        database: ``[T]`` database of each table.
        num_databases: Number of databases.
    """

    def __init__(self, database: Tensor, edge_index: Tensor) -> None:
        self.database = database
        self.num_databases = int(database.max()) + 1
        self._num_tables = len(database)
        self._pairs = self._pair(*edge_index[:, edge_index[0] != edge_index[1]]).unique()

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        """The join graph of a corpus."""
        return cls(corpus.database, corpus.edge_index)

    def to(self, device: torch.device) -> Self:
        """The same graph on ``device``."""
        moved = copy(self)
        moved.__dict__.pop("neighbors", None)
        moved.database, moved._pairs = self.database.to(device), self._pairs.to(device)
        return moved

    def joined(self, table: Tensor) -> Tensor:
        """``[B, C, C]`` whether two of the tables ``[B, C]`` are joined; a table is not joined to itself."""
        if not len(self._pairs):
            return table.new_zeros(*table.shape, table.size(1), dtype=torch.bool)
        pair = self._pair(table.unsqueeze(2), table.unsqueeze(1))
        position = torch.searchsorted(self._pairs, pair).clamp(max=len(self._pairs) - 1)
        return self._pairs[position] == pair

    @cached_property
    def neighbors(self) -> tuple[Tensor, Tensor]:
        """The tables joined to table ``t`` are ``neighbor[ptr[t]:ptr[t + 1]]``: ``[T + 1]`` and ``[N]``."""
        left, right = self._pairs // self._num_tables, self._pairs % self._num_tables
        table, neighbor = torch.cat([left, right]), torch.cat([right, left])
        ptr = torch.bincount(table, minlength=self._num_tables).cumsum(0)
        return torch.cat([ptr.new_zeros(1), ptr]), neighbor[table.argsort(stable=True)]

    def _pair(self, left: Tensor, right: Tensor) -> Tensor:
        """One number for each pair of tables, in either order."""
        return torch.minimum(left, right) * self._num_tables + torch.maximum(left, right)
