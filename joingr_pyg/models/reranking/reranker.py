"""The reranker of any schema: a small network looks at each candidate alone, a second one also at its joins."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from joingr_pyg.models.joingr_plus.features import Feature
from joingr_pyg.models.reranking import features, join_features, phrase_features
from joingr_pyg.models.reranking.candidates import Candidates

Array = NDArray[Any]

CANDIDATES = 60
"""Number of tables that are ranked once more."""

LIKELY = 8
"""The mean score of so many candidates is that of an even chance."""

LIMIT = 5.0
"""Standard deviations at which numbers are cut off."""

PRIOR_SHARPNESS = 8.0
"""Factor of the differences of priors in their exponentials, the probabilities that the first network reads."""


class Scorer(nn.Module):
    r"""Scores each row of numbers :math:`\phi`: :math:`w_2 \operatorname{ReLU}(W_1 \bar\phi + b_1) + b_2`.

    The input :math:`\bar\phi` is standardised and cut off at :data:`LIMIT` standard deviations. Parameters are in
    double precision, so that scores are the same to the last digit of single precision wherever operands lie in memory.

    Args:
        channels: Length ``M`` of a row.
        hidden: Size of the hidden layer.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("deviation", torch.ones(channels))
        self.hidden = nn.Linear(channels, hidden)
        self.out = nn.Linear(hidden, 1)
        self.double()

    def forward(self, rows: Tensor) -> Tensor:
        """``[..., M]`` numbers to ``[...]`` scores in single precision."""
        rows = ((rows.double() - self.mean) / self.deviation).clamp_(-LIMIT, LIMIT)
        return self.out(self.hidden(rows).relu_()).squeeze(-1).float()


class TableReranker(nn.Module):
    r"""Ranks the candidates of a question once more, in two looks.

    1. A score :math:`f_1` from what is known of a candidate alone (:data:`~.features.NAMES`), and from what the joins
       make of the priors, :math:`p^0_c = \exp 8 (b_c - \max b)`.
    2. The probability :math:`p_c = \sigma(f_1(c) - \bar f)`, where :math:`\bar f` is the mean of the best
       :data:`LIKELY` scores; and a score :math:`f_2` from the same numbers, from what the joins
       (:func:`~.join_features.join_features`) and the phrases (:func:`~.phrase_features.phrase_features`) make of
       :math:`p`, and from :math:`p` itself.

    Args:
        hidden: Size of the hidden layer of each network.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        alone = len(features.NAMES) + len(join_features.NAMES) + 1
        self.first = Scorer(alone, hidden)
        self.second = Scorer(alone + len(join_features.NAMES) + 3 + len(phrase_features.NAMES), hidden)

    @torch.no_grad()
    def forward(self, candidates: Candidates) -> Array:
        """``[C]`` scores."""
        rows = first_look(candidates)
        score = self.first(torch.from_numpy(rows)).numpy()
        return self.second(torch.from_numpy(second_look(candidates, rows, score))).numpy()


def first_look(candidates: Candidates) -> Array:
    """``[C, M_1]`` numbers that the first network reads."""
    prior = candidates.features[Feature.PRIOR].astype(float)
    probability = np.exp(PRIOR_SHARPNESS * (prior - prior.max()))
    joins = join_features.join_features(candidates, probability)
    rows = [features.candidate_features(candidates), joins, probability[:, None]]
    return np.concatenate(rows, axis=1).astype(np.float32)


def second_look(candidates: Candidates, rows: Array, score: Array) -> Array:
    """``[C, M_2]`` numbers that the second network reads.

    Args:
        candidates: The candidates.
        rows: ``[C, M_1]`` what the first network read.
        score: ``[C]`` what it returned.
    """
    even = np.sort(score)[::-1][:LIKELY].mean()
    probability = 1 / (1 + np.exp(even - score.astype(float)))
    place = np.empty(len(score), np.float32)
    place[np.argsort(-score, kind="stable")] = np.arange(len(score))
    own = np.stack([probability, score - score.max(), np.log1p(place)], axis=1)
    joins = join_features.join_features(candidates, probability)
    phrases = phrase_features.phrase_features(candidates, probability)
    return np.concatenate([rows, joins, own, phrases], axis=1).astype(np.float32)
