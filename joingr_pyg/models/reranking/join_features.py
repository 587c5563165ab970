"""What the joins among candidates say, once it is known how probable each candidate is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.models.reranking.candidates import FAR, Candidates

Array = NDArray[Any]

CONNECTED = 10
"""The most probable candidates, of which each two may be connected over another one."""

PAIRS = np.stack(np.triu_indices(CONNECTED, 1))
"""``[2, P]`` places of each two of them."""

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
    best_neighbor = neighbor.max(axis=1)
    sum_of_neighbors = neighbor.sum(axis=1)
    neighbor[np.arange(len(p)), neighbor.argmax(axis=1)] = 0
    step, one_symmetric = p @ candidates.share, p @ candidates.symmetric_share
    walked = reached = p
    for _ in range(STEPS):
        reached = DECAY * (reached @ candidates.share)
        walked = walked + reached
    best = np.argsort(-p, kind="stable")[:CONNECTED]
    centre = best[:CENTRE]
    between, between_best_two = _between(candidates.distance, p, best)
    base = candidates.base
    has_base = base >= 0
    satellite = np.zeros_like(p)
    np.maximum.at(satellite, base[has_base], p[has_base])
    database = tables.database[table]
    columns = {
        "best neighbor": best_neighbor,
        "second neighbor": neighbor.max(axis=1),
        "sum of neighbors": sum_of_neighbors,
        "mean of neighbors": sum_of_neighbors / np.maximum(tables.degree[table], 1),
        "best referenced": up.max(axis=1),
        "best referencing": down.max(axis=1),
        "sum of referenced": up.sum(axis=1),
        "sum of referencing": down.sum(axis=1),
        "one step": step,
        "two steps": step @ candidates.share,
        "random walk": walked,
        "one symmetric step": one_symmetric,
        "two symmetric steps": one_symmetric @ candidates.symmetric_share,
        "between": between,
        "between best two": between_best_two,
        "near": (candidates.distance[:, best] <= NEAR) @ p[best],
        "distance to best": candidates.distance[:, best[0]],
        "mean distance": candidates.distance[:, centre] @ p[centre] / max(p[centre].sum(), 1e-9),
        "base": np.where(has_base, p[base], 0),
        "satellite": satellite,
        "share of database": np.bincount(database, p)[database] / max(p.sum(), 1e-9),
    }
    return np.stack([columns[name] for name in NAMES], axis=1).astype(np.float32)


def _between(distance: Array, p: Array, best: Array) -> tuple[Array, Array]:
    """How surely each candidate lies on a shortest way between two of the best ones: the sum and the most.

    A pair counts as the product of its probabilities, divided by the length of the way beyond the first join, for the
    sum also by the number of candidates on such ways.
    """
    first, second = best[PAIRS[:, PAIRS[1] < len(best)]]
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
