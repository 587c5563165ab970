"""Reference implementation of Algorithm 2 of the paper: Python loops, one scorer call per frontier table.

The vectorised walk is tested against it and compared with it in benchmarks.
"""

from collections import Counter, defaultdict

import torch
from torch import Tensor

from joingr_pyg.nn import EdgeScorer, JoinWalk


def literal_walk(
    walk: JoinWalk,
    query: Tensor,
    representation: Tensor,
    edge_index: Tensor,
    edge_attr: Tensor,
    anchors: dict[int, Tensor | float],
    edge_weight: Tensor | None = None,
) -> dict[int, Tensor]:
    """Walk one question from each of its anchors.

    Args:
        walk: The layer whose decays and scorer, an :class:`~joingr_pyg.nn.EdgeScorer` or none, are used.
        query: ``[query_channels]`` embedding of the question.
        representation: ``[N, node_channels]`` query-dependent representation of each table.
        edge_index: ``[2, E]`` join edges between tables.
        edge_attr: ``[E, edge_channels]`` embeddings of join edges.
        anchors: Initial deposit of each anchor table.
        edge_weight: ``[E]`` weights of edges, by which shares are multiplied before they are normalised. The paper has
            no weights, and no damping of hubs either.

    Returns:
        The deposit ``D_E`` of each edge with a deposit.
    """
    outgoing: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for edge, (tail, head) in enumerate(edge_index.t().tolist()):
        if tail != head:
            outgoing[tail].append((edge, head))
            if walk.undirected:
                outgoing[head].append((edge, tail))

    # Loops are never walked; a degree counts the edges of both directions.
    degree = Counter(table for tail, head in edge_index.t().tolist() if tail != head for table in (tail, head))
    deposits: dict[int, Tensor] = {}
    for anchor, score in anchors.items():
        frontier = {anchor: torch.as_tensor(score, dtype=query.dtype)}
        visited: set[int] = set()
        for hop in range(1, walk.hops + 1):
            moved: dict[int, Tensor] = {}
            # All frontier tables are marked as visited first, so the order of tables within a hop does not matter.
            visited |= set(frontier)
            for table, mass in frontier.items():
                edges = outgoing[table]
                if not edges:
                    continue
                if walk.scorer is None:
                    share = torch.full((len(edges),), 1.0 / len(edges), dtype=query.dtype)
                else:
                    scalars = torch.stack([mass, mass.new_tensor(float(hop))])
                    features = [
                        torch.cat([query, edge_attr[edge], representation[table], representation[neighbor], scalars])
                        for edge, neighbor in edges
                    ]
                    assert isinstance(walk.scorer, EdgeScorer)
                    share = walk.scorer.concatenated(torch.stack(features)).softmax(0)
                if edge_weight is not None:
                    share = share * edge_weight[[edge for edge, _ in edges]]
                    share = share / share.sum()
                if walk.damps_hubs:
                    share = share * share.new_tensor([degree[neighbor] for _, neighbor in edges]) ** -walk.hub_damping
                    share = share / share.sum()
                for (edge, neighbor), part in zip(edges, share, strict=True):
                    deposit = mass * walk.decay_logit[hop - 1].sigmoid() * part
                    deposits[edge] = deposits.get(edge, 0.0) + deposit
                    if neighbor not in visited:
                        moved[neighbor] = moved.get(neighbor, 0.0) + deposit
            frontier = moved
            if not frontier:
                break
    return deposits


def literal_scores(deposits: dict[int, Tensor], edge_index: Tensor, num_tables: int) -> Tensor:
    """``[N]`` table scores: the sum of the deposits of each table's edges (section 3.2.4)."""
    scores = torch.zeros(num_tables, dtype=next(iter(deposits.values())).dtype if deposits else None)
    for edge, deposit in deposits.items():
        for table in edge_index[:, edge].tolist():
            scores = scores.index_add(0, torch.tensor([table]), deposit.reshape(1))
    return scores
