"""What compiled code leaves of one pass over all tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from joingr_pyg.models.joingr_plus.features import Feature

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ScoredTables:
    """The scores of ``T`` tables for ``B`` questions, and all that they were made of.

    Attributes:
        features: ``[B, T]`` values of each feature; the score is that after reranking.
        column_similarity: ``[B, N]`` cosines of questions and columns.
        context: ``[B, T]`` scores of whole questions, the context of their phrases.
        seed: ``[B, A]`` tables that walks started from.
        seed_deposit: ``[B, A]`` their deposits.
        edge_potential: ``[B, J]`` potentials of joins.
        table_potential: ``[B, T]`` potentials of tables; empty if the walk does not count.
    """

    features: Mapping[Feature, Array]
    column_similarity: Array
    context: Array
    seed: Array
    seed_deposit: Array
    edge_potential: Array
    table_potential: Array

    @property
    def scores(self) -> Array:
        """``[B, T]`` scores after reranking."""
        return self.features[Feature.SCORE]
