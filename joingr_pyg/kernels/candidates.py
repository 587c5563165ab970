"""The reranker of JoinGR+ in compiled code. Imported only where numba is installed."""

from typing import Any

import numpy as np

from joingr_pyg.kernels.compilation import compiled
from joingr_pyg.kernels.exponential import exp
from joingr_pyg.kernels.joingr_plus import best_of

Real = np.float32

QUESTIONS_AT_ONCE = 8
"""Questions whose candidates go through a layer in one matrix product, which takes less time than many small ones.

Larger products start threads of the BLAS library, which compete with the threads that call this.
"""


@compiled
def gather_candidates(
    graph: tuple[Any, ...],
    input_row: Any,
    behind_best: Any,
    all_named_from: Any,
    features: Any,
    named: Any,
    all_named: Any,
    score: Any,
    gathered: tuple[Any, ...],
) -> None:
    """Gather what :func:`rerank` reads of the ``C`` tables with the best scores.

    Args:
        graph: ``[T]`` database of each table, and its neighbors as ``[T + 1]`` and ``[N]``.
        input_row: ``[M]`` feature of each input.
        behind_best: ``[M]`` whether the input is the difference to the best of all tables.
        all_named_from: Share of a name from which all of it counts as said.
        features: ``[F, B, T]`` all features.
        named: ``[B, T]`` part of ``features``: share of the name that is said.
        all_named: ``[B, T]`` part of ``features``, written for candidates: whether all of the name is said.
        score: ``[B, T]`` scores.
        gathered: Zeros, written: tables ``[B, C]``, best first and ``-1`` behind the last; their scores and databases;
            their inputs ``[B, C, M]``; whether two are joined ``[B, C, C]``; ``[B, C]`` sum of the exponentials of
            scores in the table's database, each less the largest score ``[B]``; ``[B]`` the sum of all; and ``[B, M]``
            the largest value of each input that is a difference to it.
    """
    table, fused, table_database, inputs, joined, share, peak, total, best = gathered
    database, ptr, neighbor = graph
    database_sum = np.empty(database.max() + 1, np.float64)
    place_of = np.full(database.size, -1, np.int64)
    for b in range(len(score)):
        best_of(score[b], table[b], fused[b])
        peak[b] = fused[b, 0]
        database_sum[:] = 0.0
        for t in range(database.size):
            database_sum[database[t]] += exp(score[b, t] - peak[b])
        for d in range(database_sum.size):
            total[b] += database_sum[d]
        for place in range(table.shape[1]):
            t = table[b, place]
            if t >= 0:
                place_of[t] = place
                table_database[b, place] = database[t]
                share[b, place] = database_sum[database[t]]
                all_named[b, t] = Real(named[b, t] > all_named_from)
        for m in range(input_row.size):
            values = features[input_row[m], b]
            if behind_best[m]:
                best[b, m] = values[0]
                for t in range(values.size):
                    best[b, m] = max(best[b, m], values[t])
            for place in range(table.shape[1]):
                if table[b, place] >= 0:
                    inputs[b, place, m] = values[table[b, place]]
        for place in range(table.shape[1]):
            t = table[b, place]
            if t >= 0:
                for edge in range(ptr[t], ptr[t + 1]):
                    other = place_of[neighbor[edge]]
                    if other >= 0:
                        joined[b, place, other] = True
        for place in range(table.shape[1]):
            if table[b, place] >= 0:
                place_of[table[b, place]] = -1


@compiled
def rerank(
    table: Any, fused: Any, database: Any, inputs: Any, joined: Any, layers: tuple[Any, ...], slack: Any, change: Any
) -> None:
    """How the scores of candidates change (:class:`~joingr_pyg.models.joingr_plus.CandidateReranker`).

    Args:
        table: ``[B, C]`` candidates, best first and ``-1`` behind the last.
        fused: ``[B, C]`` their scores.
        database: ``[B, C]`` their databases.
        inputs: ``[B, C, M]`` their inputs, differences to the best of all tables taken where they are meant.
        joined: ``[B, C, C]`` whether two are joined.
        layers: Weights of the layers, each ``[in, out]`` and before its bias if it has one; the first layer
            standardises its input.
        slack: The slack of messages.
        change: ``[B, C]``, written.
    """
    weight, bias, message_weight, hidden_weight, hidden_bias, out, out_bias = layers
    candidates = table.shape[1]
    at_once = min(QUESTIONS_AT_ONCE, len(table))
    rows = at_once * candidates
    chunk = np.zeros((rows, inputs.shape[2]), Real)
    hidden, from_own, from_messages = (
        np.empty((rows, bias.size), Real),
        np.empty((rows, bias.size), Real),
        np.empty((rows, bias.size), Real),
    )
    sent, received = np.empty((rows, message_weight.shape[1]), Real), np.zeros((rows, message_weight.shape[1]), Real)
    for begin in range(0, len(table), at_once):
        # The last part may be smaller; the rows left from the part before are multiplied too, and not read.
        size = min(at_once, len(table) - begin)
        for b in range(size):
            for place in range(candidates):
                for m in range(inputs.shape[2]):
                    chunk[b * candidates + place, m] = inputs[begin + b, place, m]
        np.dot(chunk, weight, hidden)
        for row in range(size * candidates):
            for h in range(bias.size):
                hidden[row, h] = max(hidden[row, h] + bias[h], Real(0.0))
        np.dot(hidden, message_weight, sent)
        for b in range(size):
            first, last = b * candidates, (b + 1) * candidates
            question = table[begin + b], fused[begin + b], database[begin + b], joined[begin + b]
            pass_messages(question, slack, sent[first:last], received[first:last])
        np.dot(hidden, hidden_weight[: bias.size], from_own)
        np.dot(received, hidden_weight[bias.size :], from_messages)
        for b in range(size):
            for place in range(candidates):
                row, added = b * candidates + place, out_bias
                for h in range(bias.size):
                    added += out[h] * max(from_own[row, h] + from_messages[row, h] + hidden_bias[h], Real(0.0))
                change[begin + b, place] = added


@compiled
def pass_messages(question: tuple[Any, ...], slack: Any, sent: Any, received: Any) -> None:
    """Pass messages between candidates, relation by relation.

    Args:
        question: Of one question ``[C]`` candidates, scores and databases, and ``[C, C]`` whether two are joined.
        slack: As for :func:`rerank`.
        sent: ``[C, R * m]`` message of each candidate.
        received: ``[C, R * m]``, written.
    """
    table, fused, database, joined = question
    size = sent.shape[1] // 2
    count = 0
    while count < table.size and table[count] >= 0:
        count += 1
    probability, together = np.empty(count, Real), np.zeros(count, Real)
    sums = np.zeros((count, size), Real)
    first = np.empty(count, np.int64)
    total = Real(0.0)
    for place in range(count):
        probability[place] = exp(fused[place] - fused[0])
        total += probability[place]
    for place in range(count):
        probability[place] /= total
        # The sums of a database are kept at the place of its first candidate.
        first[place] = place
        for other in range(place):
            if database[other] == database[place]:
                first[place] = other
                break
        together[first[place]] += probability[place]
        add_row(probability[place], sent[place, size:], sums[first[place]])
    for place in range(count):
        received[place] = Real(0.0)
        around = slack
        for other in range(count):
            if joined[place, other]:
                around += probability[other]
                add_row(probability[other], sent[other, :size], received[place, :size])
        own = probability[place]
        others = together[first[place]] - own + slack
        for m in range(size):
            received[place, m] /= around
            received[place, size + m] = (sums[first[place], m] - own * sent[place, size + m]) / others


@compiled
def add_row(times: Any, row: Any, out: Any) -> None:
    """Add a row of a matrix times a number."""
    for h in range(row.size):
        out[h] += times * row[h]
