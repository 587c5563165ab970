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
        first: ``[D + 1]`` the tables of database ``d`` are ``first[d]:first[d + 1]``.
        best: ``[B, T]`` zeros, written: the largest probability.
        within: ``[B, T]`` zeros, written: the largest probability within the table's database.
        mean: ``[B, T]`` zeros, written: the mean probability within the table's database.
    """
    share = np.empty(similarity.shape[1], Real)
    for b in range(len(context)):
        part = Real(1.0) / Real(max(ptr[b + 1] - ptr[b], 1))
        for phrase in range(ptr[b], ptr[b + 1]):
            scale = Real(1.0) / _exponentials(similarity[phrase], context[b], sharpness, context_weight, share)
            for d in range(first.size - 1):
                own = Real(1.0) / _sum(share, first[d], first[d + 1])
                for t in range(first[d], first[d + 1]):
                    best[b, t] = max(best[b, t], share[t] * scale)
                    within[b, t] = max(within[b, t], share[t] * own)
                    mean[b, t] += share[t] * own * part


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
        total = _exponentials(similarity[s], context, sharpness, context_weight, share)
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
def _exponentials(similarity: Any, context: Any, sharpness: Any, context_weight: Any, share: Any) -> Any:
    """Write the terms of a phrase's softmax before they are normalised; returns their sum."""
    peak, total = Real(-np.inf), Real(0.0)
    for t in range(share.size):
        share[t] = sharpness * similarity[t] + context_weight * context[t]
        peak = max(peak, share[t])
    for t in range(share.size):
        share[t] = exp(share[t] - peak)
        total += share[t]
    return total
