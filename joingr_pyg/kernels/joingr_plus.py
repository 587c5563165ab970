"""The steps of JoinGR+ in compiled code, one question at a time. Imported only where numba is installed.

Which signals there are, where they lie and how much each counts comes from outside: code that is kept on disk would not
notice a change in another file.
"""

from typing import Any

import numpy as np

from joingr_pyg.kernels.compilation import compiled
from joingr_pyg.kernels.exponential import exp

Real = np.float32

FEW = 64
"""Places up to which the best are found one after the other, without sorting."""


QUESTIONS_AT_ONCE = 8
"""Questions whose candidates go through a layer together: one large product takes less time than many small ones.

Larger ones yet are shared out by the library of products among threads of its own, which get in the way of ours.
"""


@compiled
def best_columns(product: Any, first: Any, best: Any) -> None:
    """The greatest of ``[B, N]`` products with the columns of each table.

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
def vote(likeness: Any, voter: Any, table: Any, temperature: Any, nothing: Any, votes: Any) -> None:
    """Votes of remembered questions.

    Args:
        likeness: ``[B, V]`` cosines with them.
        voter: Who votes, ...
        table: ... and for which table.
        temperature: What cosines are multiplied by.
        nothing: What the place of the softmax that votes for nothing has instead.
        votes: ``[B, T]`` zeros, added to.
    """
    weight = np.empty(likeness.shape[1], Real)
    for b in range(len(votes)):
        peak, total = nothing, Real(0.0)
        for v in range(weight.size):
            weight[v] = temperature * likeness[b, v]
            peak = max(peak, weight[v])
        for v in range(weight.size):
            weight[v] = exp(weight[v] - peak)
            total += weight[v]
        scale = Real(1.0) / (total + exp(nothing - peak))
        for place in range(voter.size):
            votes[b, table[place]] += weight[voter[place]] * scale


@compiled
def weigh(weight: Any, known: Any, out: Any) -> None:
    """Add to ``[B, T]`` the signals ``[S, B, T]``, each times its weight of ``[S]``."""
    for s in range(weight.size):
        if weight[s] != Real(0.0):
            for b in range(out.shape[0]):
                for t in range(out.shape[1]):
                    out[b, t] += weight[s] * known[s, b, t]


@compiled
def choose_seeds(prior: Any, sharpness: Any, table: Any, deposit: Any) -> None:
    """The anchors ``[B, A]`` that priors ``[B, T]`` speak for, and their deposits ``[B, A]``."""
    for b in range(len(prior)):
        best_of(prior[b], table[b], deposit[b])
        best, total = deposit[b, 0], Real(0.0)
        for place in range(table.shape[1]):
            deposit[b, place] = exp(sharpness * (deposit[b, place] - best))
            total += deposit[b, place]
        for place in range(table.shape[1]):
            deposit[b, place] /= total


@compiled
def fuse(prior: Any, prior_weight: Any, floor: Any, walked: Any, score: Any) -> None:
    """Bring together priors and what the walk left, which becomes its logarithm; all are ``[B, T]``."""
    for b in range(len(prior)):
        for t in range(prior.shape[1]):
            walked[b, t] = np.log(walked[b, t] + floor)
            score[b, t] = walked[b, t] + prior_weight * prior[b, t]


@compiled
def look_again(
    candidates: int,
    graph: tuple[Any, ...],
    signal: Any,
    behind: Any,
    layers: tuple[Any, ...],
    constants: Any,
    named: Any,
    known: Any,
    share: Any,
    whole: Any,
    score: Any,
) -> None:
    """Look at the tables that lead once more, and add to their scores.

    Args:
        candidates: Number of tables looked at, at most ``T``.
        graph: ``[T]`` database of each table, and its neighbours as ``[T + 1]`` and ``[N]``.
        signal: ``[M]`` signal of each measure, and ...
        behind: ``[M]`` ... whether it is how far a table is behind the best.
        layers: Weights of the layers, each ``[in, out]`` and before its bias where it has one.
        constants: From how much of a name on it counts as all of it, and the slack of messages.
        named: How much of names is said.
        known: ``[S, B, T]`` all signals, among them those that follow.
        share: How much of all belief is in a table's database; written for candidates.
        whole: Whether all of a name is said; written for candidates.
        score: Scores, added to.
    """
    weight, bias, message_weight, mixing, mixing_bias, out, last = layers
    database = graph[0]
    at_once = min(QUESTIONS_AT_ONCE, len(score))
    table, fused = np.empty((at_once, candidates), np.int64), np.empty((at_once, candidates), Real)
    belief, best = np.empty(database.max() + 1, Real), np.zeros(signal.size, Real)
    place_of = np.full(database.size, -1, np.int64)
    rows = at_once * candidates
    measures = np.empty((rows, signal.size), Real)
    hidden, mixed, told = (
        np.empty((rows, bias.size), Real),
        np.empty((rows, bias.size), Real),
        np.empty((rows, bias.size), Real),
    )
    sent, received = np.empty((rows, message_weight.shape[1]), Real), np.empty((rows, message_weight.shape[1]), Real)
    for begin in range(0, len(score), at_once):
        # Where fewer are left, products of what is there from before are made too, and not looked at.
        some = min(at_once, len(score) - begin)
        for b in range(some):
            best_of(score[begin + b], table[b], fused[b])
            _share_beliefs(score[begin + b], fused[b, 0], table[b], database, belief, share[begin + b])
            for place in range(candidates):
                whole[begin + b, table[b, place]] = Real(named[begin + b, table[b, place]] > constants[0])
            for m in range(signal.size):
                values = known[signal[m], begin + b]
                if behind[m]:
                    best[m] = values[0]
                    for t in range(values.size):
                        best[m] = max(best[m], values[t])
                for place in range(candidates):
                    measures[b * candidates + place, m] = values[table[b, place]] - best[m]
        np.dot(measures, weight, hidden)
        for row in range(some * candidates):
            for h in range(bias.size):
                hidden[row, h] = max(hidden[row, h] + bias[h], Real(0.0))
        np.dot(hidden, message_weight, sent)
        for b in range(some):
            first, last_one = b * candidates, (b + 1) * candidates
            pass_messages(
                table[b], fused[b], graph, constants[1], place_of, sent[first:last_one], received[first:last_one]
            )
        np.dot(hidden, mixing[: bias.size], mixed)
        np.dot(received, mixing[bias.size :], told)
        for b in range(some):
            for place in range(candidates):
                row, more = b * candidates + place, last
                for h in range(bias.size):
                    more += out[h] * max(mixed[row, h] + told[row, h] + mixing_bias[h], Real(0.0))
                score[begin + b, table[b, place]] = fused[b, place] + more


@compiled
def _share_beliefs(score: Any, peak: Any, table: Any, database: Any, belief: Any, share: Any) -> None:
    """How much of all belief is in the databases of some tables, ``share[table]``; ``belief`` is room for all."""
    belief[:] = Real(0.0)
    total = Real(0.0)
    for t in range(score.size):
        share[t] = exp(score[t] - peak)
        total += share[t]
    for t in range(score.size):
        belief[database[t]] += share[t]
    for place in range(table.size):
        share[table[place]] = belief[database[table[place]]] / total


@compiled
def pass_messages(
    table: Any,
    fused: Any,
    graph: tuple[Any, ...],
    slack: Any,
    place_of: Any,
    sent: Any,
    received: Any,
) -> None:
    """Tell candidates of the others, in the order of relations.

    Args:
        table: ``[C]`` the candidates, best first, and ...
        fused: ``[C]`` ... their scores.
        graph: As above.
        slack: As above.
        place_of: ``[T]`` all ``-1``, and so it is left.
        sent: ``[C, R * m]`` what each has to say.
        received: ``[C, R * m]``, written.
    """
    database, ptr, neighbor = graph
    size = sent.shape[1] // 2
    believed, together = np.empty(table.size, Real), np.zeros(table.size, Real)
    sums = np.zeros((table.size, size), Real)
    first = np.empty(table.size, np.int64)
    total = Real(0.0)
    for place in range(table.size):
        believed[place] = exp(fused[place] - fused[0])
        total += believed[place]
    for place in range(table.size):
        place_of[table[place]] = place
        believed[place] /= total
        # Sums over a database are kept where its first candidate is.
        first[place] = place
        for other in range(place):
            if database[table[other]] == database[table[place]]:
                first[place] = other
                break
        together[first[place]] += believed[place]
        add_row(believed[place], sent[place, size:], sums[first[place]])
    for place in range(table.size):
        received[place] = Real(0.0)
        near = slack
        for edge in range(ptr[table[place]], ptr[table[place] + 1]):
            other = place_of[neighbor[edge]]
            if other >= 0:
                near += believed[other]
                add_row(believed[other], sent[other, :size], received[place, :size])
        own = believed[place]
        apart = together[first[place]] - own + slack
        for m in range(size):
            received[place, m] /= near
            received[place, size + m] = (sums[first[place], m] - own * sent[place, size + m]) / apart
    for place in range(table.size):
        place_of[table[place]] = -1


@compiled
def add_row(times: Any, row: Any, out: Any) -> None:
    """Add a row of a matrix, times a number."""
    for h in range(row.size):
        out[h] += times * row[h]


@compiled
def rank(score: Any, table: Any, best: Any) -> None:
    """The tables with the best scores of ``[B, T]``, ``[B, k]``, and these, ``[B, k]``."""
    for b in range(len(score)):
        best_of(score[b], table[b], best[b])


@compiled
def best_of(values: Any, place: Any, best: Any) -> None:
    """The places of the greatest of some values, and these, best first; equal ones go by place, ``-1`` fills up."""
    k = min(place.size, values.size)
    place[k:], best[k:] = -1, Real(-np.inf)
    if k > FEW:
        order = np.argsort(-values, kind="mergesort")
        for i in range(k):
            place[i], best[i] = order[i], values[order[i]]
        return
    found = 0
    for j in range(values.size):
        if found < k:
            found += 1
        elif not values[j] > best[k - 1]:
            continue
        i = found - 1
        while i > 0 and best[i - 1] < values[j]:
            place[i], best[i] = place[i - 1], best[i - 1]
            i -= 1
        place[i], best[i] = j, values[j]
