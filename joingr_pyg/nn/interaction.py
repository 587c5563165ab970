"""A small scorer of edges that does not look at deposits: a potential of the edge plus one of its far end."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from joingr_pyg.nn.plan import Score, WalkPlan


class Potentials(NamedTuple):
    """Scores of all edges for ``B`` queries, as the sum of two parts.

    Attributes:
        edge: ``[B, E]`` of each edge.
        node: ``[B, N]`` of each node, counted where an edge leads to it.
    """

    edge: Tensor
    node: Tensor

    def gather(self, plan: WalkPlan) -> Tensor:
        """``[L]`` scores :math:`u_e` of the edges of a plan."""
        return self.edge[plan.query, plan.edge] + self.node[plan.query, plan.neighbor]

    def along(self, plan: WalkPlan) -> Score:
        """The scores of the edges of a plan, for :meth:`JoinWalk.propagate`."""
        score = self.gather(plan)
        return lambda positions, deposit, hop: score[positions]


class InteractionScorer(nn.Module):
    r"""Scores an edge by given evidence and by low-rank interactions of the query with both of its parts.

    .. math::
        u_e(\mathbf{q}) = \mathbf{w}_e^\top \phi_e + \mathbf{w}_n^\top \psi_{t'}
        + \langle L_q \mathbf{q},\; L_e \mathbf{e} + L_n \mathbf{n}_{t'} \rangle

    for an edge :math:`\mathbf{e}` that leads to a node :math:`\mathbf{n}_{t'}`, with evidence :math:`\phi` of the edge
    and :math:`\psi` of the node under this query. The source of an edge needs no term: a softmax over its outgoing
    edges would not see it. All weights of evidence start at 0.

    Args:
        query_channels: Size of a query vector.
        edge_channels: Size of an edge vector.
        node_channels: Size of a node vector.
        edge_features: Number of values of evidence an edge.
        node_features: Number of values of evidence a node.
        rank: Rank of the interactions; 0 leaves them out.

    Raises:
        ValueError: If ``rank`` is below 0.
    """

    def __init__(
        self,
        query_channels: int,
        edge_channels: int,
        node_channels: int,
        edge_features: int,
        node_features: int,
        rank: int = 8,
    ) -> None:
        super().__init__()
        if rank < 0:
            raise ValueError(f"'rank' needs to be at least 0 (got {rank})")
        self.rank = rank
        self.edge_weight = nn.Parameter(torch.empty(edge_features))
        self.node_weight = nn.Parameter(torch.empty(node_features))
        self.query, self.edge, self.node = (
            nn.Parameter(torch.empty(rank, channels), requires_grad=rank > 0)
            for channels in (query_channels, edge_channels, node_channels)
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.zeros_(self.edge_weight)
        nn.init.zeros_(self.node_weight)
        for weight in (self.query, self.edge, self.node):
            nn.init.normal_(weight, std=max(weight.size(1), 1) ** -0.5)

    def forward(
        self, query: Tensor, edge_attr: Tensor, x: Tensor, edge_evidence: Tensor, node_evidence: Tensor
    ) -> Potentials:
        r"""Score all edges.

        Args:
            query: ``[B, query_channels]`` queries.
            edge_attr: ``[E, edge_channels]`` edges.
            x: ``[N, node_channels]`` nodes.
            edge_evidence: ``[B, E, edge_features]`` evidence :math:`\phi`.
            node_evidence: ``[B, N, node_features]`` evidence :math:`\psi`.

        Returns:
            Their :class:`Potentials`.
        """
        edge, node = edge_evidence @ self.edge_weight, node_evidence @ self.node_weight
        if self.rank:
            # In the order that costs least, which depends on the number of queries.
            edge = edge + torch.linalg.multi_dot((query, self.query.t(), self.edge, edge_attr.t()))
            node = node + torch.linalg.multi_dot((query, self.query.t(), self.node, x.t()))
        return Potentials(edge, node)

    def factors(self, edge_attr: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        r"""The factors of the interactions that do not depend on the query.

        The interaction of a query :math:`\mathbf{q}` with edge or node :math:`i` is :math:`\langle L_q \mathbf{q},
        F_i \rangle` with the row :math:`F_i` of the factors of edges or nodes.

        Args:
            edge_attr: ``[E, edge_channels]`` edges.
            x: ``[N, node_channels]`` nodes.

        Returns:
            ``[rank, query_channels]`` :math:`L_q`, ``[E, rank]`` factors of edges and ``[N, rank]`` factors of nodes.
        """
        return self.query, edge_attr @ self.edge.t(), x @ self.node.t()

    def __repr__(self) -> str:
        return (
            f"{self.__class__.__name__}({self.query.size(1)}, {self.edge.size(1)}, {self.node.size(1)}, "
            f"edge_features={self.edge_weight.numel()}, node_features={self.node_weight.numel()}, rank={self.rank})"
        )
