"""Which tables the phrases of questions point at, in compiled code. Imported only where numba is installed."""

from typing import Any

import numpy as np

from joingr_pyg.kernels.compilation import compiled
from joingr_pyg.kernels.exponential import exp

Real = np.float32


@compiled
def match_phrases(
    context: Any,
    ptr: Any,
    similarity: Any,
    sharpness: Any,
    context_weight: Any,
    peak: Any,
    total: Any,
    first: Any,
    best: Any,
    within: Any,
    mean: Any,
) -> None:
    """Summaries of the phrases of each question (:class:`~joingr_pyg.models.phrase_matches.PhraseMatches`).

    Args:
        context: ``[B, T]`` scores of the whole questions.
        ptr: ``[B + 1]`` the phrases of question ``b`` are ``ptr[b]:ptr[b + 1]``.
        similarity: ``[P, T]`` similarities of phrases and the most similar columns of tables.
        sharpness: Factor of similarities.
        context_weight: Factor of the scores of whole questions.
        peak: As :func:`phrase_totals` writes it, for all tables of the corpus.
        total: Likewise.
        first: ``[D + 1]`` the tables of database ``d`` are ``first[d]:first[d + 1]``.
        best: ``[B, T]`` zeros, written: the largest probability.
        within: ``[B, T]`` zeros, written: the largest probability within the table's database.
        mean: ``[B, T]`` zeros, written: the mean probability within the table's database.
    """
    share = np.empty(similarity.shape[1], Real)
    for b in range(len(context)):
        part = Real(1.0) / Real(max(ptr[b + 1] - ptr[b], 1))
        for phrase in range(ptr[b], ptr[b + 1]):
            _exponentials(similarity[phrase], context[b], sharpness, context_weight, peak[phrase], share)
            scale = Real(1.0 / total[phrase])
            for d in range(first.size - 1):
                own = Real(1.0) / _sum(share, first[d], first[d + 1])
                for t in range(first[d], first[d + 1]):
                    best[b, t] = max(best[b, t], share[t] * scale)
                    within[b, t] = max(within[b, t], share[t] * own)
                    mean[b, t] += share[t] * own * part


@compiled
def phrase_totals(
    context: Any, ptr: Any, similarity: Any, sharpness: Any, context_weight: Any, peak: Any, total: Any
) -> None:
    """Write for each phrase ``[P]`` the largest logit of its softmax and the sum of exponentials of what others lack.

    The sums are taken in double precision, so that they are the same whether tables are summed in one part or several.
    Other arguments are those of :func:`match_phrases`.
    """
    share = np.empty(similarity.shape[1], Real)
    for b in range(len(context)):
        for phrase in range(ptr[b], ptr[b + 1]):
            peak[phrase] = _peak(similarity[phrase], context[b], sharpness, context_weight)
            _exponentials(similarity[phrase], context[b], sharpness, context_weight, peak[phrase], share)
            total[phrase] = 0.0
            for t in range(share.size):
                total[phrase] += share[t]


@compiled
def best_phrases(context: Any, similarity: Any, sharpness: Any, context_weight: Any, table: Any, phrase: Any) -> None:
    """Write for each of a few tables the phrase of one question that points at it most surely, the first of equals.

    Args:
        context: ``[T]`` score of the whole question.
        similarity: ``[S, T]`` similarities of its phrases, one or more.
        sharpness: As for :func:`match_phrases`.
        context_weight: As for :func:`match_phrases`.
        table: ``[K]`` tables.
        phrase: ``[K]``, written.
    """
    share, best = np.empty(context.size, Real), np.full(table.size, Real(-1.0))
    for s in range(len(similarity)):
        peak = _peak(similarity[s], context, sharpness, context_weight)
        _exponentials(similarity[s], context, sharpness, context_weight, peak, share)
        total = _sum(share, 0, share.size)
        for place in range(table.size):
            probability = share[table[place]] / total
            if probability > best[place]:
                best[place], phrase[place] = probability, s


@compiled
def _sum(values: Any, begin: Any, end: Any) -> Any:
    total = Real(0.0)
    for t in range(begin, end):
        total += values[t]
    return total


@compiled
def _peak(similarity: Any, context: Any, sharpness: Any, context_weight: Any) -> Any:
    """The largest logit of a phrase's softmax."""
    peak = Real(-np.inf)
    for t in range(similarity.size):
        peak = max(peak, sharpness * similarity[t] + context_weight * context[t])
    return peak


@compiled
def _exponentials(similarity: Any, context: Any, sharpness: Any, context_weight: Any, peak: Any, share: Any) -> None:
    """Write the terms of a phrase's softmax before they are normalised."""
    for t in range(share.size):
        share[t] = sharpness * similarity[t] + context_weight * context[t] - peak
    for t in range(share.size):
        share[t] = exp(share[t])
