"""The vanilla dense retriever: a table is as similar as its most similar column."""

from joingr_pyg.models.retriever import Ranking, Retriever
from joingr_pyg.queries import Queries


class Vanilla(Retriever):
    r"""Ranks by :math:`s(t|q) = \max_{v \in V(t)} \langle q, v \rangle` alone (the baseline of section 4)."""

    def rank(self, queries: Queries, k: int) -> Ranking:
        hits = self.columns.search(queries.vector, k)
        return Ranking(hits.table, hits.score)
