"""The choice of tables as a mixed-integer program (Chen et al., 2024b), solved with HiGHS."""

import time
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from joingr_pyg.models.baselines.jar.selection import Selection, greedy


@dataclass(frozen=True)
class Solved:
    """What the program found.

    Attributes:
        chosen: The chosen candidates, ascending.
        worth: Their objective.
        proven: Whether no other choice is worth more by the gap; else time ran out, and it is the best one met.
    """

    chosen: list[int]
    worth: float
    proven: bool


def solve(problem: Selection, size: int, time_limit: float = 60.0, gap: float = 1e-4) -> Solved:
    r"""Choose the ``size`` tables that are worth most together.

    Binary :math:`b_t` choose tables and :math:`y_{tt'}` joins; :math:`d_{it}` lets table :math:`t` cover sub-query
    :math:`i`:

    .. math::
        \max\; & w_1 \sum_{it} a_{it} d_{it} + w_4 \sum_t r_t b_t + w_3 \sum_{tt'} C_{tt'} y_{tt'} \\
        & \textstyle\sum_t b_t = K, \quad \sum_t d_{it} = 1, \quad d_{it} \le b_t, \quad y_{tt'} \le b_t, b_{t'}, \quad
        \sum_{(t,t') \subseteq U} y_{tt'} \le \sum_{t \in U \setminus \{k\}} b_t

    The last one, for all sets :math:`U` and :math:`k \in U`, forbids cycles of joins; where JAR routes a flow, those
    that a solution breaks are added and the program is solved again. Every solution met is a choice of tables, whose
    objective is known exactly, so the best one is at hand when time runs out. The greedy choice is the first.

    Args:
        problem: The candidates.
        size: Number :math:`K` of tables to choose; all where there are fewer.
        time_limit: Seconds.
        gap: Relative difference from the best possible objective that will do.
    """
    start = time.perf_counter()
    best = sorted(greedy(problem, size))
    worth = problem.worth(best)
    if size >= len(problem.relevance):
        return Solved(best, worth, True)
    program = _Program(problem, size)
    while (left := time_limit - (time.perf_counter() - start)) > 0:
        found = milp(
            -program.value,
            constraints=program.constraints(),
            integrality=program.integral,
            bounds=Bounds(0, 1),
            options={"time_limit": left, "mip_rel_gap": gap},
        )
        if found.x is not None:
            chosen = np.flatnonzero(program.chosen(found.x)).tolist()
            if (value := problem.worth(chosen)) > worth:
                best, worth = chosen, value
        if found.mip_dual_bound is not None and -found.mip_dual_bound - worth <= gap * abs(worth):
            return Solved(best, worth, True)
        if found.x is None or not program.forbid_cycles(found.x):
            # Optimal without a cycle is proven, up to rounding; without a solution time ran out.
            return Solved(best, worth, found.status == 0)
    return Solved(best, worth, False)


@dataclass
class _Rows:
    """Sparse rows of constraints ``low <= A x <= high``."""

    column: list[np.ndarray] = field(default_factory=list)
    value: list[np.ndarray] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def add(self, plus: np.ndarray, minus: np.ndarray, low: float, high: float) -> None:
        self.column.append(np.concatenate([plus, minus]).astype(int))
        self.value.append(np.repeat([1.0, -1.0], [len(plus), len(minus)]))
        self.low.append(low)
        self.high.append(high)


class _Program:
    """Variables ``[b (n), d (m n), y (pairs)]`` and the rows over them."""

    def __init__(self, problem: Selection, size: int) -> None:
        m, n = problem.cover.shape
        coverage, relevance, compatibility = problem.weights
        self.tables = n
        self.left, self.right = np.triu_indices(n, 1)
        self.table = np.arange(n)
        cover = n + np.arange(m * n).reshape(m, n)
        self.join = n + m * n + np.arange(len(self.left))
        self.value = np.concatenate(
            [
                relevance * problem.relevance,
                coverage * problem.cover.ravel(),
                compatibility * problem.compatible[self.left, self.right],
            ]
        )
        # Once tables are chosen, each sub-query goes to the best of them: that needs no integers.
        self.integral = np.ones(len(self.value))
        self.integral[cover] = 0
        self._rows = _Rows()
        none = np.zeros(0, int)
        self._rows.add(self.table, none, size, size)
        self._rows.add(self.join, none, 0, size - 1)
        for row in cover:
            self._rows.add(row, none, 1, 1)
            for table in self.table:
                self._rows.add(row[[table]], self.table[[table]], -np.inf, 0)
        for join, *ends in zip(self.join, self.left, self.right, strict=True):
            for end in ends:
                self._rows.add(np.array([join]), np.array([end]), -np.inf, 0)

    def constraints(self) -> LinearConstraint:
        sizes = [len(columns) for columns in self._rows.column]
        row = np.repeat(np.arange(len(sizes)), sizes)
        values, columns = np.concatenate(self._rows.value), np.concatenate(self._rows.column)
        matrix = csr_array((values, (row, columns)), shape=(len(sizes), len(self.value)))
        return LinearConstraint(matrix, self._rows.low, self._rows.high)

    def chosen(self, x: np.ndarray) -> np.ndarray:
        return x[: self.tables] > 0.5

    def forbid_cycles(self, x: np.ndarray) -> bool:
        """Add a row for each part of the graph of joins that has too many of them; whether there was one."""
        joined = x[self.join] > 0.5
        shape = (self.tables, self.tables)
        graph = csr_array((np.ones(joined.sum()), (self.left[joined], self.right[joined])), shape=shape)
        _, part = connected_components(graph, directed=False)
        broken = False
        for number in np.unique(part):
            inside = (part[self.left] == number) & (part[self.right] == number)
            members = np.flatnonzero(part == number)
            if (joined & inside).sum() < len(members):
                continue
            broken = True
            for spared in members:
                self._rows.add(self.join[inside], members[members != spared], -np.inf, 0)
        return broken
