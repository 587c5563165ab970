"""All walks of a question in compiled code. Imported only where numba is installed.

What the pass computes is the walk of :class:`~joingr_pyg.nn.JoinWalk`; what makes it fast is this:

- Breadth-first search and propagation are one loop. Everything is kept by the number a node or edge gets when the
  question first meets it, so a question touches little memory, and none in proportion to the graph.
- The sum of the four projections of a directed edge is made once a question; its anchors and hops share it.
- With centred projections the mean of the layer norm is zero, and its variance is a quadratic form of ``z`` and ``h``
  with coefficients made once a question. ``w · relu(γ x / s + β)`` is then ``w · (max(γ y + s β, -v) + v) / s``, where
  ``y`` is the shared sum and ``v`` the part of ``z`` and ``h``: three operations a channel.
- Where nodes own rows, all nodes that the walks will meet are known before the first walk. Their rows are compared with
  the question in the order of memory, which a processor reads ahead, and in 16 bits a number: half the memory of single
  precision, and enough to tell which row is nearest but where two are as good as equal. Then all projections that
  the walks need are fetched at once.
- All edges of a hop are scored in one flat loop: the branches of many short loops would cost more than the arithmetic.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from joingr_pyg.kernels.compilation import compiled
from joingr_pyg.kernels.exponential import exp

# Indices are unsigned, so that no code is made for those that count from the end, and never meet a signed number,
# with which numba would turn them into floating point.
Index = np.uint64
ONE = np.uint64(1)
NONE = np.uint64(2**64 - 1)
Real = np.float32
LOW = np.int64(2**32 - 1)
LEAST_VARIANCE_SHARE = Real(0.05)  # Of its terms: a smaller variance has lost too many digits.
CODES = Real(32767)
LINE = Index(16)  # Numbers of single precision that a processor fetches at once.
SMALLEST_REACH = Real(1e-30)  # More than is lost where numbers are too small to have all their digits.


@compiled
def encode(vectors: Any) -> Any:
    """Encode vectors with 16 bits per number, with bounds of the errors that dot products have by that.

    Args:
        vectors: ``[M, d]`` in single precision.

    Returns:
        ``[M, d]`` integers ``c``, and ``[M, 2]`` step ``s`` and radius ``r`` of each row: the dot products of a query
        ``q`` with the row and with ``s c``, both summed in single precision in any order, differ by at most ``r |q|``.
        This is the inequality of Cauchy and Schwarz for what ``s c`` leaves of the row, and the bound of Higham
        (Accuracy and Stability of Numerical Algorithms, section 3.1) for the rounding of both sums.
    """
    code = np.zeros(vectors.shape, np.int16)
    step_radius = np.zeros((vectors.shape[0], 2), Real)
    # Eight operations more than a sum has, for those around it.
    rounding = 1.01 * (vectors.shape[1] + 8) * 2.0**-24
    for row in range(vectors.shape[0]):
        peak, squares = Real(0.0), 0.0
        for k in range(vectors.shape[1]):
            peak = max(peak, abs(vectors[row, k]))
            squares += np.float64(vectors[row, k]) * np.float64(vectors[row, k])
        step = peak * Real(1 / CODES)
        # Rows that are zero or not finite keep codes of zero, and a radius that says so.
        if step > Real(0.0) and squares < np.inf:
            step_radius[row, 0] = step
            for k in range(vectors.shape[1]):
                code[row, k] = np.int16(min(max(np.rint(vectors[row, k] / step), -CODES), CODES))
        coded = rest = 0.0
        for k in range(vectors.shape[1]):
            decoded = np.float64(step_radius[row, 0]) * np.float64(code[row, k])
            left = np.float64(vectors[row, k]) - decoded
            coded += decoded * decoded
            rest += left * left
        step_radius[row, 1] = np.sqrt(rest) + rounding * (np.sqrt(squares) + np.sqrt(coded))
    return code, step_radius


@compiled
def nearest_row(query: Any, norm: Any, owned: Any, first: Any, last: Any, upper: Any) -> Any:
    """Find the first of the rows ``first:last`` whose dot product with the query, in single precision, is largest.

    The codes bound each product. The rows themselves, which are twice the memory, are read only where the bounds leave
    several candidates.

    Args:
        query: ``[d]``.
        norm: Length of the query.
        owned: Rows ``[M, d]`` and what :func:`encode` makes of them.
        first: First row.
        last: The row behind the last, above ``first``.
        upper: Memory for ``last - first`` numbers, written over.
    """
    vectors, code, step_radius = owned
    floor = Real(-np.inf)
    for row in range(first, last):
        middle = Real(0.0)
        for k in range(query.size):
            middle += query[k] * Real(code[row, k])
        middle *= step_radius[row, 0]
        reach = norm * step_radius[row, 1] + SMALLEST_REACH
        upper[row - first] = middle + reach
        floor = max(floor, middle - reach)
    best, candidates = first, 0
    for row in range(first, last):
        # So put, a bound that is no number leaves its row a candidate.
        if not upper[row - first] < floor:
            best = row
            candidates += 1
    if candidates == 1:
        return best
    best, peak = first, Real(-np.inf)
    for row in range(first, last):
        if not upper[row - first] < floor:
            similarity = Real(0.0)
            for k in range(query.size):
                similarity += query[k] * vectors[row, k]
            if similarity > peak:
                best, peak = row, similarity
    return best


@compiled
def _meet(ptr: Any, head: Any, seed: Any, hops: Any, local: Any, node: Any) -> Any:
    """Number the nodes that the walks of a question will meet, and return their count."""
    num_met = low = Index(0)
    for w in range(seed.size):
        if seed[w] >= 0:
            there = Index(seed[w])
            t = local[there]
            if t >= num_met or node[t] != there:
                local[there] = num_met
                node[num_met] = there
                num_met += ONE
    for _ in range(hops):
        high = num_met
        for i in range(low, high):
            for j in range(ptr[node[i]], ptr[node[i] + ONE]):
                there = head[j]
                t = local[there]
                if t >= num_met or node[t] != there:
                    local[there] = num_met
                    node[num_met] = there
                    num_met += ONE
        low = high
    return num_met


@compiled
def choose_rows(query: Any, owned: Any, first_vector: Any, node: Any, key: Any, node_row: Any, upper: Any) -> None:
    """Write the row that stands for each of the nodes; rows are compared in the order of memory."""
    squares = 0.0
    for k in range(query.size):
        squares += np.float64(query[k]) * np.float64(query[k])
    norm = Real(np.sqrt(squares))
    for i in range(node.size):
        key[i] = (np.int64(node[i]) << 32) + i
    key.sort()
    for packed in key:
        i, first = packed & LOW, first_vector[packed >> 32]
        last = first_vector[(packed >> 32) + 1]
        node_row[i] = first if first + ONE == last else nearest_row(query, norm, owned, first, last, upper)


def _fetching(typing: Any, array: Any, row: Any, column: Any) -> Any:
    """Prefetch the cache line of ``array[row, column]``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, place = signature.args[0], arguments[1:]
        start = context.make_array(kind)(context, builder, arguments[0])
        address = cgutils.get_item_pointer(context, builder, kind, start, place, wraparound=False)
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        call = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], call)
        # To be read, kept as near as can be, data.
        builder.call(fetch, [builder.bitcast(address, byte), flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(array, row, column), generate


_fetch: Any = intrinsic(_fetching)


@compiled
def _fetch_projections(graph: Any, features: Any, node: Any, node_row: Any) -> None:
    """Prefetch all projections that the walks will need, which is far faster than waiting for one after another."""
    ptr, _, edge_number, _ = graph
    edge_row, edge_dot, frontier_row, frontier_dot, neighbor_row, neighbor_dot, _, _ = features
    for i in range(node.size):
        for k in range(Index(0), Index(edge_row.shape[1]), LINE):
            _fetch(frontier_row, node_row[i], k)
            _fetch(neighbor_row, node_row[i], k)
        _fetch(frontier_dot, node_row[i], Index(0))
        _fetch(neighbor_dot, node_row[i], Index(0))
    for i in range(node.size):
        for j in range(ptr[node[i]], ptr[node[i] + ONE]):
            for k in range(Index(0), Index(edge_row.shape[1]), LINE):
                _fetch(edge_row, edge_number[j], k)
            _fetch(edge_dot, edge_number[j], Index(0))


@lru_cache
def walk_kernel(channels: int, weighted: bool) -> Callable[..., Any]:
    """The kernel for scorers of one hidden size, a constant for the compiler so that it unrolls loops.

    Args:
        channels: The hidden size. Zero makes every score zero, so shares are uniform.
        weighted: Whether terms of edges, such as the logarithms of their weights, are added to scores.
    """
    mean = Real(1.0 / max(channels, 1))

    @compiled
    def walk(begin: Any, end: Any, graph: Any, model: Any, features: Any, batch: Any, scratch: Any) -> Any:
        ptr, head, edge_number, term = graph
        query_weight, query_bias, gain, inverse_gain, shift, output, deposit_axis, hop_axis, moments, decay = model
        edge_row, edge_dot, frontier_row, frontier_dot, neighbor_row, neighbor_dot, first_vector, owned = features
        query, seed, seed_deposit, row = batch
        deposit_square, mixed, hop_square, deposit_offset, hop_offset, epsilon = moments
        local, node, node_row, start, mark, queue, key, deposit, score = scratch[0]  # A node that was met.
        base, far, square, along_deposit, along_hop = scratch[1]  # A directed edge that was met.
        opposite, offset, peak, total, query_sum, own = scratch[2]  # A node of the frontier.
        slot, source, deviation, inverse, share, weight = scratch[3]  # An edge out of the frontier.
        (upper,) = scratch[4]  # A row of a node.

        score_bits = score.view(np.int32)
        count = np.zeros(end - begin, np.int64)
        reached_node = np.empty(64 * (end - begin), np.int64)
        reached_bits = np.empty(64 * (end - begin), np.int32)
        num_reached = 0
        for b in range(begin, end):
            for k in range(channels + 2):
                query_sum[k] = query_bias[k]
                for d in range(query_weight.shape[1]):
                    query_sum[k] += query_weight[k, d] * query[b, d]

            for w in range(seed.shape[1]):
                if seed[b, w] >= local.size:
                    raise IndexError("'seed' names a node that does not exist")
            num_met = resolved = used = Index(0)
            if owned[1].shape[0] > 0 and row.shape[0] == 0:
                num_met = resolved = _meet(ptr, head, seed[b], decay.size, local, node)
                choose_rows(query[b], owned, first_vector, node[:num_met], key[:num_met], node_row, upper)
                _fetch_projections(graph, features, node[:num_met], node_row)
            for w in range(seed.shape[1]):
                if seed[b, w] < 0:
                    continue
                here = Index(seed[b, w])
                # A node has been met if its number, whatever was left there, leads back to it.
                i = local[here]
                if i >= num_met or node[i] != here:
                    i = num_met
                    local[here] = i
                    node[i] = here
                    num_met += ONE
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
                                if t >= num_met or node[t] != there:
                                    t = num_met
                                    local[there] = t
                                    node[t] = there
                                    num_met += ONE
                                far[used + j] = t
                            while resolved < num_met:
                                there = node[resolved]
                                node_row[resolved] = row[b, there] if row.shape[0] > 0 else first_vector[there]
                                if node_row[resolved] >= Index(frontier_row.shape[0]):
                                    raise IndexError("'row' names a row that does not exist")
                                resolved += ONE
                            r = node_row[i]
                            for k in range(channels):
                                own[k] = query_sum[k] + frontier_row[r, k]
                            own_deposit = query_sum[channels] + frontier_dot[r, 0]
                            own_hop = query_sum[channels + 1] + frontier_dot[r, 1]
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
                            if variance < LEAST_VARIANCE_SHARE * (square[s] + constant):
                                # The terms cancel: too few digits are left.
                                squares = Real(0.0)
                                for k in range(channels):
                                    y = (base[s, k] - opposite[m, k]) * inverse_gain[k]
                                    squares += y * y
                                variance = squares * mean + epsilon
                            deviation[edges] = variance
                            if weighted:
                                weight[edges] = term[first + s - start[i]]
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
                        if weighted:
                            share[j] += weight[j]
                        peak[m] = max(peak[m], share[j])
                    for j in range(edges):
                        share[j] -= peak[source[j]]
                    for j in range(edges):
                        share[j] = exp(share[j])
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
            for i in range(num_met):
                if score[i] > Real(0.0):
                    key[positive] = (np.int64(score_bits[i]) << 32) + LOW - np.int64(node[i])
                    positive += 1
                score[i] = Real(0.0)
                start[i] = NONE
                mark[i] = -1
            key[:positive].sort()
            if num_reached + positive > reached_node.size:
                reached_node = _grown(reached_node, 2 * (num_reached + positive))
                reached_bits = _grown(reached_bits, 2 * (num_reached + positive))
            for packed in key[:positive][::-1]:
                reached_node[num_reached] = LOW - (packed & LOW)
                reached_bits[num_reached] = packed >> 32
                num_reached += 1
            count[b - begin] = positive
        return count, reached_node[:num_reached], reached_bits[:num_reached].view(np.float32)

    return walk


@compiled
def _grown(array: Any, size: int) -> Any:
    grown = np.empty(size, array.dtype)
    grown[: array.size] = array
    return grown


def new_scratch(num_nodes: int, num_edges: int, channels: int, most_rows: int) -> tuple[tuple[Any, ...], ...]:
    """Working memory of one thread, in the state in which every call of the kernel leaves it.

    It is used from the front, and pages that are never touched cost nothing.
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
        (indices(num_edges), indices(num_edges), *(reals(num_edges) for _ in range(4))),
        (reals(most_rows),),
    )
