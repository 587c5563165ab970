"""The reranker of JoinGR+ in compiled code."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.models.joingr_plus.candidate_graph import CandidateGraph
from joingr_pyg.models.joingr_plus.features import ALL_NAMED_FROM, RERANK_INPUTS, Feature
from joingr_pyg.models.joingr_plus.findings import CandidateRows
from joingr_pyg.models.joingr_plus.reranker import MESSAGE_SLACK, CandidateReranker
from joingr_pyg.models.rounds import First

Array = NDArray[Any]

SHARES = [place for place, (feature, _) in enumerate(RERANK_INPUTS) if feature is Feature.DATABASE_SHARE]
BEHIND_BEST = np.array([scale.behind_best for _, scale in RERANK_INPUTS])


class CompiledReranker:
    """Scores candidates once more with the present weights, in two steps: the second knows those of all parts.

    Args:
        reranker: The reranker.
        graph: Joins and databases of the tables.
    """

    def __init__(self, reranker: CandidateReranker, graph: CandidateGraph) -> None:
        self._count = reranker.candidates
        self._graph = graph.database.numpy(), *(part.numpy() for part in graph.neighbors)
        self._input_row = np.array([feature.row for feature, _ in RERANK_INPUTS], np.int64)
        # The first layer standardises the inputs.
        weight = reranker.input.weight / reranker.deviation
        layers: tuple[Tensor, ...] = (
            *(weight.t(), reranker.input.bias - weight @ reranker.mean, reranker.message.weight.t()),
            *(reranker.hidden.weight.t(), reranker.hidden.bias, reranker.out.weight[0]),
        )
        self._layers = *(layer.contiguous().numpy() for layer in layers), np.float32(reranker.out.bias.item())

    def gather(self, features: Array, value: Mapping[Feature, Array], first: First) -> CandidateRows:
        """The candidates of a part.

        Args:
            features: ``[F, B, T]`` all features.
            value: The same by feature.
            first: Where the part begins in the whole corpus.
        """
        from joingr_pyg.kernels.candidates import gather_candidates

        count, width, inputs = features.shape[1], self._count, len(self._input_row)
        table = np.empty((count, width), np.int64)
        score = np.empty(table.shape, np.float32)
        database, rows = np.zeros_like(table), np.zeros((count, width, inputs), np.float32)
        joined, share = np.zeros((count, width, width), bool), np.zeros(table.shape)
        peak, total, best = np.empty(count, np.float32), np.zeros(count), np.zeros((count, inputs), np.float32)
        gather_candidates(
            *(self._graph, self._input_row, BEHIND_BEST, np.float32(ALL_NAMED_FROM), features),
            *(value[Feature.NAMED], value[Feature.ALL_NAMED], value[Feature.SCORE]),
            (table, score, database, rows, joined, share, peak, total, best),
        )
        table[table >= 0] += first.table
        return CandidateRows(table, score, database + first.database, rows, joined, share, peak, total, best)

    def changes(self, rows: CandidateRows) -> Array:
        """``[B, C]`` how the scores of the candidates of all parts change."""
        from joingr_pyg.kernels.candidates import rerank

        inputs = rows.inputs - np.where(BEHIND_BEST, rows.best, np.float32(0))[:, None]
        inputs[:, :, SHARES] = (rows.share / rows.total[:, None])[:, :, None]
        change = np.empty_like(rows.score)
        question = rows.table, rows.score, rows.database, inputs, rows.joined
        rerank(*question, self._layers, np.float32(MESSAGE_SLACK), change)
        return change
