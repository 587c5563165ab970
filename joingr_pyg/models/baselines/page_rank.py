"""Personalised PageRank from the anchors (Haveliwala, 2002), as HippoRAG spreads relevance (Gutiérrez et al., 2024)."""

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
"""Change of a question's scores, summed over tables, below which the iteration has arrived."""


class PageRank(Retriever):
    r"""Ranks by where a random surfer stays who starts anew at an anchor every so often.

    .. math::
        \pi = (1 - d)\, p + d\, (W^\top \pi + \delta\, p)

    where :math:`p` is proportional to the similarities of the ``A`` most similar tables, :math:`W` steps to one of the
    joined tables at random, and :math:`\delta` is the share of tables without any join, whose surfers start anew. The
    tables that no path reaches from an anchor come behind all others, by similarity.

    Args:
        anchors: Number of anchor tables ``A``, at least 1.
        damping: Chance :math:`d` of a step rather than a new start, from 0 to below 1.

    Raises:
        JoinGRError: If an argument is out of its range.
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
        self._alone = degree == 0
        self._step = csr_array(graph @ diags_array(1 / np.maximum(degree, 1)))
        return self

    def rank(self, queries: Queries, k: int) -> Ranking:
        hits = self.columns.search(queries.vector, self.anchors)
        start = self._start(hits)
        scores = torch.from_numpy(self.spread(start)).to(queries.vector)
        similarity, _ = self.corpus.similarity(queries.vector)
        # A similarity is at most 1, so taking 1 off puts it behind every share, which is positive.
        return rank_dense(torch.where(scores > 0, scores, similarity.clamp(max=1) - 1), k)

    def _start(self, hits: TableHits) -> np.ndarray:
        """``[T, B]`` where surfers start: in proportion to similarity, or evenly where no anchor is similar."""
        present = hits.table >= 0
        weight = hits.score.double().clamp(min=0).masked_fill(~present, 0)
        weight = torch.where(weight.sum(dim=1, keepdim=True) > 0, weight, present.double())
        start: Tensor = weight.new_zeros(len(weight), self.corpus.num_tables)
        start.scatter_add_(1, hits.table.clamp(min=0), weight / weight.sum(dim=1, keepdim=True))
        return start.t().cpu().numpy()

    def spread(self, start: np.ndarray) -> np.ndarray:
        r"""Iterate to the fixed point.

        Args:
            start: ``[T, B]`` distributions :math:`p`.

        Returns:
            ``[B, T]`` distributions :math:`\pi`.
        """
        share, change = start, np.inf
        while change > TOLERANCE:
            stepped = self._step @ share + start * share[self._alone].sum(axis=0)
            new = (1 - self.damping) * start + self.damping * stepped
            change = np.abs(new - share).sum(axis=0).max(initial=0)
            share = new
        return share.T
