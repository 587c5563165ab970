"""The choice of tables that go together: what it is worth, and a greedy way to make it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Selection:
    r"""Choose :math:`K` of ``n`` candidates for one question with ``m`` sub-queries.

    A set :math:`S` is worth

    .. math::
        F(S) = w_1 \sum_{i=1}^m \max_{t \in S} a_{it} + w_4 \sum_{t \in S} r_t +
        w_3 \max_{\text{forest } E \subseteq S \times S} \sum_{(t, t') \in E} C_{tt'},

    which is JAR's objective (Chen et al., 2024b): every sub-query is covered by the column most like it, and the tables
    are joined by at most :math:`K - 1` joins without a cycle. JAR's bonus :math:`w_2` a covered sub-query is left out,
    since some column covers every sub-query and all sets of tables have the same bonus. Its weights have the same
    numbers here as there.

    Args:
        cover: ``[m, n]`` likeness :math:`a_{it}` of a sub-query and the best column of a table.
        relevance: ``[n]`` likeness :math:`r_t` of the question and a table.
        compatible: ``[n, n]`` symmetric compatibility :math:`C_{tt'}` of two tables, at least 0.
        weights: :math:`(w_1, w_4, w_3)` of coverage, relevance and compatibility.
    """

    cover: np.ndarray
    relevance: np.ndarray
    compatible: np.ndarray
    weights: tuple[float, float, float]

    def worth(self, chosen: Sequence[int]) -> float:
        """The objective :math:`F(S)`; 0 for no table."""
        if not len(chosen):
            return 0.0
        coverage, relevance, compatibility = self.weights
        rows = list(chosen)
        return float(
            coverage * self.cover[:, rows].max(axis=1).sum()
            + relevance * self.relevance[rows].sum()
            + compatibility * _heaviest_tree(self.compatible[np.ix_(rows, rows)])
        )


def greedy(problem: Selection, size: int, within: Sequence[int] | None = None) -> list[int]:
    """Add the table that gains most, again and again, as IterativeJAR does (Boutaleb et al., 2025).

    The gain of a table is its relevance, what it adds to the coverage of each sub-query, and its best compatibility
    with a table chosen before, under the weights of the problem. The first of equal ones is taken.

    Args:
        problem: The candidates.
        size: Number of tables to choose.
        within: The candidates allowed; all where not given.

    Returns:
        The chosen candidates in the order chosen, at most ``size``.
    """
    coverage, relevance, compatibility = problem.weights
    left = np.zeros(len(problem.relevance), bool)
    left[list(range(len(left)) if within is None else within)] = True
    covered = np.full(len(problem.cover), -np.inf)
    joined = np.zeros(len(left))
    chosen: list[int] = []
    while len(chosen) < size and left.any():
        better = np.maximum(problem.cover, covered[:, None])
        # What is covered so far is the same for all candidates, so it need not be taken off.
        gain = coverage * better.sum(axis=0) + relevance * problem.relevance + compatibility * joined
        pick = int(np.where(left, gain, -np.inf).argmax())
        chosen.append(pick)
        left[pick] = False
        covered = better[:, pick]
        joined = np.maximum(joined, problem.compatible[pick])
    return chosen


def _heaviest_tree(weight: np.ndarray) -> float:
    """Weight of the heaviest spanning tree of a complete graph ``[k, k]`` (Prim, 1957); none is below 0."""
    best = weight[0].copy()
    outside = np.ones(len(weight), bool)
    outside[0] = False
    total = 0.0
    while outside.any():
        new = int(np.where(outside, best, -np.inf).argmax())
        total += best[new]
        outside[new] = False
        best = np.maximum(best, weight[new])
    return total
