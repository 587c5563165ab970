"""What the walks of one question laid on the joins, hop after hop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.nn import WalkOutput

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class WalkDeposits:
    """The deposits of one question, summed over its walks; only what is above 0 is kept.

    Attributes:
        hops: Number of hops.
        anchor: ``[A]`` tables that walks started from, and
        anchor_deposit: ``[A]`` the deposits they started with.
        frontier: ``[S]`` table that a walk stood on,
        neighbor: ``[S]`` table it went to,
        edge: ``[S]`` join it took,
        hop: ``[S]`` hop, counted from 1, and
        deposit: ``[S]`` what it laid on the join.
    """

    hops: int
    anchor: Array
    anchor_deposit: Array
    frontier: Array
    neighbor: Array
    edge: Array
    hop: Array
    deposit: Array

    @classmethod
    def of(cls, output: WalkOutput, question: int, anchor: Tensor, anchor_deposit: Tensor) -> "WalkDeposits":
        """Those of one question of a batch.

        Args:
            output: What the walks left.
            question: Position of the question in the batch, from 0.
            anchor: ``[A]`` its anchors, ``-1`` for empty places.
            anchor_deposit: ``[A]`` their deposits.
        """
        plan = output.plan
        hop = np.repeat(np.arange(1, len(plan.hops) + 1), [len(each) for each in plan.hops])
        deposit = output.deposit.detach().cpu().numpy()
        kept = np.flatnonzero((plan.query.cpu().numpy() == question) & (deposit > 0))
        steps = np.stack([part.cpu().numpy()[kept] for part in (plan.frontier, plan.neighbor, plan.edge)] + [hop[kept]])
        distinct, place = np.unique(steps, axis=1, return_inverse=True)
        laid = np.bincount(place.reshape(-1), deposit[kept], distinct.shape[1])
        used = (anchor >= 0).cpu().numpy()
        anchors, started = (part.detach().cpu().numpy()[used] for part in (anchor, anchor_deposit))
        frontier, neighbor, edge, at_hop = distinct
        return cls(len(plan.hops), anchors, started, frontier, neighbor, edge, at_hop, laid)


WalkSource = Callable[[], WalkDeposits]
"""Walks once more, with the weights and tables of when the question was asked."""
