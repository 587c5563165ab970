"""Explanations of rankings of large corpora, for which not every table has a score."""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.models.anchors import TableHits
from joingr_pyg.models.deposit_paths import DepositPaths
from joingr_pyg.models.explanation import ExplainedRanking, TableExplanation, join_steps
from joingr_pyg.models.retriever import Ranking
from joingr_pyg.models.walk_deposits import WalkDeposits, WalkSource
from joingr_pyg.nn import WalkOutput


class ReachedExplainedRanking(ExplainedRanking):
    """Compares a question with the explained tables and a sample of the others, and walks once more for the paths.

    Args:
        ranking: The ranking of ``B`` questions.
        query: ``[B, d]`` the questions.
        corpus: The tables.
        anchors: Their anchors, ``[B, A]``.
        walk: Walks for questions ``[B, d]`` from tables ``[B, A]`` with deposits ``[B, A]``.
    """

    def __init__(
        self,
        ranking: Ranking,
        query: Tensor,
        corpus: Corpus,
        anchors: TableHits,
        walk: Callable[[Tensor, Tensor, Tensor], WalkOutput],
    ) -> None:
        super().__init__(ranking)
        self._query, self._corpus, self._anchors, self._walk = query, corpus, anchors, walk
        self._outputs: dict[int, WalkOutput] = {}

    def features(self, question: int, table: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        number = torch.from_numpy(table).to(self._query.device)
        similarity, _ = self._corpus.similarity_of(self._query[[question]], torch.zeros_like(number), number)
        return {"similarity": similarity.float().cpu().numpy()}

    @torch.no_grad()
    def explain(self, question: int, count: int) -> list[TableExplanation]:
        ranked = self.first(question, count)
        if not ranked:
            return []
        query = self._query[[question]]
        table = torch.tensor([number for number, _ in ranked], device=query.device)
        similarity, column = self._corpus.similarity_of(query, torch.zeros_like(table), table)
        median = float(self._corpus.median_similarity(query))
        anchor, deposit = self._seeds(question)
        paths = DepositPaths(self._output(question))
        anchors = set(anchor[anchor >= 0].tolist())
        strong = set(anchor[(anchor >= 0) & (deposit >= deposit[anchor >= 0].mean())].tolist())
        cosines = similarity.tolist()
        return [
            TableExplanation(
                table=number,
                score=score,
                column=best_column,
                similarity=cosine,
                features={"similarity": cosine},
                contributions={"similarity": cosine - median},
                matched_words=(),
                phrase="",
                is_anchor=number in anchors,
                is_strong_anchor=number in strong,
                path=join_steps(paths, 0, number),
            )
            for (number, score), best_column, cosine in zip(ranked, column.tolist(), cosines, strict=True)
        ]

    def walk(self, question: int) -> WalkSource:
        anchor, deposit = self._seeds(question)
        # The model may be bound to other tables when this is called, so its walk is kept.
        return partial(WalkDeposits.of, self._output(question), 0, anchor[0], deposit[0])

    def _seeds(self, question: int) -> tuple[Tensor, Tensor]:
        """``[1, A]`` anchors of a question, and ``[1, A]`` their deposits."""
        return self._anchors.table[[question]], self._anchors.score[[question]].clamp(min=0)

    def _output(self, question: int) -> WalkOutput:
        """What the walks of a question leave."""
        if question not in self._outputs:
            self._outputs[question] = self._walk(self._query[[question]], *self._seeds(question))
        return self._outputs[question]
