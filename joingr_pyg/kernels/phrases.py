"""What the phrases of questions point at, in compiled code. Imported only where numba is installed."""

from typing import Any

import numpy as np

from joingr_pyg.kernels.compilation import compiled
from joingr_pyg.kernels.exponential import exp

Real = np.float32


@compiled
def match_phrases(
    whole: Any,
    ptr: Any,
    similarity: Any,
    sharpness: Any,
    context: Any,
    first: Any,
    sure: Any,
    within: Any,
    mean: Any,
) -> None:
    """What the phrases of each question point at.

    Args:
        whole: ``[B, T]`` what questions say as a whole.
        ptr: ``[B + 1]`` the phrases of question ``b`` are ``ptr[b]:ptr[b + 1]``.
        similarity: ``[P, T]`` similarities of phrases and the best columns of tables.
        sharpness: What similarities are multiplied by, ...
        context: ... and what questions say as a whole.
        first: ``[D + 1]`` the tables of database ``d`` are ``first[d]:first[d + 1]``.
        sure: ``[B, T]`` zeros, which become the parts of :class:`~joingr_pyg.models.phrase_matches.PhraseMatches`, ...
        within: ... like these, ...
        mean: ... and these.
    """
    share = np.empty(similarity.shape[1], Real)
    for b in range(len(whole)):
        part = Real(1.0) / Real(max(ptr[b + 1] - ptr[b], 1))
        for place in range(ptr[b], ptr[b + 1]):
            scale = Real(1.0) / _choose(similarity[place], whole[b], sharpness, context, share)
            for d in range(first.size - 1):
                own = Real(1.0) / _sum(share, first[d], first[d + 1])
                for t in range(first[d], first[d + 1]):
                    sure[b, t] = max(sure[b, t], share[t] * scale)
                    within[b, t] = max(within[b, t], share[t] * own)
                    mean[b, t] += share[t] * own * part


@compiled
def _sum(values: Any, begin: Any, end: Any) -> Any:
    total = Real(0.0)
    for t in range(begin, end):
        total += values[t]
    return total


@compiled
def _choose(similarity: Any, whole: Any, sharpness: Any, context: Any, share: Any) -> Any:
    """What a phrase chooses, but for the sum of all shares, which is returned."""
    peak, total = Real(-np.inf), Real(0.0)
    for t in range(share.size):
        share[t] = sharpness * similarity[t] + context * whole[t]
        peak = max(peak, share[t])
    for t in range(share.size):
        share[t] = exp(share[t] - peak)
        total += share[t]
    return total
