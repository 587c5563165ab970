"""What the joins among candidates say, once it is known how probable each candidate is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.models.reranking.candidates import FAR, Candidates

Array = NDArray[Any]

CONNECTED = 10
"""The most probable candidates, of which each two may be connected over another one."""

CENTRE = 5
"""The most probable candidates, to which distances are measured."""

NEAR = 2
"""Joins up to which a candidate is near another."""

STEPS, DECAY = 6, 0.6
"""Steps of the random walk, and its decay."""

NAMES = (
    "best neighbor",
    "second neighbor",
    "sum of neighbors",
    "mean of neighbors",
    "best referenced",
    "best referencing",
    "sum of referenced",
    "sum of referencing",
    "one step",
    "two steps",
    "random walk",
    "one symmetric step",
    "two symmetric steps",
    "between",
    "between best two",
    "near",
    "distance to best",
    "mean distance",
    "base",
    "satellite",
    "share of database",
)
"""Names of the numbers of :func:`join_features`."""


def join_features(candidates: Candidates, probability: Array) -> Array:
    """``[C, G]`` numbers that the joins among candidates make of their probabilities, named by :data:`NAMES`.

    Args:
        candidates: The candidates of a question.
        probability: ``[C]`` how probable it is that the question needs each of them, from 0 to 1.
    """
    p, table, tables = probability, candidates.table, candidates.tables
    references, joined = candidates.references > 0, candidates.joined > 0
    neighbor, up, down = p * joined, p * references, p * references.T
    two_best = np.partition(neighbor, -2, axis=1)[:, -2:] if len(p) > 1 else np.zeros((1, 2), np.float32)
    # Shares are over all joins of a table, so that a hub passes on little to each.
    degree = np.maximum(tables.weighted_degree[table], 1e-9)
    share = candidates.joined / degree[:, None]
    symmetric = candidates.joined / np.sqrt(degree[:, None] * degree)
    step, walked, reached = p @ share, p.copy(), p
    for _ in range(STEPS):
        reached = DECAY * (reached @ share)
        walked = walked + reached
    one_symmetric = p @ symmetric
    between, between_two = _between(candidates.distance, p)
    best = np.argsort(-p, kind="stable")
    near = (candidates.distance[:, best[:CONNECTED]] <= NEAR) @ p[best[:CONNECTED]]
    centre = best[:CENTRE]
    mean_distance = candidates.distance[:, centre] @ p[centre] / max(p[centre].sum(), 1e-9)
    base = candidates.base
    has_base = base >= 0
    satellite = np.zeros_like(p)
    np.maximum.at(satellite, base[has_base], p[has_base])
    database = tables.database[table]
    share_of_database = (p * (database[:, None] == database)).sum(axis=1) / max(p.sum(), 1e-9)
    columns = (
        *(
            two_best[:, 1],
            two_best[:, 0],
            neighbor.sum(axis=1),
            neighbor.sum(axis=1) / np.maximum(tables.degree[table], 1),
        ),
        *(up.max(axis=1), down.max(axis=1), up.sum(axis=1), down.sum(axis=1)),
        *(step, step @ share, walked, one_symmetric, one_symmetric @ symmetric),
        *(between, between_two, near, candidates.distance[:, best[0]], mean_distance),
        *(np.where(has_base, p[base], 0), satellite, share_of_database),
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _between(distance: Array, p: Array) -> tuple[Array, Array]:
    """How surely each candidate lies on a shortest way between two of the most probable ones: the sum and the best.

    A pair counts as the product of its probabilities, divided by the length of the way beyond the first join, for the
    sum also by the number of candidates on such ways.
    """
    best = np.argsort(-p, kind="stable")[:CONNECTED]
    first, second = (best[rows] for rows in np.triu_indices(len(best), 1))
    length = distance[first, second]
    far = (length >= 2) & (length < FAR)
    first, second, length = first[far], second[far], length[far]
    on_way = distance[first] + distance[second] == length[:, None]
    pair = np.arange(len(first))
    on_way[pair, first] = on_way[pair, second] = False
    weight = (p[first] * p[second] / (length - 1))[:, None] * on_way
    if not len(weight):
        return np.zeros_like(p), np.zeros_like(p)
    return (weight / np.maximum(on_way.sum(axis=1), 1)[:, None]).sum(axis=0), weight.max(axis=0)
