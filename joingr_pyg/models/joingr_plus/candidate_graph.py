"""Which candidates are joined, and which share a database."""

from functools import cached_property

import torch
from torch import Tensor

from joingr_pyg.corpus import Corpus


class CandidateGraph:
    """The join graph of a corpus, asked for a few of its tables at a time.

    Args:
        corpus: The tables.

    Attributes:
        database: ``[T]`` database of each table.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.database = corpus.database
        self._num_tables = corpus.num_tables
        edges = corpus.edge_index.to(self.database.device)
        self._pairs = self._pair(*edges[:, edges[0] != edges[1]]).unique()

    def joined(self, table: Tensor) -> Tensor:
        """``[B, C, C]`` whether two of the tables ``[B, C]`` are joined; a table is not joined to itself."""
        if not len(self._pairs):
            return table.new_zeros(*table.shape, table.size(1), dtype=torch.bool)
        pair = self._pair(table.unsqueeze(2), table.unsqueeze(1))
        place = torch.searchsorted(self._pairs, pair).clamp(max=len(self._pairs) - 1)
        return self._pairs[place] == pair

    @cached_property
    def neighbors(self) -> tuple[Tensor, Tensor]:
        """The tables joined to table ``t`` are ``neighbor[ptr[t]:ptr[t + 1]]``: ``[T + 1]`` and ``[N]``."""
        left, right = self._pairs // self._num_tables, self._pairs % self._num_tables
        table, neighbor = torch.cat([left, right]), torch.cat([right, left])
        ptr = torch.bincount(table, minlength=self._num_tables).cumsum(0)
        return torch.cat([ptr.new_zeros(1), ptr]), neighbor[table.argsort(stable=True)]

    def _pair(self, left: Tensor, right: Tensor) -> Tensor:
        """A number for each two tables, whichever comes first."""
        return torch.minimum(left, right) * self._num_tables + torch.maximum(left, right)
