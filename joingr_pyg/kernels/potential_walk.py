"""Compiled walks whose edge scores do not depend on deposits. Imported only where numba is installed."""

from typing import Any

import numpy as np

from joingr_pyg.kernels.compilation import compiled
from joingr_pyg.kernels.join_walk import ONE, Index, Real


@compiled
def potential_walks(
    graph: tuple[Any, ...],
    decay: Any,
    edge_potential: Any,
    node_potential: Any,
    seed: Any,
    seed_deposit: Any,
    score: Any,
) -> None:
    """Walk from all seeds ``[B, A]``; adds node scores ``[B, N]`` to ``score``.

    The shares of a node's edges are computed once per query, when a walk first expands the node; later walks and hops
    only multiply. One array sums what each node receives in a walk: the sum at the hop that expands the node is its
    standing deposit, and the sum at the end is a part of its score.

    Args:
        graph: Outgoing edges of node ``f`` are ``ptr[f]:ptr[f + 1]``, with far ends ``head`` and numbers ``edge``, all
            unsigned, and for each of them a term of its score, such as the logarithm of its weight, or no terms.
        decay: ``[H]``.
        edge_potential: ``[B, E]``.
        node_potential: ``[B, N]``.
        seed: ``[B, A]``, ``-1`` where there are fewer.
        seed_deposit: ``[B, A]``.
        score: ``[B, N]``.
    """
    ptr, head, _, _ = graph
    num_nodes = ptr.size - 1
    share = np.empty(head.size, np.float32)
    shared = np.full(num_nodes, -1)  # The last query that made the shares of a node.
    met = np.full(num_nodes, -1)  # The last walk that met a node.
    received, standing = np.zeros(num_nodes, Real), np.empty(num_nodes, Real)
    queue = np.empty(num_nodes + 1, Index)  # With a place for what is written before it is known to be new.
    walk = -1
    for b in range(len(score)):
        for w in range(seed.shape[1]):
            walk += 1
            if seed[b, w] < 0:
                continue
            start = Index(seed[b, w])
            queue[0], met[start], standing[0] = start, walk, seed_deposit[b, w]
            low, high = Index(0), ONE
            for hop in range(decay.size):
                size = high
                for place in range(low, size):
                    if hop > 0:
                        standing[place] = received[queue[place]]
                    standing[place] *= decay[hop]
                for place in range(low, size):
                    f = queue[place]
                    first, last = ptr[f], ptr[f + ONE]
                    if first == last:
                        continue
                    if shared[f] != b:
                        shared[f] = b
                        edge_shares(first, last, graph, edge_potential[b], node_potential[b], share)
                    score[b, f] += standing[place]
                    for j in range(first, last):
                        t = head[j]
                        received[t] += standing[place] * share[j]
                        # Without a branch: whether an edge leads on is as good as random.
                        queue[high] = t
                        high += Index(met[t] != walk)
                        met[t] = walk
                low = size
                if low == high:
                    break
            for place in range(high):
                t = queue[place]
                score[b, t] += received[t]
                received[t] = Real(0.0)


@compiled
def edge_shares(
    first: Any, last: Any, graph: tuple[Any, ...], edge_potential: Any, node_potential: Any, share: Any
) -> None:
    """Write the shares of the edges ``first:last``, the softmax of their scores."""
    _, head, edge, term = graph
    peak, total = Real(-np.inf), Real(0.0)
    for j in range(first, last):
        share[j] = edge_potential[edge[j]] + node_potential[head[j]]
        if term.size > 0:
            share[j] += term[j]
        peak = max(peak, share[j])
    for j in range(first, last):
        share[j] = np.exp(share[j] - peak)
        total += share[j]
    for j in range(first, last):
        share[j] /= total
