"""Compiled walks whose edge scores do not depend on deposits. Imported only where numba is installed."""

from typing import Any

import numpy as np

from joingr_pyg.nn.fused_kernel import compiled


@compiled
def potential_walks(
    begin: int,
    end: int,
    graph: tuple[Any, ...],
    decay: Any,
    edge_potential: Any,
    node_potential: Any,
    seed: Any,
    seed_deposit: Any,
    score: Any,
) -> None:
    """Walk for the queries ``begin:end``; adds node scores ``[B, N]`` to ``score``.

    A node's shares are made once a query, when a walk first stands on it; walks and hops after that only multiply.
    """
    ptr, head, edge = graph
    num_nodes = ptr.size - 1
    share = np.empty(head.size, np.float32)
    shared = np.full(num_nodes, -1)  # The last query that made the shares of a node.
    met = np.full(num_nodes, -1)  # The last walk that met a node, ...
    layer = np.empty(num_nodes, np.int64)  # ... and how far from its seed.
    deposit = np.empty(num_nodes, np.float32)
    queue = np.empty(num_nodes, np.int64)
    walk = -1
    for b in range(begin, end):
        for w in range(seed.shape[1]):
            walk += 1
            start = seed[b, w]
            if start < 0:
                continue
            queue[0], met[start], layer[start], deposit[start] = start, walk, 0, seed_deposit[b, w]
            low, high = 0, 1
            for hop in range(decay.size):
                size = high
                for place in range(low, size):
                    f = queue[place]
                    first, last = ptr[f], ptr[f + 1]
                    if shared[f] != b:
                        shared[f] = b
                        peak = np.float32(-np.inf)
                        for j in range(first, last):
                            share[j] = edge_potential[b, edge[j]] + node_potential[b, head[j]]
                            peak = max(peak, share[j])
                        total = np.float32(0.0)
                        for j in range(first, last):
                            share[j] = np.exp(share[j] - peak)
                            total += share[j]
                        for j in range(first, last):
                            share[j] /= total
                    standing = deposit[f] * decay[hop]
                    for j in range(first, last):
                        laid, t = standing * share[j], head[j]
                        score[b, f] += laid
                        score[b, t] += laid
                        if met[t] != walk:
                            met[t], layer[t], deposit[t] = walk, hop + 1, laid
                            queue[high] = t
                            high += 1
                        elif layer[t] == hop + 1:
                            deposit[t] += laid
                low = size
                if low == high:
                    break
