"""Similarities of columns through products in 8 bits, in compiled code. Imported only where numba is installed.

``columns`` below are ``[N, d]`` vectors, ``[N]`` steps of their codes, ``[T + 1]`` the first column of each table, and
``[T, 2]`` the greatest length, and greatest length of what codes leave, of its columns. ``coded`` are ``[P, d]``
vectors that are compared with them, ``[P, 3]`` what :func:`encode` tells of these, and ``[P, N]`` products of the
codes.
"""

from typing import Any

import numpy as np

from joingr_pyg.nn.fused_kernel import Index, Real, compiled, exp

LARGEST = Real(127)

SLACK = Real(1e-5)
"""What sums in single precision may be off, and more."""


@compiled
def encode(vectors: Any) -> Any:
    """Vectors in 8 bits a number.

    Args:
        vectors: ``[M, d]`` in single precision.

    Returns:
        ``[M, d]`` integers, and ``[M, 3]`` of each row: the step they are multiples of, its length, and how long what
        they leave of it is.
    """
    code = np.empty(vectors.shape, np.int8)
    about = np.empty((vectors.shape[0], 3), Real)
    for row in range(vectors.shape[0]):
        peak = Real(0.0)
        for k in range(vectors.shape[1]):
            peak = max(peak, abs(vectors[row, k]))
        step = peak / LARGEST
        inverse = LARGEST / peak if peak > Real(0.0) else Real(0.0)
        square, left = Real(0.0), Real(0.0)
        for k in range(vectors.shape[1]):
            multiple = np.rint(vectors[row, k] * inverse)
            code[row, k] = np.int8(multiple)
            rest = vectors[row, k] - multiple * step
            square += vectors[row, k] * vectors[row, k]
            left += rest * rest
        about[row, 0], about[row, 1], about[row, 2] = step, np.sqrt(square), np.sqrt(left)
    return code, about


@compiled
def rough_similarities(columns: tuple[Any, ...], coded: tuple[Any, ...], best: Any) -> None:
    """The similarity of each table's best column by codes, ``[P, T]``."""
    _, step, first, _ = columns
    _, about, product = coded
    for p in range(len(best)):
        for t in range(first.size - 1):
            peak = Real(-np.inf)
            for v in range(first[t], first[t + 1]):
                peak = max(peak, Real(product[p, v]) * step[v])
            best[p, t] = peak * about[p, 0]


@compiled
def refine(columns: tuple[Any, ...], coded: tuple[Any, ...], likely: Any, wanted: Any, best: Any) -> None:
    """Turn rough similarities into such of single precision.

    Products of what codes leave are bounded by Cauchy and Schwarz, so most columns cannot be the best one. The vectors
    take turns at each table, whose columns stay at hand.

    Args:
        columns: See above.
        coded: See above.
        likely: Which part of the bound to allow for.
        wanted: ``[P, T]`` whether a similarity is wanted.
        best: ``[P, T]`` rough similarities, written over.
    """
    column, step, first, reach = columns
    vector, about, product = coded
    candidate = np.empty(step.size + 1, Index)
    for t in range(first.size - 1):
        for p in range(len(best)):
            if not wanted[p, t]:
                continue
            far = likely * (about[p, 2] * reach[t, 0] + (about[p, 1] + about[p, 2]) * reach[t, 1])
            least = (best[p, t] - Real(2.0) * far - SLACK) / about[p, 0]
            some = Index(0)
            for v in range(first[t], first[t + 1]):
                # Without a branch, which would go wrong once a table.
                candidate[some] = v
                some += Index(Real(product[p, v]) * step[v] >= least)
            peak = Real(-np.inf)
            for place in range(some):
                v = candidate[place]
                similarity = Real(0.0)
                for k in range(column.shape[1]):
                    similarity += vector[p, k] * column[v, k]
                peak = max(peak, similarity)
            best[p, t] = peak


@compiled
def want(whole: Any, ptr: Any, phrase: Any, constants: Any, best: Any, first: Any, wanted: Any) -> None:
    """Tell which tables a phrase gives a share that counts.

    Args:
        whole: ``[B, T]`` what questions say as a whole.
        ptr: ``[B + 1]`` the phrases of question ``b`` are ``phrase[ptr[b]:ptr[b + 1]]``.
        phrase: Rows of ``best``.
        constants: Sharpness, weight of ``whole``, and the shares that count, of all and of a database.
        best: ``[P, T]`` similarities.
        first: ``[D + 1]`` the tables of database ``d`` are ``first[d]:first[d + 1]``.
        wanted: ``[P, T]`` set to true where they count.
    """
    share = np.empty(best.shape[1], Real)
    for b in range(len(whole)):
        for place in range(ptr[b], ptr[b + 1]):
            p = phrase[place]
            enough = constants[2] * _choose(best[p], whole[b], constants, share)
            for d in range(first.size - 1):
                least = min(enough, constants[3] * _sum(share, first[d], first[d + 1]))
                for t in range(first[d], first[d + 1]):
                    wanted[p, t] |= share[t] >= least


@compiled
def phrase_matches(
    whole: Any, ptr: Any, phrase: Any, constants: Any, best: Any, first: Any, found: tuple[Any, ...]
) -> None:
    """What the phrases of each question point at.

    Args:
        whole: As above, and so are those up to ``best``.
        ptr: See there.
        phrase: See there.
        constants: See there.
        best: See there.
        first: See there.
        found: The ``[B, T]`` parts of :class:`~joingr_pyg.models.phrase_matches.PhraseMatches`, written.
    """
    sure, within, mean = found
    share = np.empty(best.shape[1], Real)
    for b in range(len(whole)):
        sure[b, :], within[b, :], mean[b, :] = Real(0.0), Real(0.0), Real(0.0)
        part = Real(1.0) / Real(ptr[b + 1] - ptr[b])
        for place in range(ptr[b], ptr[b + 1]):
            scale = Real(1.0) / _choose(best[phrase[place]], whole[b], constants, share)
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
def _choose(similarity: Any, whole: Any, constants: Any, share: Any) -> Any:
    """What a phrase chooses, but for the sum of all shares, which is returned."""
    peak, total = Real(-np.inf), Real(0.0)
    for t in range(share.size):
        share[t] = constants[0] * similarity[t] + constants[1] * whole[t]
        peak = max(peak, share[t])
    for t in range(share.size):
        share[t] = exp(share[t] - peak)
        total += share[t]
    return total
