"""One pass of compiled code over the walks of a question. Imported only where numba is installed.

What the pass computes is the walk of :class:`~joingr_pyg.nn.JoinWalk`; what makes it fast is this:

- Breadth-first search and propagation are one loop. Everything is kept by the number a node or edge gets when the
  question first meets it, so a question touches little memory, and none in proportion to the graph.
- The sum of the four projections of a directed edge is made once a question; its anchors and hops share it.
- With centred projections the mean of the layer norm is zero, and its variance is a quadratic form of ``z`` and ``h``
  with coefficients made once a question. ``w · relu(γ x / s + β)`` is then ``w · (max(γ y + s β, -v) + v) / s``, where
  ``y`` is the shared sum and ``v`` the part of ``z`` and ``h``: three operations a channel.
- All edges of a hop are scored in one flat loop: the branches of many short loops would cost more than the arithmetic.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch
from numba import njit

# Indices are unsigned, so that no code is made for those that count from the end, and never meet a signed number,
# with which numba would turn them into floating point.
Index = np.uint64
ONE = np.uint64(1)
NONE = np.uint64(2**64 - 1)
Real = np.float32
LOW = np.int64(2**32 - 1)
SLACK = Real(0.05)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function, once for all processes where there is a folder to keep the code in."""
    # Neither infinities nor NaNs are assumed away.
    compile_ = partial(njit, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "arcp", "contract", "afn"})
    try:
        return compile_(function, cache=True)
    except RuntimeError:  # There is no such folder.
        return compile_(function)


@compiled
def _exp(x: Any) -> Any:
    """Exponential of a number that is not positive, to single precision, in a form that compiles to vectors."""
    x = max(x, Real(-87.0))
    power = np.floor(x * Real(1.4426950408889634) + Real(0.5))
    rest = x - power * Real(0.6931471805599453)
    series = Real(1.9875691500e-4)
    series = series * rest + Real(1.3981999507e-3)
    series = series * rest + Real(8.3334519073e-3)
    series = series * rest + Real(4.1665795894e-2)
    series = series * rest + Real(1.6666665459e-1)
    series = series * rest + Real(5.0000001201e-1)
    series = series * rest * rest + rest + Real(1.0)
    return series * np.int32((np.int32(power) + np.int32(127)) << np.int32(23)).view(np.float32)


@compiled
def _nearest(query: Any, vectors: Any, first: Any, last: Any) -> Any:
    """The first of the rows ``first:last`` whose dot product with the query is largest."""
    best, peak = first, Real(-np.inf)
    for row in range(first, last):
        similarity = Real(0.0)
        for k in range(query.size):
            similarity += query[k] * vectors[row, k]
        if similarity > peak:
            best, peak = row, similarity
    return best


@lru_cache
def walk_kernel(channels: int) -> Callable[..., Any]:
    """The pass for scorers of one hidden size, known to the compiler so that it unrolls and keeps registers.

    Zero channels make every score zero, so shares are uniform.
    """
    mean = Real(1.0 / max(channels, 1))

    @compiled
    def walk(begin: Any, end: Any, graph: Any, model: Any, features: Any, batch: Any, scratch: Any) -> Any:
        ptr, head, edge_number = graph
        query_weight, query_bias, gain, inverse_gain, shift, output, deposit_axis, hop_axis, moments, decay = model
        edge_row, edge_dot, frontier_row, frontier_dot, neighbor_row, neighbor_dot, vectors, first_vector = features
        query, seed, seed_deposit, row = batch
        deposit_square, mixed, hop_square, deposit_offset, hop_offset, epsilon = moments
        local, node, node_row, start, mark, queue, key, deposit, score = scratch[0]  # A node that was met.
        base, far, square, along_deposit, along_hop = scratch[1]  # A directed edge that was met.
        opposite, offset, peak, total, asked, own = scratch[2]  # A node of the frontier.
        slot, source, deviation, inverse, share = scratch[3]  # An edge out of the frontier.

        score_bits = score.view(np.int32)
        count = np.zeros(end - begin, np.int64)
        found_node = np.empty(64 * (end - begin), np.int64)
        found_bits = np.empty(64 * (end - begin), np.int32)
        found = 0
        for b in range(begin, end):
            for k in range(channels + 2):
                asked[k] = query_bias[k]
                for d in range(query_weight.shape[1]):
                    asked[k] += query_weight[k, d] * query[b, d]

            known = resolved = used = Index(0)
            for w in range(seed.shape[1]):
                if seed[b, w] < 0:
                    continue
                here = Index(seed[b, w])
                if here >= Index(local.size):
                    raise IndexError("'seed' names a node that does not exist")
                # A node has been met if its number, whatever was left there, leads back to it.
                i = local[here]
                if i >= known or node[i] != here:
                    i = known
                    local[here] = i
                    node[i] = here
                    known += ONE
                mark[i] = w
                queue[0] = i
                low, high = Index(0), ONE
                for hop in range(decay.size):
                    h = Real(hop + 1)
                    edges = Index(0)
                    for place in range(low, high):
                        i = queue[place]
                        here = node[i]
                        first = ptr[here]
                        degree = ptr[here + ONE] - first
                        if start[i] == NONE:
                            start[i] = used
                            for j in range(degree):
                                there = head[first + j]
                                t = local[there]
                                if t >= known or node[t] != there:
                                    t = known
                                    local[there] = t
                                    node[t] = there
                                    known += ONE
                                far[used + j] = t
                            while resolved < known:
                                there = node[resolved]
                                if row.shape[0] > 0:
                                    node_row[resolved] = row[b, there]
                                elif first_vector[there] + ONE == first_vector[there + ONE]:
                                    node_row[resolved] = first_vector[there]
                                else:
                                    node_row[resolved] = _nearest(
                                        query[b], vectors, first_vector[there], first_vector[there + ONE]
                                    )
                                if node_row[resolved] >= Index(frontier_row.shape[0]):
                                    raise IndexError("'row' names a row that does not exist")
                                resolved += ONE
                            r = node_row[i]
                            for k in range(channels):
                                own[k] = asked[k] + frontier_row[r, k]
                            own_deposit = asked[channels] + frontier_dot[r, 0]
                            own_hop = asked[channels + 1] + frontier_dot[r, 1]
                            for j in range(degree):
                                e = edge_number[first + j]
                                r = node_row[far[used]]
                                squares = Real(0.0)
                                for k in range(channels):
                                    y = own[k] + edge_row[e, k] + neighbor_row[r, k]
                                    squares += y * y
                                    base[used, k] = y * gain[k]
                                square[used] = squares * mean
                                along_deposit[used] = own_deposit + edge_dot[e, 0] + neighbor_dot[r, 0]
                                along_hop[used] = own_hop + edge_dot[e, 1] + neighbor_dot[r, 1]
                                used += ONE

                        z = deposit[i] if hop > 0 else seed_deposit[b, w]
                        m = place - low
                        for k in range(channels):
                            opposite[m, k] = -(z * deposit_axis[k] + h * hop_axis[k])
                        offset[m] = z * deposit_offset + h * hop_offset
                        constant = z * z * deposit_square + Real(2.0) * z * h * mixed + h * h * hop_square + epsilon
                        z_factor, h_factor = Real(2.0) * mean * z, Real(2.0) * mean * h
                        peak[m] = Real(-np.inf)
                        total[m] = Real(0.0)
                        if degree > Index(0):
                            score[i] += z * decay[hop]
                        s = start[i]
                        for _ in range(degree):
                            variance = square[s] + z_factor * along_deposit[s] + h_factor * along_hop[s] + constant
                            if variance < SLACK * (square[s] + constant):
                                # The terms cancel: too few digits are left.
                                squares = Real(0.0)
                                for k in range(channels):
                                    y = (base[s, k] - opposite[m, k]) * inverse_gain[k]
                                    squares += y * y
                                variance = squares * mean + epsilon
                            deviation[edges] = variance
                            slot[edges] = s
                            source[edges] = m
                            s += ONE
                            edges += ONE

                    for j in range(edges):
                        inverse[j] = Real(1.0) / np.sqrt(deviation[j])
                        deviation[j] *= inverse[j]
                    for j in range(edges):
                        s, m = slot[j], source[j]
                        scale = deviation[j]
                        product = Real(0.0)
                        for k in range(channels):
                            product += output[k] * max(base[s, k] + scale * shift[k], opposite[m, k])
                        share[j] = (product + offset[m]) * inverse[j]
                        peak[m] = max(peak[m], share[j])
                    for j in range(edges):
                        share[j] -= peak[source[j]]
                    for j in range(edges):
                        share[j] = _exp(share[j])
                    for j in range(edges):
                        total[source[j]] += share[j]
                    for place in range(low, high):
                        z = deposit[queue[place]] if hop > 0 else seed_deposit[b, w]
                        total[place - low] = z * decay[hop] / total[place - low]

                    low = high
                    for j in range(edges):
                        laid = share[j] * total[source[j]]
                        t = far[slot[j]]
                        deposit[t] += laid
                        # Without a branch: whether an edge leads on is as good as random.
                        queue[high] = t
                        high += Index(mark[t] != w)
                        mark[t] = w
                    if low == high:
                        break
                for place in range(high):
                    i = queue[place]
                    score[i] += deposit[i]
                    deposit[i] = Real(0.0)

            # The order of positive floats is that of their bits; equal scores go by node, smallest first.
            positive = 0
            for i in range(known):
                if score[i] > Real(0.0):
                    key[positive] = (np.int64(score_bits[i]) << 32) + LOW - np.int64(node[i])
                    positive += 1
                score[i] = Real(0.0)
                start[i] = NONE
                mark[i] = -1
            key[:positive].sort()
            if found + positive > found_node.size:
                found_node = _grown(found_node, 2 * (found + positive))
                found_bits = _grown(found_bits, 2 * (found + positive))
            for packed in key[:positive][::-1]:
                found_node[found] = LOW - (packed & LOW)
                found_bits[found] = packed >> 32
                found += 1
            count[b - begin] = positive
        return count, found_node[:found], found_bits[:found].view(np.float32)

    return walk


@compiled
def _grown(array: Any, size: int) -> Any:
    grown = np.empty(size, array.dtype)
    grown[: array.size] = array
    return grown


def new_scratch(num_nodes: int, num_edges: int, channels: int) -> tuple[tuple[Any, ...], ...]:
    """Memory of one thread for a graph with so many directed edges, as a pass leaves it for the next.

    It is used from the front, and pages never touched cost nothing.
    """

    def indices(size: int) -> Any:
        return np.empty(size, Index)

    def reals(*shape: int) -> Any:
        return torch.empty(shape).numpy()  # Aligned to cache lines, which numpy's own memory is not.

    local, start, mark = np.zeros(num_nodes, Index), np.full(num_nodes, NONE), np.full(num_nodes, -1)
    deposit, score = np.zeros(num_nodes, Real), np.zeros(num_nodes, Real)
    node, node_row, queue, key = *(indices(num_nodes) for _ in range(2)), indices(num_nodes + 1), mark.copy()
    return (
        (local, node, node_row, start, mark, queue, key, deposit, score),
        (reals(num_edges, channels), indices(num_edges), *(reals(num_edges) for _ in range(3))),
        (reals(num_nodes, channels), *(reals(num_nodes) for _ in range(3)), reals(channels + 2), reals(channels)),
        (indices(num_edges), indices(num_edges), *(reals(num_edges) for _ in range(3))),
    )
