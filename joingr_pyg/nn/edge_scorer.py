"""The learned scorer of join edges, with its first layer split over its inputs."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.parameter import is_lazy

from joingr_pyg.nn.dropout import dropout
from joingr_pyg.nn.plan import Score, WalkPlan
from joingr_pyg.nn.rows import take_rows
from joingr_pyg.nn.validation import require_channels


class Projections(NamedTuple):
    """First-layer contributions of everything that does not change along a walk, ``C`` hidden channels each.

    Attributes:
        query: ``[B, C]`` of each query, the bias included.
        edge: ``[E, C]`` of each edge.
        frontier: ``[M, C]`` of each node row as the node the walk stands on.
        neighbor: ``[M, C]`` of each node row as the node at the far end.
    """

    query: Tensor
    edge: Tensor
    frontier: Tensor
    neighbor: Tensor

    def gather(self, query: Tensor, edge: Tensor, frontier: Tensor, neighbor: Tensor) -> Tensor:
        """``[L, C]`` sum of the four rows that belong to each of ``L`` edges, given the numbers ``[L]`` of the rows."""
        sizes = [part.size(0) for part in self]
        if torch.compiler.is_compiling() or sum(sizes) > query.numel():
            joined = take_rows(self.query, query) + take_rows(self.edge, edge)
            return joined + take_rows(self.frontier, frontier) + take_rows(self.neighbor, neighbor)
        # Many edges share few rows: one pass over the edges instead of seven.
        starts = query.new_tensor([0, sizes[0], sum(sizes[:2]), sum(sizes[:3])])
        rows = torch.stack([query, edge, frontier, neighbor], dim=1) + starts
        return F.embedding_bag(rows, torch.cat(self), mode="sum")


class EdgeScorer(nn.Module):
    r"""The query-conditioned scorer :math:`u_e = s_\theta(\mathbf{x}_e)` of section 3.2.3.

    .. math::
        \mathbf{x}_e &= [\mathbf{q};\, \mathbf{e};\, \mathbf{r}_f;\, \mathbf{r}_{t'};\, z_f;\, h]

        s_\theta(\mathbf{x}) &= \mathbf{w}^\top \, \mathrm{Dropout}(\mathrm{ReLU}(\mathrm{LayerNorm}(
        W\mathbf{x} + \mathbf{b}))) + c

    Nothing nonlinear precedes ``W``, so :math:`W\mathbf{x}` is a sum of six terms. The four large ones are projected
    once by :meth:`project` (a node or edge once a checkpoint, a query once a question) and only added along the walk.

    Args:
        query_channels: Size of a query vector; this and the next two may be 0 where there is nothing to tell, and -1
            where the first call is to tell them, as in layers of torch_geometric. Make that call before an optimiser.
        edge_channels: Size of an edge vector.
        node_channels: Size of a node vector.
        hidden_channels: Size of the hidden layer ``C``.
        dropout: Dropout probability of the hidden layer.

    Raises:
        ValueError: If a size of vectors is below -1, ``hidden_channels`` is below 1, or ``dropout`` is not between 0
            and 1.
    """

    def __init__(
        self,
        query_channels: int,
        edge_channels: int,
        node_channels: int,
        hidden_channels: int = 64,
        dropout: float = 0.3,
    ) -> None:
        super().__init__()
        for name, channels, least in (
            ("query_channels", query_channels, -1),
            ("edge_channels", edge_channels, -1),
            ("node_channels", node_channels, -1),
            ("hidden_channels", hidden_channels, 1),
        ):
            if channels < least:
                raise ValueError(f"'{name}' needs to be at least {least} (got {channels})")
        if not 0 <= dropout <= 1:
            raise ValueError(f"'dropout' needs to lie between 0 and 1 (got {dropout})")
        self.query_channels = query_channels
        self.edge_channels = edge_channels
        self.node_channels = node_channels
        self.hidden_channels = hidden_channels
        self.dropout = dropout
        features = query_channels + edge_channels + 2 * node_channels + 2
        self.input = nn.LazyLinear(hidden_channels) if self.is_lazy else nn.Linear(features, hidden_channels)
        self.norm = nn.LayerNorm(hidden_channels)
        self.output = nn.Linear(hidden_channels, 1)

    def reset_parameters(self) -> None:
        self.input.reset_parameters()
        self.norm.reset_parameters()
        self.output.reset_parameters()

    def project(self, query: Tensor, edge_attr: Tensor, x: Tensor) -> Projections:
        """Project queries ``[B, query_channels]``, edges ``[E, edge_channels]`` and nodes ``[M, node_channels]``.

        Raises:
            ValueError: If a tensor has another number of channels.
        """
        if self.is_lazy:
            self._learn_channels(query, edge_attr, x)
        require_channels("query", query, self.query_channels)
        require_channels("edge_attr", edge_attr, self.edge_channels)
        require_channels("x", x, self.node_channels)
        _, e, f, n, _ = self._split()
        return Projections(self.project_query(query), F.linear(edge_attr, e), F.linear(x, f), F.linear(x, n))

    def project_query(self, query: Tensor) -> Tensor:
        """Project queries ``[B, query_channels]`` alone, where nodes and edges were projected before."""
        return F.linear(query, self._split()[0], self.input.bias)

    def along(
        self,
        plan: WalkPlan,
        projections: Projections,
        frontier_row: Tensor | None = None,
        neighbor_row: Tensor | None = None,
    ) -> Score:
        """The scores of the edges of a plan, for :meth:`JoinWalk.propagate`.

        Args:
            plan: The plan, on the device of the projections.
            projections: What :meth:`project` returns.
            frontier_row: ``[L]`` row of the projections that stands for the node each edge leaves; by default the
                row of its number.
            neighbor_row: ``[L]`` row that stands for the node at its far end, likewise.
        """
        frontier_row = plan.frontier if frontier_row is None else frontier_row
        neighbor_row = plan.neighbor if neighbor_row is None else neighbor_row
        rows = (plan.query, plan.edge, frontier_row, neighbor_row)

        def score(positions: slice, deposit: Tensor, hop: int) -> Tensor:
            return self(projections.gather(*(row[positions] for row in rows)), deposit, hop)

        return score

    def forward(self, projected: Tensor, deposit: Tensor, hop: int) -> Tensor:
        """Score edges.

        Args:
            projected: ``[L, C]`` sum of the four projections of each edge.
            deposit: ``[L]`` deposit of the node each edge leaves.
            hop: The hop, counted from 1.

        Returns:
            ``[L]`` scores.
        """
        scalar = self._split()[4]
        hidden = torch.addcmul(projected, deposit.unsqueeze(-1), scalar[:, 0]).add_(hop * scalar[:, 1])
        # Deposits stay in single precision where the layer's weights are in half.
        hidden = hidden.to(self.norm.weight.dtype)
        hidden = dropout(self.norm(hidden).relu_(), self.dropout, self.training)
        return self.output(hidden).squeeze(-1)

    def concatenated(self, features: Tensor) -> Tensor:
        r"""The same function, ``[L]``, of the concatenated features :math:`\mathbf{x}_e`, as the paper writes it.

        Args:
            features: ``[L, query_channels + edge_channels + 2 * node_channels + 2]`` features.
        """
        hidden = dropout(self.norm(self.input(features)).relu(), self.dropout, self.training)
        return self.output(hidden).squeeze(-1)

    @property
    def is_lazy(self) -> bool:
        """Whether sizes of vectors are still to be told by the first call."""
        return -1 in (self.query_channels, self.edge_channels, self.node_channels)

    def _learn_channels(self, *vectors: Tensor) -> None:
        """Take the sizes that are not known from query, edge and node vectors, and draw the first layer's weights."""
        told = (self.query_channels, self.edge_channels, self.node_channels)
        sizes = [x.size(-1) if size == -1 else size for size, x in zip(told, vectors, strict=True)]
        total = sizes[0] + sizes[1] + 2 * sizes[2] + 2
        # A state that was loaded has told the sum of the sizes.
        loaded = None if is_lazy(self.input.weight) else self.input.weight.size(1)
        if loaded not in (None, total):
            raise ValueError(
                f"'query', 'edge_attr' and 'x' need to make {loaded} features of an edge, as the loaded state has "
                f"(got {total})"
            )
        self.query_channels, self.edge_channels, self.node_channels = sizes
        with torch.no_grad():
            self.input(self.norm.weight.new_empty(0, total))

    def _split(self) -> tuple[Tensor, ...]:
        sizes = [self.query_channels, self.edge_channels, self.node_channels, self.node_channels, 2]
        return torch.split(self.input.weight, sizes, dim=1)

    def __repr__(self) -> str:
        return (
            f"{self.__class__.__name__}({self.query_channels}, {self.edge_channels}, {self.node_channels}, "
            f"hidden_channels={self.hidden_channels})"
        )
