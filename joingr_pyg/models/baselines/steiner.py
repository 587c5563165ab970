"""Shortest join paths between the most similar tables, as SchemaGraphSQL connects them (Safdarian et al., 2026)."""

from typing import Self

import numpy as np
import torch
from scipy.sparse.csgraph import dijkstra

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import require_at_least
from joingr_pyg.models.baselines.table_graph import table_graph
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense


class Steiner(Retriever):
    r"""Ranks the most similar tables first, then the tables that connect them, then all others.

    The ``A`` most similar tables are terminals. Every table on any of the shortest paths between two terminals, counted
    in joins, is a path table: :math:`d(a, t) + d(t, b) = d(a, b)` for terminals :math:`a, b`. Terminals without a path
    between them stand alone. Within each of the three groups tables go by similarity :math:`s(t|q)`, equal ones by
    table number. The score is the similarity for terminals and path tables, and :math:`s(t|q) - 2` for all others.

    SchemaGraphSQL lets a language model name the terminals; here similarity does. The union of all shortest paths is
    its variant of the best recall.

    Args:
        terminals: Number of terminals ``A``, at least 1.

    Raises:
        JoinGRError: If ``terminals`` is below 1.
    """

    def __init__(self, terminals: int = 5) -> None:
        super().__init__()
        require_at_least(1, terminals=terminals)
        self.terminals = terminals

    def index(self, corpus: Corpus) -> Self:
        super().index(corpus)
        self._graph = table_graph(corpus)
        return self

    def rank(self, queries: Queries, k: int) -> Ranking:
        hits = self.columns.search(queries.vector, self.terminals)
        similarity, _ = self.corpus.similarity(queries.vector)
        connected = torch.from_numpy(self.connected(hits.table.cpu().numpy())).to(similarity.device)
        return rank_dense(torch.where(connected, similarity, similarity - 2), k)

    def connected(self, terminals: np.ndarray) -> np.ndarray:
        """The tables that shortest paths connect.

        Args:
            terminals: ``[B, A]`` terminals, ``-1`` where there are fewer.

        Returns:
            ``[B, T]``, true for terminals and path tables.
        """
        known, place = np.unique(terminals[terminals >= 0], return_inverse=True)
        distance = dijkstra(self._graph, directed=False, indices=known, unweighted=True)
        rows = np.full(terminals.shape, -1)
        rows[terminals >= 0] = place
        found = np.zeros((len(terminals), self.corpus.num_tables), bool)
        for connected, row, terminal in zip(found, rows, terminals, strict=True):
            row, terminal = row[row >= 0], terminal[terminal >= 0]
            from_terminal = distance[row]  # [A, T]
            for a, here in enumerate(from_terminal):
                between = from_terminal[a, terminal][:, None]  # [A, 1]; infinite where there is no path
                connected |= ((here + from_terminal == between) & np.isfinite(between)).any(axis=0)
        return found
