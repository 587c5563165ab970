"""How a model computes its rankings: step by step on tensors, or in a faster way that gives the same ranking."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import torch

from joingr_pyg.data.queries import Queries
from joingr_pyg.models.explanation import DenseExplainedRanking, ExplainedRanking
from joingr_pyg.models.retriever import Ranking
from joingr_pyg.nn import WalkOutput

if TYPE_CHECKING:
    from joingr_pyg.models.trainable import TrainableRetriever


class Backend(ABC):
    """Ranks tables for a model with the weights that it has now, over the corpus that it is bound to now."""

    @abstractmethod
    def rank(self, queries: Queries, k: int) -> Ranking:
        """Rank tables.

        Args:
            queries: ``B`` questions.
            k: Number of tables to return, at least 1.

        Raises:
            JoinGRError: If ``k`` is below 1.
        """

    @abstractmethod
    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        """Rank tables like :meth:`rank`, and keep what explaining the first of them needs; arguments are the same."""


class TensorBackend(Backend):
    """The steps of a model one after another: evidence, walk, scores, ranking.

    It serves every model, on every device, and in training.

    Args:
        model: The model.
    """

    def __init__(self, model: "TrainableRetriever") -> None:
        self.model = model

    def rank(self, queries: Queries, k: int) -> Ranking:
        model = self.model
        evidence = model.evidence(queries)
        return model.ranking(model.scores(model(queries.vector, evidence), evidence), evidence, k)

    def explained(self, queries: Queries, k: int) -> ExplainedRanking:
        """Memory grows with the number of questions times the number of tables: give few questions at once."""
        model = self.model
        evidence = model.evidence(queries)
        output = model(queries.vector, evidence)
        ranking = model.ranking(model.scores(output, evidence), evidence, k)
        return self._explained(ranking, queries, evidence, output)

    def _explained(self, ranking: Ranking, queries: Queries, evidence: Any, output: WalkOutput) -> ExplainedRanking:
        """A ranking with the evidence and the walk that explain it."""
        model = self.model
        return DenseExplainedRanking(
            ranking,
            evidence.similarity,
            evidence.column,
            model.named_features(output, evidence),
            model.prior_terms(evidence),
            model.seeds(evidence),
            output if model.walks else None,
            lambda question: model.word_scores(queries.text[question]) if queries.text else {},
            lambda question: model.phrase_scores(queries[[question]], evidence[torch.tensor([question])]),
        )
