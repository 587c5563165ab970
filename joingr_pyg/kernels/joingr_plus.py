"""The steps of JoinGR+ in compiled code, one question at a time. Imported only where numba is installed.

Features lie in one array ``[F, B, T]``. Which features there are, and what each is used for, are arguments.
"""

from typing import Any

import numpy as np

from joingr_pyg.kernels.compilation import compiled
from joingr_pyg.kernels.exponential import exp

Real = np.float32

INSERTION_LIMIT = 64
"""Number of best tables up to which they are found by insertion, without sorting all."""


@compiled
def best_columns(product: Any, first: Any, best: Any) -> None:
    """The largest product of each table's columns.

    Args:
        product: ``[B, N]`` products.
        first: ``[T + 1]`` the columns of table ``t`` are ``first[t]:first[t + 1]``, one or more.
        best: ``[B, T]``, written.
    """
    for b in range(len(best)):
        for t in range(first.size - 1):
            peak = product[b, first[t]]
            for v in range(first[t] + 1, first[t + 1]):
                peak = max(peak, product[b, v])
            best[b, t] = peak


@compiled
def vote(similarity: Any, neighbor: Any, table: Any, temperature: Any, null_logit: Any, votes: Any) -> None:
    """Votes of remembered questions, as :class:`~joingr_pyg.models.memory.QuestionMemory` defines them.

    Args:
        similarity: ``[B, V]`` cosines with the remembered questions.
        neighbor: ``[P]`` remembered question of each vote.
        table: ``[P]`` table of each vote.
        temperature: Factor of cosines.
        null_logit: Last entry of the softmax, which votes for no table.
        votes: ``[B, T]`` zeros, added to.
    """
    weight = np.empty(similarity.shape[1], Real)
    for b in range(len(votes)):
        peak, total = null_logit, Real(0.0)
        for v in range(weight.size):
            weight[v] = temperature * similarity[b, v]
            peak = max(peak, weight[v])
        for v in range(weight.size):
            weight[v] = exp(weight[v] - peak)
            total += weight[v]
        scale = Real(1.0) / (total + exp(null_logit - peak))
        for vote in range(neighbor.size):
            votes[b, table[vote]] += weight[neighbor[vote]] * scale


@compiled
def add_weighted(weight: Any, features: Any, out: Any) -> None:
    """Add to ``[B, T]`` the features ``[F, B, T]``, each times its weight of ``[F]``."""
    for f in range(weight.size):
        if weight[f] != Real(0.0):
            for b in range(out.shape[0]):
                for t in range(out.shape[1]):
                    out[b, t] += weight[f] * features[f, b, t]


@compiled
def share_out(sharpness: Any, deposit: Any) -> None:
    """Write the deposits ``[B, A]`` of anchors over their priors, of which the first is the best; ``-inf`` gets 0."""
    for b in range(len(deposit)):
        best, total = deposit[b, 0], Real(0.0)
        for place in range(deposit.shape[1]):
            is_empty = deposit[b, place] == Real(-np.inf)
            deposit[b, place] = Real(0.0) if is_empty else exp(sharpness * (deposit[b, place] - best))
            total += deposit[b, place]
        for place in range(deposit.shape[1]):
            deposit[b, place] /= total


@compiled
def fuse(prior: Any, prior_weight: Any, epsilon: Any, walk: Any, score: Any) -> None:
    """Write scores from priors and deposits ``walk``, which become their logarithm; all are ``[B, T]``."""
    for b in range(len(prior)):
        for t in range(prior.shape[1]):
            walk[b, t] = np.log(walk[b, t] + epsilon)
            score[b, t] = walk[b, t] + prior_weight * prior[b, t]


@compiled
def rank(score: Any, table: Any, best: Any) -> None:
    """Write the tables ``[B, k]`` with the best scores ``[B, T]``, and these scores ``[B, k]``."""
    for b in range(len(score)):
        best_of(score[b], table[b], best[b])


@compiled
def best_of(values: Any, place: Any, best: Any) -> None:
    """Write the places of the largest values and these, best first; equal values go by place, ``-1`` fills up."""
    k = min(place.size, values.size)
    place[k:], best[k:] = -1, Real(-np.inf)
    if k > INSERTION_LIMIT:
        order = np.argsort(-values, kind="mergesort")
        for i in range(k):
            place[i], best[i] = order[i], values[order[i]]
        return
    count = 0
    for j in range(values.size):
        if count < k:
            count += 1
        elif not values[j] > best[k - 1]:
            continue
        i = count - 1
        while i > 0 and best[i - 1] < values[j]:
            place[i], best[i] = place[i - 1], best[i - 1]
            i -= 1
        place[i], best[i] = j, values[j]
