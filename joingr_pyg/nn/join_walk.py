"""The anchor walk of JoinGR as a layer: deposits spread from seed nodes over edges, hop by hop."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from joingr_pyg.nn.edge_scorer import EdgeScorer, Projections
from joingr_pyg.nn.plan import Hop, Score, WalkPlan, WalkPlanner
from joingr_pyg.nn.rows import sum_rows, take_rows
from joingr_pyg.nn.segment import segment_softmax
from joingr_pyg.nn.validation import require_deposits, require_graph, require_rows


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


class JoinWalk(nn.Module):
    r"""The query-conditioned walk of `"JoinGR: Learning to Traverse Join Graphs for Table Retrieval"`, section 3.2.3.

    From every seed alone, a deposit spreads over ``H`` hops. A frontier node :math:`f` with deposit :math:`z_f` shares
    it among its outgoing edges,

    .. math::
        \Delta_e = z_f \cdot \sigma(\tilde\alpha_h) \cdot \pi_e, \qquad
        \pi_e = \frac{\exp(u_e)}{\sum_{e' \in \mathcal{N}(f)} \exp(u_{e'})}, \qquad
        u_e = s_\theta([\mathbf{q};\, \mathbf{e};\, \mathbf{r}_f;\, \mathbf{r}_{t'};\, z_f;\, h]),

    and :math:`\Delta_e` moves on to the far end :math:`t'` unless that was expanded before in the same walk. Loops are
    never walked; parallel edges are kept apart. With ``scorer=None`` the shares are uniform and the decays fixed at
    their initial value: the paper's heuristic variant. An edge may have a weight :math:`w_e > 0`, such as the
    probability that it exists; then :math:`\pi_e \propto w_e \exp(u_e)`.

    Beside other layers: the softmax of ``GATConv`` is over the edges that *enter* a node, which makes a mean of its
    neighbours' vectors; here it is over the edges that *leave* a node, which shares out one deposit. ``APPNP`` spreads
    from all nodes at once, by fixed weights; here each walk has a frontier of its own, expands a node once, and shares
    by learned weights that depend on the query.

    Plans are made by NumPy: ``torch.compile(fullgraph=True)``, ``torch.export``, ``torch.func`` and the meta device
    need a ``plan`` that :meth:`planner` made before.

    Args:
        scorer: The edge scorer :math:`s_\theta`, or ``None`` for uniform shares. It is taken as it is, trained or not.
            :class:`EdgeScorer` is the fast one, as its first layer is computed once for all walks and hops. Any other
            module is called once a hop as ``scorer(query, edge_attr, x_from, x_to, deposit, hop)`` with a row of each
            tensor for each of the hop's ``L`` edges, ``[L, channels]``, ``[L]`` deposits of the nodes that they leave,
            and the number of the hop from 1; it returns ``[L]`` scores.
        hops: Number of hops ``H``, at least 1.
        decay: Initial :math:`\alpha_h = \sigma(\tilde\alpha_h)` of every hop, between 0 and 1.
        undirected: Whether an edge is walked both ways.
        learn_decays: Whether the decays learn; by default they do where there is a scorer.

    Shapes:
        - **query**: ``[B, query_channels]``
        - **x**: ``[N, node_channels]``, or ``[M, node_channels]`` with **row** ``[B, N]`` naming the row that stands
          for a node under a query
        - **edge_index**: ``[2, E]``; **edge_attr**: ``[E, edge_channels]``; **edge_weight**: ``[E]``
        - **seed**, **seed_query**, **seed_deposit**: ``[W]``
        - output: :class:`WalkOutput`

    Raises:
        ValueError: If ``hops`` is below 1 or ``decay`` is not between 0 and 1.
    """

    def __init__(
        self,
        scorer: nn.Module | None = None,
        hops: int = 5,
        decay: float = 0.5,
        undirected: bool = True,
        learn_decays: bool | None = None,
    ) -> None:
        super().__init__()
        if hops < 1:
            raise ValueError(f"'hops' needs to be at least 1 (got {hops})")
        if not 0 < decay < 1:
            raise ValueError(f"'decay' needs to lie between 0 and 1 (got {decay})")
        self.scorer = scorer
        self.hops = hops
        self.decay = decay
        self.undirected = undirected
        self.decay_logit = nn.Parameter(
            torch.empty(hops), requires_grad=(scorer is not None) if learn_decays is None else learn_decays
        )
        self._reset_decays()

    def reset_parameters(self) -> None:
        """Draw the scorer's weights anew, where it has a method for that, and set the decays to their initial value."""
        reset = getattr(self.scorer, "reset_parameters", None)
        if reset is not None:
            reset()
        self._reset_decays()

    def _reset_decays(self) -> None:
        nn.init.constant_(self.decay_logit, math.log(self.decay / (1 - self.decay)))

    def planner(self, edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None) -> WalkPlanner:
        """A planner of this layer's walks over a graph, to be kept and reused with it."""
        return WalkPlanner(edge_index, num_nodes, self.hops, self.undirected, edge_weight=edge_weight)

    def forward(
        self,
        query: Tensor,
        x: Tensor,
        edge_index: Tensor,
        edge_attr: Tensor | None,
        seed: Tensor,
        seed_query: Tensor,
        seed_deposit: Tensor,
        row: Tensor | None = None,
        plan: WalkPlan | None = None,
        edge_weight: Tensor | None = None,
        edge_mask: Tensor | None = None,
        projections: Projections | None = None,
    ) -> WalkOutput:
        """Walk from every seed.

        Args:
            query: Query vectors.
            x: Node vectors, see the shapes of the class.
            edge_index: Edges between nodes.
            edge_attr: Edge vectors; may be ``None`` where the scorer reads none.
            seed: Node each walk starts from.
            seed_query: Query each walk belongs to.
            seed_deposit: Deposit each walk starts with, not negative.
            row: Row of ``x`` that stands for a node under a query, where node vectors depend on the query.
            plan: The plan of these seeds, where the caller keeps a planner. Seeds and edge weights are those of the
                plan then.
            edge_weight: Weights of edges, all 1 by default.
            edge_mask: ``[E]`` factors of deposits, all 1 by default. Unlike a weight, a mask takes from the deposit of
                an edge and gives nothing to others; explanations use it.
            projections: What the scorer's ``project`` made of ``query``, ``edge_attr`` and ``x``, where the caller
                keeps it while weights and vectors stay the same.

        Raises:
            ValueError: If a tensor has a wrong shape or type, names a node, query or row that does not exist, a deposit
                is negative or not finite, or ``plan`` is one of another graph, batch or number of hops. Values of rows,
                deposits and plans are checked on the CPU alone, and not in compiled code.
        """
        if query.dim() != 2:
            raise ValueError(f"'query' needs to have shape [num_queries, channels] (got {list(query.shape)})")
        if row is not None and (row.dim() != 2 or row.size(0) != query.size(0)):
            raise ValueError(f"'row' needs to have shape [{query.size(0)}, num_nodes] (got {list(row.shape)})")
        num_nodes = x.size(0) if row is None else row.size(1)
        if plan is None:
            planner = self.planner(edge_index, num_nodes, edge_weight)
            plan = planner(seed, seed_query, query.size(0)).to(query.device)
        planned = (plan.num_queries, plan.num_nodes, plan.num_edges)
        if planned != (query.size(0), num_nodes, edge_index.size(1)):
            raise ValueError(
                f"'plan' needs to be one of {query.size(0)} queries, {num_nodes} nodes and {edge_index.size(1)} edges "
                f"(got {planned})"
            )
        require_graph(plan, edge_index)
        require_deposits(seed_deposit)
        if edge_mask is not None and edge_mask.shape != (plan.num_edges,):
            raise ValueError(f"'edge_mask' needs to have shape [{plan.num_edges}] (got {list(edge_mask.shape)})")
        if self.scorer is None:
            return WalkOutput(self.propagate(plan, seed_deposit, None, edge_mask), plan)
        if edge_attr is None:
            edge_attr = query.new_zeros(plan.num_edges, 0)
        if edge_attr.size(0) != plan.num_edges:
            raise ValueError(f"'edge_attr' needs to have {plan.num_edges} rows (got {edge_attr.size(0)})")
        frontier_row, neighbor_row = plan.frontier, plan.neighbor
        if row is not None:
            require_rows(row, x.size(0))
            frontier_row, neighbor_row = row[plan.query, plan.frontier], row[plan.query, plan.neighbor]
        if not isinstance(self.scorer, EdgeScorer):
            score = _calls(self.scorer, plan, (query, edge_attr, x, x), (frontier_row, neighbor_row))
        else:
            if projections is None:
                projections = self.scorer.project(query, edge_attr, x)
            score = self.scorer.along(plan, projections, frontier_row, neighbor_row)
        return WalkOutput(self.propagate(plan, seed_deposit, score, edge_mask), plan)

    def propagate(
        self, plan: WalkPlan, seed_deposit: Tensor, score: Score | None = None, edge_mask: Tensor | None = None
    ) -> Tensor:
        r"""Run the hops of a plan.

        Compiles without graph breaks. One dynamic graph serves every plan whose hops all have two edges and two
        frontier nodes or more; sizes of zero and one, which ``torch.compile`` specialises on, make graphs of their own.

        Args:
            plan: The plan, on the device of the other arguments.
            seed_deposit: ``[W]`` deposit each walk starts with.
            score: What scores the edges of each hop: a callable that takes the positions of these edges in the plan,
                ``[L_h]`` deposits of the nodes that they leave and the number of the hop, and returns ``[L_h]`` scores
                :math:`u_e`. By default all scores are 0, so shares are uniform, or proportional to the plan's weights.
            edge_mask: ``[E]`` factors of deposits, all 1 by default.

        Returns:
            ``[L]`` deposits, in single precision at least.

        Raises:
            ValueError: If the plan has another number of hops or walks, or ``score`` returns another shape.
        """
        if len(plan.hops) != self.hops:
            raise ValueError(f"'plan' needs to have {self.hops} hops (got {len(plan.hops)})")
        if seed_deposit.dim() != 1 or seed_deposit.size(0) != plan.hops[0].frontier:
            raise ValueError(
                f"'seed_deposit' needs to have shape [{plan.hops[0].frontier}] (got {list(seed_deposit.shape)})"
            )
        decays = self.decay_logit.sigmoid()
        # Deposits are sums over many edges: half precision would lose the small ones.
        deposit, deposits = seed_deposit.to(torch.promote_types(seed_deposit.dtype, torch.float)), []
        for number, hop in enumerate(plan.hops, start=1):
            standing = take_rows(deposit, hop.source)
            share = _shares(plan, hop, standing, number, score)
            laid = standing * decays[number - 1] * share
            if edge_mask is not None:
                laid = laid * take_rows(edge_mask, plan.edge[hop.start : hop.start + len(hop)])
            deposits.append(laid)
            deposit = sum_rows(take_rows(laid, hop.carry), hop.target, hop.next_frontier)
        return torch.cat(deposits)

    def __repr__(self) -> str:
        return (
            f"{self.__class__.__name__}({self.scorer}, hops={self.hops}, decay={self.decay}, "
            f"undirected={self.undirected})"
        )


def _calls(scorer: nn.Module, plan: WalkPlan, vectors: tuple[Tensor, ...], end_rows: tuple[Tensor, Tensor]) -> Score:
    """Scores by a module that is called once a hop, with its inputs written out for every edge."""
    rows = (plan.query, plan.edge, *end_rows)

    def score(positions: slice, deposit: Tensor, hop: int) -> Tensor:
        inputs = (take_rows(x, row[positions]) for x, row in zip(vectors, rows, strict=True))
        return scorer(*inputs, deposit, hop)

    return score


def _shares(plan: WalkPlan, hop: Hop, standing: Tensor, number: int, score: Score | None) -> Tensor:
    """``[L_h]`` shares of the edges of a hop in the deposits ``[L_h]`` of the nodes that they leave."""
    positions = slice(hop.start, hop.start + len(hop))
    logit = None
    if score is not None:
        logit = score(positions, standing, number)
        if not torch.compiler.is_compiling() and logit.shape != standing.shape:
            raise ValueError(f"'score' needs to return shape {list(standing.shape)} (got {list(logit.shape)})")
        logit = logit.to(standing.dtype)
    if plan.edge_weight is not None:
        log_weight = plan.edge_weight[positions].log().to(standing.dtype)
        logit = log_weight if logit is None else logit + log_weight
    if logit is None:
        return hop.ptr.diff()[hop.source].to(standing.dtype).reciprocal()
    return segment_softmax(logit, hop.source, hop.ptr)
