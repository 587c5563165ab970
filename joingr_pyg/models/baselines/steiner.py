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
    r"""Ranks the most similar tables and the tables that connect them before all others.

    The ``A`` most similar tables are the terminals. A path table is a table on a shortest path between two terminals
    :math:`a, b`, that is :math:`d(a, t) + d(t, b) = d(a, b)` with distances in joins. The score of terminals and path
    tables is the similarity :math:`s(t|q)`, and that of other tables is :math:`s(t|q) - 2`. Ties are broken by table
    number.

    In SchemaGraphSQL a language model chooses the terminals; here the most similar tables are used. The union of all
    shortest paths is its variant with the highest recall.

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
        """The terminals and the tables on shortest paths between them.

        Args:
            terminals: ``[B, A]`` terminals, padded with ``-1``.

        Returns:
            ``[B, T]``, true for terminals and path tables.
        """
        distinct, position = np.unique(terminals[terminals >= 0], return_inverse=True)
        distance = dijkstra(self._graph, directed=False, indices=distinct, unweighted=True)
        rows = np.full(terminals.shape, -1)
        rows[terminals >= 0] = position
        all_connected = np.zeros((len(terminals), self.corpus.num_tables), bool)
        for connected, row, terminal in zip(all_connected, rows, terminals, strict=True):
            row, terminal = row[row >= 0], terminal[terminal >= 0]
            from_terminal = distance[row]  # [A, T]
            for a, from_a in enumerate(from_terminal):
                between = from_terminal[a, terminal][:, None]  # [A, 1]; infinite if there is no path
                connected |= ((from_a + from_terminal == between) & np.isfinite(between)).any(axis=0)
        return all_connected
