"""The anchor walk of JoinGR as a layer: deposits spread from seed nodes over edges, hop by hop."""

import math

import torch
from torch import Tensor, nn

from joingr_pyg.nn.edge_scorer import EdgeScorer, Projections
from joingr_pyg.nn.edges import Edges, edges_of
from joingr_pyg.nn.plan import Hop, Score, WalkPlan, WalkPlanner
from joingr_pyg.nn.rows import sum_rows, take_rows
from joingr_pyg.nn.segment import segment_softmax
from joingr_pyg.nn.validation import require_deposits, require_graph, require_rows, require_values
from joingr_pyg.nn.walk_output import WalkOutput


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

    On many graphs a few nodes have most of the edges, and every walk ends there. ``hub_damping`` :math:`\gamma` takes
    from the shares of edges that lead to such hubs,

    .. math::
        \pi_e \propto d(t')^{-\gamma} \, w_e \exp(u_e),

    where :math:`d(t')` is the number of edges of the far end without loops, in both directions. With
    :math:`\gamma = 0` this is the walk of the paper; with uniform scores and :math:`\gamma = 1` the edges share in
    proportion to the inverse degrees of their far ends.

    Beside other layers: the softmax of ``GATConv`` is over the edges that *enter* a node, which makes a mean of its
    neighbours' vectors; here it is over the edges that *leave* a node, which shares out one deposit. ``APPNP`` spreads
    from all nodes at once, by fixed weights; here each walk has a frontier of its own, expands a node once, and shares
    by learned weights that depend on the query.

    Plans are made by NumPy: ``torch.compile(fullgraph=True)``, ``torch.export``, ``torch.func`` and the meta device
    need a ``plan`` that :meth:`planner` made before.

    ``query`` comes before ``x`` because one graph serves a batch of queries: the first axis of the output is theirs.

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
        hub_damping: The exponent :math:`\gamma`, any finite number; 0 leaves degrees out.
        learn_hub_damping: Whether :math:`\gamma` is a parameter that starts from ``hub_damping``.

    Shapes:
        - **query**: ``[B, query_channels]``
        - **x**: ``[N, node_channels]``, or ``[M, node_channels]`` with **row** ``[B, N]`` naming the row that stands
          for a node under a query
        - **edge_index**: ``[2, E]``, or an adjacency matrix (:func:`~joingr_pyg.nn.edges.edges_of`);
          **edge_attr**: ``[E, edge_channels]``; **edge_weight**: ``[E]``
        - **seed**, **seed_query**, **seed_deposit**: ``[W]``
        - output: :class:`WalkOutput`

    Raises:
        ValueError: If ``hops`` is no whole number from 1 on, ``decay`` is not between 0 and 1, or ``hub_damping`` is
            not finite.
    """

    def __init__(
        self,
        scorer: nn.Module | None = None,
        hops: int = 5,
        decay: float = 0.5,
        undirected: bool = True,
        learn_decays: bool | None = None,
        hub_damping: float = 0.0,
        learn_hub_damping: bool = False,
    ) -> None:
        super().__init__()
        if not isinstance(hops, int) or hops < 1:
            raise ValueError(f"'hops' needs to be a whole number, at least 1 (got {hops})")
        if not math.isfinite(hub_damping):
            raise ValueError(f"'hub_damping' needs to be finite (got {hub_damping})")
        if not 0 < decay < 1:
            raise ValueError(f"'decay' needs to lie between 0 and 1 (got {decay})")
        self.scorer = scorer
        self.hops = hops
        self.decay = decay
        self.undirected = undirected
        self.initial_hub_damping = hub_damping
        # A parameter only where it learns, so that the states of other layers hold what they always held.
        self.hub_damping = nn.Parameter(torch.empty(())) if learn_hub_damping else hub_damping
        self.decay_logit = nn.Parameter(
            torch.empty(hops), requires_grad=(scorer is not None) if learn_decays is None else learn_decays
        )
        self._reset_own()

    def reset_parameters(self) -> None:
        """Draw the scorer's weights anew, where it has a method for that, and set decays and damping to their start."""
        reset = getattr(self.scorer, "reset_parameters", None)
        if reset is not None:
            reset()
        self._reset_own()

    def _reset_own(self) -> None:
        nn.init.constant_(self.decay_logit, math.log(self.decay / (1 - self.decay)))
        if isinstance(self.hub_damping, nn.Parameter):
            nn.init.constant_(self.hub_damping, self.initial_hub_damping)

    @property
    def damps_hubs(self) -> bool:
        """Whether shares depend on degrees."""
        return isinstance(self.hub_damping, nn.Parameter) or self.hub_damping != 0

    def planner(self, edge_index: Edges, num_nodes: int, edge_weight: Tensor | None = None) -> WalkPlanner:
        """A planner of this layer's walks over a graph, to be kept and reused with it."""
        edges, weight = edges_of(edge_index, edge_weight)
        return WalkPlanner(*(edges, num_nodes, self.hops, self.undirected), edge_weight=weight, degrees=self.damps_hubs)

    def forward(
        self,
        query: Tensor,
        x: Tensor,
        edge_index: Edges,
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
            edge_index: Edges between nodes. The values of an adjacency matrix are the weights of its edges.
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
        edge_index, edge_weight = edges_of(edge_index, edge_weight)
        if plan is None:
            require_values(edge_index)
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
            ValueError: If the plan has another number of hops or walks, or no degrees where hubs are damped, or
                ``score`` returns another shape.
        """
        if self.damps_hubs and plan.log_degree is None:
            raise ValueError("'plan' needs to have degrees, since 'hub_damping' reads them: make it by walk.planner")
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
            share = self._shares(plan, hop, standing, number, score)
            laid = standing * decays[number - 1] * share
            if edge_mask is not None:
                laid = laid * take_rows(edge_mask, plan.edge[hop.start : hop.start + len(hop)])
            deposits.append(laid)
            deposit = sum_rows(take_rows(laid, hop.carry), hop.target, hop.next_frontier)
        return torch.cat(deposits)

    def _shares(self, plan: WalkPlan, hop: Hop, standing: Tensor, number: int, score: Score | None) -> Tensor:
        """``[L_h]`` shares of the edges of a hop in the deposits ``[L_h]`` of the nodes that they leave."""
        positions = slice(hop.start, hop.start + len(hop))
        terms: list[Tensor] = []
        if score is not None:
            logit = score(positions, standing, number)
            if not torch.compiler.is_compiling() and logit.shape != standing.shape:
                raise ValueError(f"'score' needs to return shape {list(standing.shape)} (got {list(logit.shape)})")
            terms.append(logit)
        if plan.edge_weight is not None:
            terms.append(plan.edge_weight[positions].log())
        if self.damps_hubs and plan.log_degree is not None:
            terms.append(-self.hub_damping * plan.log_degree[positions])
        if not terms:
            return hop.ptr.diff()[hop.source].to(standing.dtype).reciprocal()
        logit = terms[0].to(standing.dtype)
        for term in terms[1:]:
            logit = logit + term.to(standing.dtype)
        return segment_softmax(logit, hop.source, hop.ptr)

    def __repr__(self) -> str:
        damping = f", hub_damping={float(self.hub_damping):g}" if self.damps_hubs else ""
        return (
            f"{self.__class__.__name__}({self.scorer}, hops={self.hops}, decay={self.decay}, "
            f"undirected={self.undirected}{damping})"
        )


def _calls(scorer: nn.Module, plan: WalkPlan, vectors: tuple[Tensor, ...], end_rows: tuple[Tensor, Tensor]) -> Score:
    """Scores by a module that is called once a hop, with its inputs written out for every edge."""
    rows = (plan.query, plan.edge, *end_rows)

    def score(positions: slice, deposit: Tensor, hop: int) -> Tensor:
        inputs = (take_rows(x, row[positions]) for x, row in zip(vectors, rows, strict=True))
        return scorer(*inputs, deposit, hop)

    return score
