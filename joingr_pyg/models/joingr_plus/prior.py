"""The prior of JoinGR+: how likely a question needs a table, before any walk."""

from collections.abc import Mapping
from functools import reduce

import torch
from torch import Tensor, nn

from joingr_pyg.models.joingr_plus.features import WEIGHTED, Feature


class TablePrior(nn.Module):
    r"""A weighted sum of features.

    .. math::
        b(t|q) = (1 - \omega) \max_{v \in V(t)} \langle q, v \rangle + \omega \langle q, \tau_t \rangle
        + \gamma\, \mathrm{bm25}(t|q) + \rho\, m(t|q) + \pi\, p(t|q)

    with the vector :math:`\tau_t` of the table's own text, the votes :math:`m` of remembered questions
    (:class:`~joingr_pyg.models.memory.QuestionMemory`) and the probabilities :math:`p` of phrases
    (:func:`~joingr_pyg.models.phrase_matches.phrase_matches`). A feature that the feature table adds has one more term.

    Args:
        table_vector: Initial :math:`\omega`; ``None`` leaves the table's own vector out.
        weights: Initial weights of the other terms, by their option: ``lexical`` (:math:`\gamma`), ``memory``
            (:math:`\rho`), ``phrases`` (:math:`\pi`); ``None`` leaves a term out. By default those of the features.
    """

    def __init__(self, table_vector: float | None = 0.3, **weights: float | None) -> None:
        super().__init__()
        self.mix_logit = None if table_vector is None else nn.Parameter(torch.tensor(table_vector).logit())
        for feature in WEIGHTED:
            weight = weights.get(feature.option, feature.value.initial_weight)
            self.register_parameter(feature.option, None if weight is None else nn.Parameter(torch.tensor(weight)))

    def uses(self, feature: Feature) -> bool:
        """Whether a feature's weight is learned here."""
        return getattr(self, feature.option, None) is not None

    def forward(self, features: Mapping[Feature, Tensor]) -> Tensor:
        """``[B, T]`` priors, from ``[B, T]`` values of the features."""
        return reduce(torch.add, self.terms(features).values())

    def terms(self, features: Mapping[Feature, Tensor]) -> dict[str, Tensor]:
        """The terms of the sum by name, ``[B, T]`` each."""
        similarity = features[Feature.SIMILARITY]
        if self.mix_logit is not None:
            similarity = torch.lerp(similarity, features[Feature.TABLE_SIMILARITY], self.mix_logit.sigmoid())
        weighted = (feature for feature in WEIGHTED if self.uses(feature))
        return {Feature.SIMILARITY.value.term: similarity} | {
            feature.value.term: getattr(self, feature.option) * features[feature] for feature in weighted
        }

    def weights(self) -> dict[Feature, float]:
        """The weight of each feature in the sum."""
        mix = 0.0 if self.mix_logit is None else self.mix_logit.sigmoid().item()
        return {Feature.SIMILARITY: 1 - mix, Feature.TABLE_SIMILARITY: mix} | {
            feature: getattr(self, feature.option).item() for feature in WEIGHTED if self.uses(feature)
        }
