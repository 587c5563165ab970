"""The objective of JAR's joint selection of tables, and greedy selection."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Selection:
    r"""The problem of selecting :math:`K` of ``n`` candidates for one question with ``m`` sub-queries.

    The objective of a set :math:`S` is

    .. math::
        F(S) = w_1 \sum_{i=1}^m \max_{t \in S} a_{it} + w_4 \sum_{t \in S} r_t +
        w_3 \max_{\text{forest } E \subseteq S \times S} \sum_{(t, t') \in E} C_{tt'},

    which is JAR's objective (Chen et al., 2024b): each sub-query is covered by its most similar column, and the tables
    are connected by at most :math:`K - 1` joins without cycles. JAR's bonus :math:`w_2` per covered sub-query is left
    out: every sub-query is covered by some column, so all sets have the same bonus. Weights are numbered as in JAR.

    Args:
        cover: ``[m, n]`` similarity :math:`a_{it}` of a sub-query and the best column of a table.
        relevance: ``[n]`` similarity :math:`r_t` of the question and a table.
        compatible: ``[n, n]`` symmetric compatibility :math:`C_{tt'}` of two tables, at least 0.
        weights: :math:`(w_1, w_4, w_3)` of coverage, relevance and compatibility.
    """

    cover: np.ndarray
    relevance: np.ndarray
    compatible: np.ndarray
    weights: tuple[float, float, float]

    def objective(self, selected: Sequence[int]) -> float:
        """The objective :math:`F(S)`, which is 0 for the empty set."""
        if not len(selected):
            return 0.0
        coverage, relevance, compatibility = self.weights
        rows = list(selected)
        return float(
            coverage * self.cover[:, rows].max(axis=1).sum()
            + relevance * self.relevance[rows].sum()
            + compatibility * _heaviest_tree(self.compatible[np.ix_(rows, rows)])
        )


def greedy(problem: Selection, size: int, within: Sequence[int] | None = None) -> list[int]:
    """Greedy selection as in IterativeJAR (Boutaleb et al., 2025): repeatedly add the table with the highest gain.

    The gain of a table is the weighted sum of its relevance, the increase in coverage of the sub-queries, and its
    highest compatibility with a selected table. Ties are broken by position.

    Args:
        problem: The candidates.
        size: Number of tables to select.
        within: The candidates that may be selected. The default is all.

    Returns:
        The selected candidates in order of selection, at most ``size``.
    """
    coverage, relevance, compatibility = problem.weights
    available = np.zeros(len(problem.relevance), bool)
    available[list(range(len(available)) if within is None else within)] = True
    covered = np.full(len(problem.cover), -np.inf)
    joined = np.zeros(len(available))
    selected: list[int] = []
    while len(selected) < size and available.any():
        new_coverage = np.maximum(problem.cover, covered[:, None])
        # The coverage so far is not subtracted, since it is the same for all candidates.
        gain = coverage * new_coverage.sum(axis=0) + relevance * problem.relevance + compatibility * joined
        best = int(np.where(available, gain, -np.inf).argmax())
        selected.append(best)
        available[best] = False
        covered = new_coverage[:, best]
        joined = np.maximum(joined, problem.compatible[best])
    return selected


def _heaviest_tree(weight: np.ndarray) -> float:
    """Weight of the maximum spanning tree of a complete graph with nonnegative weights ``[k, k]`` (Prim, 1957)."""
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
