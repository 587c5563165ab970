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

QUESTIONS_AT_ONCE = 8
"""Questions whose candidates go through a layer in one matrix product, which takes less time than many small ones.

Larger products start threads of the BLAS library, which compete with the threads that call this.
"""


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
def choose_seeds(prior: Any, sharpness: Any, table: Any, deposit: Any) -> None:
    """Write the anchors ``[B, A]`` with the best priors ``[B, T]``, and their deposits ``[B, A]``."""
    for b in range(len(prior)):
        best_of(prior[b], table[b], deposit[b])
        best, total = deposit[b, 0], Real(0.0)
        for place in range(table.shape[1]):
            deposit[b, place] = exp(sharpness * (deposit[b, place] - best))
            total += deposit[b, place]
        for place in range(table.shape[1]):
            deposit[b, place] /= total


@compiled
def fuse(prior: Any, prior_weight: Any, epsilon: Any, walk: Any, score: Any) -> None:
    """Write scores from priors and deposits ``walk``, which become their logarithm; all are ``[B, T]``."""
    for b in range(len(prior)):
        for t in range(prior.shape[1]):
            walk[b, t] = np.log(walk[b, t] + epsilon)
            score[b, t] = walk[b, t] + prior_weight * prior[b, t]


@compiled
def rerank(
    candidates: int,
    graph: tuple[Any, ...],
    input_row: Any,
    behind_best: Any,
    layers: tuple[Any, ...],
    constants: Any,
    features: Any,
    named: Any,
    database_share: Any,
    all_named: Any,
    score: Any,
) -> None:
    """Score the candidates once more, as :class:`~joingr_pyg.models.joingr_plus.CandidateReranker` does.

    Args:
        candidates: Number of candidates, at most ``T``.
        graph: ``[T]`` database of each table, and its neighbors as ``[T + 1]`` and ``[N]``.
        input_row: ``[M]`` feature of each input.
        behind_best: ``[M]`` whether the input is the difference to the best of all tables.
        layers: Weights of the layers, each ``[in, out]`` and before its bias if it has one; the first layer
            standardises its input.
        constants: Share of a name from which all of it counts as said, and the slack of messages.
        features: ``[F, B, T]`` all features.
        named: ``[B, T]`` part of ``features``: share of the name that is said.
        database_share: ``[B, T]`` part of ``features``, written for candidates: share of the softmax over all scores
            that falls on the table's database.
        all_named: ``[B, T]`` part of ``features``, written for candidates: whether all of the name is said.
        score: ``[B, T]`` scores; those of candidates change.
    """
    weight, bias, message_weight, hidden_weight, hidden_bias, out, out_bias = layers
    database = graph[0]
    at_once = min(QUESTIONS_AT_ONCE, len(score))
    table, fused = np.empty((at_once, candidates), np.int64), np.empty((at_once, candidates), Real)
    database_sum, best = np.empty(database.max() + 1, Real), np.zeros(input_row.size, Real)
    place_of = np.full(database.size, -1, np.int64)
    rows = at_once * candidates
    inputs = np.empty((rows, input_row.size), Real)
    hidden, from_own, from_messages = (
        np.empty((rows, bias.size), Real),
        np.empty((rows, bias.size), Real),
        np.empty((rows, bias.size), Real),
    )
    sent, received = np.empty((rows, message_weight.shape[1]), Real), np.empty((rows, message_weight.shape[1]), Real)
    for begin in range(0, len(score), at_once):
        # The last part may be smaller; the rows left from the part before are multiplied too, and not read.
        size = min(at_once, len(score) - begin)
        for b in range(size):
            best_of(score[begin + b], table[b], fused[b])
            _database_shares(score[begin + b], fused[b, 0], table[b], database, database_sum, database_share[begin + b])
            for place in range(candidates):
                all_named[begin + b, table[b, place]] = Real(named[begin + b, table[b, place]] > constants[0])
            for m in range(input_row.size):
                values = features[input_row[m], begin + b]
                if behind_best[m]:
                    best[m] = values[0]
                    for t in range(values.size):
                        best[m] = max(best[m], values[t])
                for place in range(candidates):
                    inputs[b * candidates + place, m] = values[table[b, place]] - best[m]
        np.dot(inputs, weight, hidden)
        for row in range(size * candidates):
            for h in range(bias.size):
                hidden[row, h] = max(hidden[row, h] + bias[h], Real(0.0))
        np.dot(hidden, message_weight, sent)
        for b in range(size):
            first, last = b * candidates, (b + 1) * candidates
            pass_messages(table[b], fused[b], graph, constants[1], place_of, sent[first:last], received[first:last])
        np.dot(hidden, hidden_weight[: bias.size], from_own)
        np.dot(received, hidden_weight[bias.size :], from_messages)
        for b in range(size):
            for place in range(candidates):
                row, change = b * candidates + place, out_bias
                for h in range(bias.size):
                    change += out[h] * max(from_own[row, h] + from_messages[row, h] + hidden_bias[h], Real(0.0))
                score[begin + b, table[b, place]] = fused[b, place] + change


@compiled
def _database_shares(score: Any, peak: Any, table: Any, database: Any, database_sum: Any, share: Any) -> None:
    """Write the softmax shares of the databases of some tables, ``share[table]``; other entries are overwritten."""
    database_sum[:] = Real(0.0)
    total = Real(0.0)
    for t in range(score.size):
        share[t] = exp(score[t] - peak)
        total += share[t]
    for t in range(score.size):
        database_sum[database[t]] += share[t]
    for place in range(table.size):
        share[table[place]] = database_sum[database[table[place]]] / total


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
    """Pass messages between candidates, relation by relation.

    Args:
        table: ``[C]`` the candidates, best first.
        fused: ``[C]`` their scores.
        graph: As for :func:`rerank`.
        slack: As for :func:`rerank`.
        place_of: ``[T]`` filled with ``-1``, and left so.
        sent: ``[C, R * m]`` message of each candidate.
        received: ``[C, R * m]``, written.
    """
    database, ptr, neighbor = graph
    size = sent.shape[1] // 2
    probability, together = np.empty(table.size, Real), np.zeros(table.size, Real)
    sums = np.zeros((table.size, size), Real)
    first = np.empty(table.size, np.int64)
    total = Real(0.0)
    for place in range(table.size):
        probability[place] = exp(fused[place] - fused[0])
        total += probability[place]
    for place in range(table.size):
        place_of[table[place]] = place
        probability[place] /= total
        # The sums of a database are kept at the place of its first candidate.
        first[place] = place
        for other in range(place):
            if database[table[other]] == database[table[place]]:
                first[place] = other
                break
        together[first[place]] += probability[place]
        add_row(probability[place], sent[place, size:], sums[first[place]])
    for place in range(table.size):
        received[place] = Real(0.0)
        joined = slack
        for edge in range(ptr[table[place]], ptr[table[place] + 1]):
            other = place_of[neighbor[edge]]
            if other >= 0:
                joined += probability[other]
                add_row(probability[other], sent[other, :size], received[place, :size])
        own = probability[place]
        others = together[first[place]] - own + slack
        for m in range(size):
            received[place, m] /= joined
            received[place, size + m] = (sums[first[place], m] - own * sent[place, size + m]) / others
    for place in range(table.size):
        place_of[table[place]] = -1


@compiled
def add_row(times: Any, row: Any, out: Any) -> None:
    """Add a row of a matrix times a number."""
    for h in range(row.size):
        out[h] += times * row[h]


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
