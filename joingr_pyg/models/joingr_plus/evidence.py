"""Evidence of JoinGR+: the features that learning does not change."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from joingr_pyg.models.evidence import Evidence
from joingr_pyg.models.joingr_plus.features import Feature


@dataclass(frozen=True)
class TableEvidence(Evidence):
    """What does not change while the model learns, for ``B`` questions and ``T`` tables.

    Attributes:
        features: ``[B, T]`` values of each feature that does not depend on what is learned.
        column: ``[B, T]`` the column of each table that is most similar to the question.
        remembered: ``[B, V]`` cosines of the questions and those remembered.
    """

    features: Mapping[Feature, Tensor]
    column: Tensor
    remembered: Tensor

    @property
    def similarity(self) -> Tensor:
        """``[B, T]`` cosine of each question and the most similar column of each table."""
        return self.features[Feature.SIMILARITY]
