"""What a batch of walks left on edges and nodes."""

from dataclasses import dataclass

from torch import Tensor

from joingr_pyg.nn.plan import WalkPlan
from joingr_pyg.nn.rows import sum_rows


@dataclass(frozen=True, eq=False)
class WalkOutput:
    """What a batch of walks left on the edges.

    Attributes:
        deposit: ``[L]`` deposit of every scored edge, in the order of the plan.
        plan: The plan that says which query, edge and hop each belongs to.
    """

    deposit: Tensor
    plan: WalkPlan

    def edge_deposits(self, hop: int | None = None) -> Tensor:
        r"""``[B, E]`` deposits :math:`\Delta_e(q)`, summed over walks and over hops, or of one ``hop`` alone."""
        return self._sum(self.plan.edge, self.plan.num_edges, hop)

    def node_scores(self, hop: int | None = None) -> Tensor:
        r"""``[B, N]`` node scores :math:`\hat s(t|q) = \sum_{e \ni t} \Delta_e(q)` (section 3.2.4).

        Args:
            hop: Count the deposits of this hop alone; the scores are the sum of these over hops.
        """
        plan = self.plan
        return self._sum(plan.frontier, plan.num_nodes, hop) + self._sum(plan.neighbor, plan.num_nodes, hop)

    def hop(self, hop: int) -> Tensor:
        """``[L_h]`` deposits of the edges scored at ``hop``, counted from 1.

        Raises:
            IndexError: If the walk has no such hop.
        """
        return self.deposit[self._positions(hop)]

    def _positions(self, hop: int | None) -> slice:
        """Where the edges of one hop, or of all, lie in the plan."""
        if hop is None:
            return slice(None)
        if not 1 <= hop <= len(self.plan.hops):
            raise IndexError(f"'hop' needs to lie between 1 and {len(self.plan.hops)} (got {hop})")
        start = self.plan.hops[hop - 1].start
        return slice(start, start + len(self.plan.hops[hop - 1]))

    def _sum(self, column: Tensor, width: int, hop: int | None) -> Tensor:
        plan, positions = self.plan, self._positions(hop)
        index = plan.query[positions] * width + column[positions]
        return sum_rows(self.deposit[positions], index, plan.num_queries * width).view(plan.num_queries, width)
