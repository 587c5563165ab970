"""Personalised PageRank from the anchors (Haveliwala, 2002), as in HippoRAG (Gutiérrez et al., 2024)."""

from typing import Self

import numpy as np
import torch
from scipy.sparse import csr_array, diags_array
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError, require_at_least
from joingr_pyg.models.anchors import TableHits
from joingr_pyg.models.baselines.table_graph import table_graph
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense

TOLERANCE = 1e-7
"""The iteration stops when the scores of each question change by less than this in L1 norm."""


class PageRank(Retriever):
    r"""Ranks tables by personalised PageRank on the join graph.

    .. math::
        \pi = (1 - d)\, p + d\, (W^\top \pi + \delta\, p)

    The restart distribution :math:`p` is proportional to the similarities of the ``A`` most similar tables. :math:`W`
    is the transition matrix of the join graph, and :math:`\delta` the total score of tables without joins, from which
    the walk restarts. Tables that cannot be reached from an anchor are ranked last, by similarity.

    Args:
        anchors: Number of anchor tables ``A``, at least 1.
        damping: Damping factor :math:`d`, at least 0 and below 1.

    Raises:
        JoinGRError: If an argument is out of range.
    """

    def __init__(self, anchors: int = 5, damping: float = 0.5) -> None:
        super().__init__()
        require_at_least(1, anchors=anchors)
        if not 0 <= damping < 1:
            raise JoinGRError(f"'damping' needs to be at least 0 and below 1 (got {damping}).")
        self.anchors = anchors
        self.damping = damping

    def index(self, corpus: Corpus) -> Self:
        super().index(corpus)
        graph = table_graph(corpus)
        degree = graph.sum(axis=0)
        self._isolated = degree == 0
        self._transition = csr_array(graph @ diags_array(1 / np.maximum(degree, 1)))
        return self

    def rank(self, queries: Queries, k: int) -> Ranking:
        hits = self.columns.search(queries.vector, self.anchors)
        scores = torch.from_numpy(self.page_rank(self._restart(hits))).to(queries.vector)
        similarity, _ = self.corpus.similarity(queries.vector)
        # Scores of reached tables are positive, and a similarity minus 1 is at most 0.
        return rank_dense(torch.where(scores > 0, scores, similarity.clamp(max=1) - 1), k)

    def _restart(self, hits: TableHits) -> np.ndarray:
        """``[T, B]`` restart distributions: proportional to similarity, or uniform if no similarity is positive."""
        present = hits.table >= 0
        weight = hits.score.double().clamp(min=0).masked_fill(~present, 0)
        weight = torch.where(weight.sum(dim=1, keepdim=True) > 0, weight, present.double())
        restart: Tensor = weight.new_zeros(len(weight), self.corpus.num_tables)
        restart.scatter_add_(1, hits.table.clamp(min=0), weight / weight.sum(dim=1, keepdim=True))
        return restart.t().cpu().numpy()

    def page_rank(self, restart: np.ndarray) -> np.ndarray:
        r"""Iterate to the fixed point.

        Args:
            restart: ``[T, B]`` restart distributions :math:`p`.

        Returns:
            ``[B, T]`` distributions :math:`\pi`.
        """
        scores, change = restart, np.inf
        while change > TOLERANCE:
            stepped = self._transition @ scores + restart * scores[self._isolated].sum(axis=0)
            new = (1 - self.damping) * restart + self.damping * stepped
            change = np.abs(new - scores).sum(axis=0).max(initial=0)
            scores = new
        return scores.T
