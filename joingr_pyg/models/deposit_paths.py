"""Why a table was ranked: where its deposits came from, and the strongest chain of joins that they came along."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.nn import WalkOutput

Array = NDArray[Any]


class Step(NamedTuple):
    """One join on the way from an anchor to a table.

    Attributes:
        frontier: Table the walk stood on.
        neighbor: Table it went to.
        edge: Join edge it took.
        hop: Hop, counted from 1.
        deposit: Deposit it left on the edge.
        share: Part of what left the frontier table that went to this neighbor, its softmax summed over parallel edges.
        choices: Number of tables that it was shared among.
    """

    frontier: int
    neighbor: int
    edge: int
    hop: int
    deposit: float
    share: float
    choices: int


class DepositPaths:
    """Traces where the deposits of walks came from.

    Args:
        output: What the walks left.
    """

    def __init__(self, output: WalkOutput) -> None:
        plan = output.plan
        tensors = (output.deposit, plan.query, plan.edge, plan.frontier, plan.neighbor)
        # A few tables are traced in small arrays, for which numpy takes a fraction of the time of torch.
        arrays = (tensor.detach().cpu().numpy() for tensor in tensors)
        self._deposit, self._query, self._edge, self._frontier, self._neighbor = arrays
        self._hops = [
            _Hop(
                hop.source.cpu().numpy(),
                hop.carry.cpu().numpy(),
                hop.target.cpu().numpy(),
                hop.start,
                hop.frontier,
                hop.next_frontier,
            )
            for hop in plan.hops
        ]

    def share_from_others(self, query: int, table: int) -> float:
        r"""The part of a table's :math:`\hat s(t|q)` that walks from other anchors than itself laid.

        Args:
            query: Number of the question.
            table: Number of the table.

        Returns:
            A number from 0 to 1; 0 where no deposit touches the table.
        """
        touching = (self._query == query) & ((self._frontier == table) | (self._neighbor == table))
        deposit = self._deposit[touching]
        total = deposit.sum()
        return float(deposit[self._origin[touching] != table].sum() / total) if total > 0 else 0.0

    @cached_property
    def _origin(self) -> Array:
        """``[L]`` node that the walk of each scored edge started from."""
        origins: list[Array] = []
        starts = np.zeros(self._hops[0].frontier, np.int64)
        starts[self._hops[0].source] = self._frontier[: len(self._hops[0].source)]
        for hop in self._hops:
            origins.append(starts[hop.source])
            starts = np.zeros(hop.next_frontier, np.int64)
            starts[hop.target] = origins[-1][hop.carry]
        return np.concatenate(origins)

    def strongest_path(self, query: int, table: int) -> list[Step]:
        """Follow the largest deposits back from a table to the anchor they came from.

        Args:
            query: Number of the question.
            table: Number of the table.

        Returns:
            The steps from the anchor to the table; empty where no deposit arrived at the table over a join, but for
            what came back to it.
        """
        arriving = np.flatnonzero((self._query == query) & (self._neighbor == table) & (self._deposit > 0))
        for entry in arriving[np.argsort(-self._deposit[arriving], kind="stable")].tolist():
            steps = self._trace(entry)
            if all(step.frontier != table for step in steps):
                return steps
        return []

    def _trace(self, entry: int) -> list[Step]:
        """The steps to a scored edge, itself the last, each along the largest deposit that fed the next."""
        steps: list[Step] = []
        for number in range(len(self._hops), 0, -1):
            hop = self._hops[number - 1]
            if entry < hop.start:
                continue
            source = hop.source[entry - hop.start]
            first, last = np.searchsorted(hop.source, [source, source + 1]) + hop.start
            deposit, neighbor = self._deposit[first:last], self._neighbor[first:last]
            there = int(self._neighbor[entry])
            steps.append(
                Step(
                    int(self._frontier[entry]),
                    there,
                    int(self._edge[entry]),
                    number,
                    float(self._deposit[entry]),
                    float(deposit[neighbor == there].sum() / deposit.sum()),
                    len(set(neighbor.tolist())),
                )
            )
            if number == 1:
                break
            before = self._hops[number - 2]
            feeding = before.carry[before.target == source] + before.start
            entry = int(feeding[self._deposit[feeding].argmax()])
        return steps[::-1]


class _Hop(NamedTuple):
    """One hop of a plan, as :class:`joingr_pyg.nn.plan.Hop` describes it."""

    source: Array
    carry: Array
    target: Array
    start: int
    frontier: int
    next_frontier: int
