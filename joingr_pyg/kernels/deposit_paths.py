"""Where the deposits of a few nodes came from, in compiled code. Imported only where numba is installed."""

from typing import Any

import numpy as np

from joingr_pyg.kernels.compilation import compiled
from joingr_pyg.kernels.potential_walk import edge_shares

Real = np.float32


@compiled
def deposit_paths(
    graph: tuple[Any, ...],
    decay: Any,
    edge_potential: Any,
    node_potential: Any,
    seed: Any,
    seed_deposit: Any,
    node: Any,
    total: Any,
    own: Any,
    length: Any,
    step_edge: Any,
    step_deposit: Any,
) -> None:
    """Walk once more for one query, and trace the deposits of some nodes.

    The path of a node ends with the edge that left the largest deposit when it arrived there, and goes back, from each
    frontier node, along the edge with the largest deposit that fed it. Paths that pass the node before their end are
    left out. Of equal deposits the one of the earlier hop counts, then the one of the earlier walk.

    Args:
        graph: Graph as :func:`~joingr_pyg.kernels.potential_walk.potential_walks` takes it.
        decay: ``[H]``.
        edge_potential: ``[E]``.
        node_potential: ``[N]``.
        seed: ``[A]``, ``-1`` where there are fewer.
        seed_deposit: ``[A]``.
        node: ``[K]`` distinct nodes.
        total: ``[K]`` zeros; written: deposits on all edges at the node.
        own: ``[K]`` zeros; written: those of the walk that started from it.
        length: ``[K]`` zeros; written: number of steps of the path.
        step_edge: ``[K, H]``, written: place of each step's edge in the graph's ``head``.
        step_deposit: ``[K, H]``, written: deposit on it.
    """
    ptr, head, _, _ = graph
    num_nodes = ptr.size - 1
    share = np.empty(head.size, Real)
    has_shares = np.zeros(num_nodes, np.bool_)
    place_of = np.full(num_nodes, -1)
    for place in range(node.size):
        place_of[node[place]] = place
    met = np.full(num_nodes, -1)  # The last walk that met a node, ...
    met_hop = np.empty(num_nodes, np.int64)  # the hop that reached it, ...
    feeding_edge = np.empty(num_nodes, np.int64)  # and of the edges of that hop the one with the largest deposit, ...
    feeding_node = np.empty(num_nodes, np.int64)  # the node that it leaves ...
    feeding_deposit = np.empty(num_nodes, Real)  # and its deposit.
    received = np.zeros(num_nodes, Real)
    best_deposit, best_hop = np.zeros(node.size, Real), np.zeros(node.size, np.int64)
    queue = np.empty(num_nodes, np.int64)
    for walk in range(seed.size):
        if seed[walk] < 0:
            continue
        start = seed[walk]
        queue[0], met[start], met_hop[start] = start, walk, -1
        low, high = 0, 1
        for hop in range(decay.size):
            size = high
            queue[low:size].sort()  # The order of a plan, so that equal deposits lead to equal paths.
            for position in range(low, size):
                frontier = queue[position]
                standing = (received[frontier] if hop > 0 else seed_deposit[walk]) * decay[hop]
                first, last = ptr[frontier], ptr[frontier + 1]
                if first < last and not has_shares[frontier]:
                    has_shares[frontier] = True
                    edge_shares(first, last, graph, edge_potential, node_potential, share)
                for edge in range(first, last):
                    there, laid = np.int64(head[edge]), standing * share[edge]
                    if met[there] != walk:
                        met[there], met_hop[there], received[there] = walk, hop, Real(0.0)
                        feeding_deposit[there] = Real(-1.0)
                        queue[high] = there
                        high += 1
                    if met_hop[there] == hop:
                        received[there] += laid
                        if laid > feeding_deposit[there]:
                            feeding_edge[there], feeding_node[there], feeding_deposit[there] = edge, frontier, laid
                    if place_of[frontier] >= 0:
                        total[place_of[frontier]] += laid
                        own[place_of[frontier]] += laid if frontier == start else Real(0.0)
                    place = place_of[there]
                    if place < 0:
                        continue
                    total[place] += laid
                    own[place] += laid if there == start else Real(0.0)
                    if laid > best_deposit[place] or (laid == best_deposit[place] and hop < best_hop[place]):
                        before = frontier
                        while before != there and before != start:
                            before = feeding_node[before]
                        if before != there:
                            best_deposit[place], best_hop[place], length[place] = laid, hop, hop + 1
                            step_edge[place, hop], step_deposit[place, hop] = edge, laid
                            before = frontier
                            for earlier in range(hop - 1, -1, -1):
                                step_edge[place, earlier] = feeding_edge[before]
                                step_deposit[place, earlier] = feeding_deposit[before]
                                before = feeding_node[before]
            low = size
            if low == high:
                break
