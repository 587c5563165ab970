"""How many tables to return: the probability that a ranked table is needed, from scores and the question's length."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import log1p
from typing import Self

import torch
from torch import Tensor
from torch.nn import functional as F

from joingr_pyg.errors import JoinGRError
from joingr_pyg.text.tokens import spelled

CANDIDATES = 25
"""Number of ranked tables per question that calibration reads; a returned set has at most so many."""

TYPICAL_LENGTH = 10
"""Words of a question that is assumed where its length is unknown."""

RIDGE = 1e-3
"""Ridge penalty; it keeps the weights finite where scores separate needed tables from others without error."""


@dataclass(frozen=True)
class Calibration:
    r"""A logistic model of whether the table in place ``r`` of a ranking is needed.

    .. math::
        \operatorname{logit} p_r = b + w_r \ln r + w_\pi \ln \pi_r + w_d\, d_r
        + (w_\ell + w_{r\ell} \ln r) \ln\tfrac{1 + \ell}{11}, \qquad \pi = \operatorname{softmax}(\kappa s)

    over the first :data:`CANDIDATES` scores :math:`s`, where :math:`d_r` is the share of :math:`\pi` in the table's
    database, and :math:`\ell` the number of words of the question that are no stop words, 10 where it is unknown:
    long questions need more tables. Scores may have any scale, because :math:`\kappa` is fitted too.

    Args:
        sharpness: :math:`\kappa`, above 0.
        bias: :math:`b`.
        place: :math:`w_r`.
        belief: :math:`w_\pi`.
        database: :math:`w_d`.
        length: :math:`w_\ell`.
        place_by_length: :math:`w_{r\ell}`.
    """

    sharpness: float
    bias: float
    place: float
    belief: float
    database: float
    length: float = 0.0
    place_by_length: float = 0.0

    @classmethod
    def fit(cls, score: Tensor, database: Tensor, needed: Tensor, length: Tensor | None = None) -> Self:
        """Maximise the likelihood of answered questions.

        Args:
            score: ``[Q, C]`` scores, descending, ``-inf`` for empty places.
            database: ``[Q, C]`` number of each table's database.
            needed: ``[Q, C]`` whether the table is needed.
            length: ``[Q]`` number of words of each question (:func:`lengths`), if known.

        Raises:
            JoinGRError: If there is no question.
        """
        filled = score > -torch.inf
        if not filled.any():
            raise JoinGRError("There is no answered question to calibrate on: give at least one.")
        score, target = score.double(), needed[filled].double()
        deviation = (score - score[:, :1])[filled].std(correction=0).clamp(min=1e-6)
        log_sharpness = (-deviation.log()).requires_grad_()
        weights = torch.zeros(6, dtype=torch.double, requires_grad=True)
        optimizer = torch.optim.LBFGS([log_sharpness, weights], max_iter=50, line_search_fn="strong_wolfe")

        def loss() -> Tensor:
            optimizer.zero_grad()
            logit = _features(score, database, log_sharpness.exp(), length)[filled] @ weights
            value = F.binary_cross_entropy_with_logits(logit, target) + RIDGE * weights[1:].square().sum()
            value.backward()
            return value.detach()

        with torch.enable_grad():
            optimizer.step(loss)
        return cls(log_sharpness.exp().item(), *weights.tolist())

    def probability(self, score: Tensor, database: Tensor, length: Tensor | None = None) -> Tensor:
        """``[B, C]`` probability that each table is needed, 0 in empty places; arguments as of :meth:`fit`."""
        sharpness, *weights = astuple(self)
        logit = _features(score, database, score.new_tensor(sharpness), length) @ score.new_tensor(weights)
        return logit.sigmoid().where(score > -torch.inf, 0)


def lengths(questions: Sequence[str]) -> Tensor:
    """``[B]`` number of words of each question that are no stop words."""
    return torch.tensor([float(len(spelled(question))) for question in questions])


def _features(score: Tensor, database: Tensor, sharpness: Tensor, length: Tensor | None) -> Tensor:
    """``[B, C, 6]`` inputs of the logistic model, in the order of its weights; finite in empty places."""
    filled = score > -torch.inf
    # Infinite scores are masked after the product, because their derivative is not a number.
    log_probability = (sharpness * score.where(filled, 0)).masked_fill(~filled, -torch.inf).log_softmax(dim=1)
    same = database.unsqueeze(1) == database.unsqueeze(2)
    share = (same * log_probability.exp().unsqueeze(1)).sum(dim=2)
    place = torch.arange(1, score.size(1) + 1, device=score.device).to(score).log().expand_as(score)
    long_question = torch.zeros_like(place)
    if length is not None:
        long_question = (length.to(score).log1p() - log1p(TYPICAL_LENGTH)).unsqueeze(1).expand_as(score)
    return torch.stack(
        [torch.ones_like(place), place, log_probability.where(filled, 0), share, long_question, long_question * place],
        dim=2,
    )


def set_sizes(probability: Tensor, complete: float) -> Tensor:
    r"""``[B]`` sizes of the smallest sets that are complete with a probability of at least ``complete``.

    A set is the first tables of a ranking; it is complete if no table after it is needed, which has the probability
    :math:`\prod_{r > k} (1 - p_r)`. Every set holds at least one table.

    Args:
        probability: ``[B, C]`` probability that each ranked table is needed.
        complete: Wanted probability, above 0 and below 1.

    Raises:
        JoinGRError: If ``complete`` is out of its range.
    """
    require_complete(complete)
    none_from_here = (1 - probability.double()).flip(1).cumprod(dim=1).flip(1)
    return (none_from_here < complete).sum(dim=1).clamp(min=1)


def require_complete(complete: float) -> None:
    """Refuse a number that is no probability.

    Raises:
        JoinGRError: If ``complete`` is not above 0 and below 1.
    """
    if not 0 < complete < 1:
        raise JoinGRError(f"'complete' needs to be a probability above 0 and below 1 (got {complete}).")
