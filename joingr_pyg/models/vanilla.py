"""The vanilla dense retriever: tables ranked by similarity."""

from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense


class Vanilla(Retriever):
    r"""Ranks tables by similarity, without joins (the baseline of section 4).

    Args:
        by: ``"column"`` uses the similarity of the best column, :math:`s(t|q) = \max_{v \in V(t)} \langle q, v
            \rangle`. ``"table"`` uses the embedding of the table's text, as dense table retrievers such as DTR do.

    Raises:
        JoinGRError: If ``by`` is neither ``"column"`` nor ``"table"``.
    """

    def __init__(self, by: str = "column") -> None:
        super().__init__()
        if by not in ("column", "table"):
            raise JoinGRError(f"'by' needs to be 'column' or 'table' (got {by!r}).")
        self.by = by

    def rank(self, queries: Queries, k: int) -> Ranking:
        if self.by == "table":
            return rank_dense(queries.vector @ self.corpus.table_x.t(), k)
        hits = self.columns.search(queries.vector, k)
        return Ranking(hits.table, hits.score)
