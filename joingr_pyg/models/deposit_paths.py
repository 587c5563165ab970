"""Why a table was ranked: where its deposits came from, and the strongest chain of joins that they came along."""

from typing import NamedTuple

import torch
from torch import Tensor

from joingr_pyg.nn import WalkOutput


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


def share_from_others(output: WalkOutput, query: int, table: int) -> float:
    r"""The part of a table's :math:`\hat s(t|q)` that walks from other anchors than itself laid.

    Args:
        output: What the walks left.
        query: Number of the question.
        table: Number of the table.

    Returns:
        A number from 0 to 1; 0 where no deposit touches the table.
    """
    plan = output.plan
    touching = (plan.query == query) & ((plan.frontier == table) | (plan.neighbor == table))
    deposit = output.deposit[touching]
    total = deposit.sum()
    return float(deposit[_origin(output)[touching] != table].sum() / total) if total > 0 else 0.0


def _origin(output: WalkOutput) -> Tensor:
    """``[L]`` node that the walk of each scored edge started from."""
    plan = output.plan
    origins = []
    starts = plan.frontier.new_zeros(plan.hops[0].frontier)
    starts[plan.hops[0].source] = plan.frontier[: len(plan.hops[0])]
    for hop in plan.hops:
        origins.append(starts[hop.source])
        starts = starts.new_zeros(hop.next_frontier)
        starts[hop.target] = origins[-1][hop.carry]
    return torch.cat(origins)


def strongest_path(output: WalkOutput, query: int, table: int) -> list[Step]:
    """Follow the largest deposits back from a table to the anchor they came from.

    Args:
        output: What the walks left.
        query: Number of the question.
        table: Number of the table.

    Returns:
        The steps from the anchor to the table; empty where no deposit arrived at the table over a join, but for what
        came back to it.
    """
    plan, deposit = output.plan, output.deposit
    arriving = ((plan.query == query) & (plan.neighbor == table) & (deposit > 0)).nonzero().flatten()
    for entry in arriving[deposit[arriving].argsort(descending=True, stable=True)].tolist():
        steps = _trace(output, entry)
        if all(step.frontier != table for step in steps):
            return steps
    return []


def _trace(output: WalkOutput, entry: int) -> list[Step]:
    """The steps to a scored edge of the plan, itself the last, each along the largest deposit that fed the next."""
    plan, deposit = output.plan, output.deposit
    steps: list[Step] = []
    for number in range(len(plan.hops), 0, -1):
        hop = plan.hops[number - 1]
        if entry < hop.start:
            continue
        beside = (hop.source == hop.source[entry - hop.start]).nonzero().flatten() + hop.start
        there = plan.neighbor[beside] == plan.neighbor[entry]
        steps.append(
            Step(
                int(plan.frontier[entry]),
                int(plan.neighbor[entry]),
                int(plan.edge[entry]),
                number,
                float(deposit[entry]),
                float(deposit[beside][there].sum() / deposit[beside].sum()),
                plan.neighbor[beside].unique().numel(),
            )
        )
        if number == 1:
            break
        before = plan.hops[number - 2]
        feeding = before.carry[before.target == hop.source[entry - hop.start]] + before.start
        entry = int(feeding[torch.argmax(deposit[feeding])])
    return steps[::-1]
