"""JAR's selection of tables as a mixed-integer program (Chen et al., 2024b), solved with HiGHS."""

import time
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from joingr_pyg.models.baselines.jar.selection import Selection, greedy


@dataclass(frozen=True)
class Solution:
    """A solution of the program.

    Attributes:
        selected: The selected candidates, ascending.
        objective: Their objective.
        optimal: Whether it is optimal up to the gap. If not, the time limit was reached, and it is the best selection
            found.
    """

    selected: list[int]
    objective: float
    optimal: bool


def solve(problem: Selection, size: int, time_limit: float = 60.0, gap: float = 1e-4) -> Solution:
    r"""Select the ``size`` tables with the highest objective.

    Binary variables :math:`b_t` select tables and :math:`y_{tt'}` joins; :math:`d_{it}` assigns sub-query :math:`i` to
    table :math:`t`:

    .. math::
        \max\; & w_1 \sum_{it} a_{it} d_{it} + w_4 \sum_t r_t b_t + w_3 \sum_{tt'} C_{tt'} y_{tt'} \\
        & \textstyle\sum_t b_t = K, \quad \sum_t d_{it} = 1, \quad d_{it} \le b_t, \quad y_{tt'} \le b_t, b_{t'}, \quad
        \sum_{(t,t') \subseteq U} y_{tt'} \le \sum_{t \in U \setminus \{k\}} b_t

    The last constraint, for all sets :math:`U` and :math:`k \in U`, forbids cycles of joins. JAR uses flow variables
    for this; here violated constraints are added to the program, which is then solved again. Each intermediate solution
    is a selection whose objective is computed exactly, so the best one is available when the time limit is reached. The
    first one is the greedy selection.

    Args:
        problem: The candidates.
        size: Number :math:`K` of tables to select. If there are fewer candidates, all are selected.
        time_limit: Seconds.
        gap: Relative optimality gap at which the solver stops.
    """
    start = time.perf_counter()
    best = sorted(greedy(problem, size))
    objective = problem.objective(best)
    if size >= len(problem.relevance):
        return Solution(best, objective, True)
    program = _Program(problem, size)
    while (remaining := time_limit - (time.perf_counter() - start)) > 0:
        result = milp(
            -program.value,
            constraints=program.constraints(),
            integrality=program.integral,
            bounds=Bounds(0, 1),
            options={"time_limit": remaining, "mip_rel_gap": gap},
        )
        if result.x is not None:
            selected = np.flatnonzero(program.selected(result.x)).tolist()
            if (value := problem.objective(selected)) > objective:
                best, objective = selected, value
        if result.mip_dual_bound is not None and -result.mip_dual_bound - objective <= gap * abs(objective):
            return Solution(best, objective, True)
        if result.x is None or not program.forbid_cycles(result.x):
            # An optimal solution without cycles is optimal for the whole problem. No solution means a time-out.
            return Solution(best, objective, result.status == 0)
    return Solution(best, objective, False)


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
    """The program with variables ``[b (n), d (m n), y (pairs)]``."""

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
        # For given tables each sub-query is assigned to the best one, so d need not be integer.
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

    def selected(self, x: np.ndarray) -> np.ndarray:
        return x[: self.tables] > 0.5

    def forbid_cycles(self, x: np.ndarray) -> bool:
        """Add constraints for each component of the graph of joins that has a cycle; return whether there was one."""
        joined = x[self.join] > 0.5
        shape = (self.tables, self.tables)
        graph = csr_array((np.ones(joined.sum()), (self.left[joined], self.right[joined])), shape=shape)
        _, component = connected_components(graph, directed=False)
        has_cycle = False
        for number in np.unique(component):
            inside = (component[self.left] == number) & (component[self.right] == number)
            members = np.flatnonzero(component == number)
            if (joined & inside).sum() < len(members):
                continue
            has_cycle = True
            for excluded in members:
                self._rows.add(self.join[inside], members[members != excluded], -np.inf, 0)
        return has_cycle
