"""The walk in compiled code, without gradients."""

from collections import deque
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from joingr_pyg.kernels import kernels_available
from joingr_pyg.nn.edge_scorer import EdgeScorer, Projections
from joingr_pyg.nn.join_walk import JoinWalk
from joingr_pyg.nn.plan import WalkPlanner
from joingr_pyg.nn.threads import parallel_for
from joingr_pyg.nn.validation import require_deposits
from joingr_pyg.nn.walk_output import WalkOutput

Array = NDArray[Any]

CHUNKS_PER_THREAD = 4
"""Walks of some questions reach far more edges than those of others."""

SMALLEST_GAIN = 1e-20
"""Replaces a smaller gain of the layer norm, so that it can be divided by."""


class Reached(NamedTuple):
    r"""The nodes that a positive deposit reached, query by query, best first; equal scores go by node number.

    Attributes:
        ptr: ``[B + 1]`` the nodes of query ``b`` are ``ptr[b]:ptr[b + 1]``.
        node: ``[S]`` node numbers.
        score: ``[S]`` their scores :math:`\hat s(t|q)` (section 3.2.4).
    """

    ptr: Tensor
    node: Tensor
    score: Tensor

    def first(self, k: int) -> tuple[Tensor, Tensor]:
        """The best ``k`` nodes ``[B, k]`` of every query and their scores, filled up with ``-1`` and ``-inf``."""
        index = self.ptr[:-1, None] + torch.arange(k)
        index = torch.where(index < self.ptr[1:, None], index, self.node.numel())
        return F.pad(self.node, (0, 1), value=-1)[index], F.pad(self.score, (0, 1), value=-torch.inf)[index]

    def dense(self, num_nodes: int) -> Tensor:
        """``[B, N]`` scores of all nodes, zero where no deposit went."""
        num_queries = self.ptr.numel() - 1
        scores = self.score.new_zeros(num_queries, num_nodes)
        scores[torch.arange(num_queries).repeat_interleave(self.ptr.diff()), self.node] = self.score
        return scores


class CompiledWalk:
    r"""A :class:`~joingr_pyg.nn.JoinWalk` over one graph, with the layer's present weights, for the CPU.

    Node scores equal those of the layer in evaluation mode to single precision; there are no gradients. Time and memory
    of a query grow with the edges that its walks score, not with the number of nodes. The queries of a batch are spread
    over as many threads as torch uses. The first call compiles the code, which takes some seconds; later processes load
    it where the package's folder or the user's cache folder can be written.

    Args:
        walk: The layer. Later changes of its weights have no effect.
        planner: A planner of the layer's walks over the graph.
        edge_attr: ``[E, edge_channels]`` edge vectors.
        x: ``[M, node_channels]`` node vectors.
        first_row: ``[N + 1]`` where every node owns rows of ``x``, one or more: those of node ``t`` are
            ``first_row[t]:first_row[t + 1]``, and the one most similar to a query stands for ``t``, the
            :math:`\mathbf{r}_t` of section 3.2.2. It is searched for the nodes that a walk meets. By default a node has
            the row of its number, or the one that a call gives.

    Raises:
        ImportError: If numba is not installed.
        ValueError: If a tensor does not fit the layer or the graph, or the layer's scorer is no
            :class:`~joingr_pyg.nn.EdgeScorer`.
    """

    def __init__(
        self, walk: JoinWalk, planner: WalkPlanner, edge_attr: Tensor, x: Tensor, first_row: Tensor | None = None
    ) -> None:
        if not kernels_available():
            raise ImportError("CompiledWalk needs numba: pip install 'joingr-pyg[kernels]'")
        # A subclass may compute something else than the compiled code does.
        if walk.scorer is not None and type(walk.scorer) is not EdgeScorer:
            raise ValueError(f"'walk' needs to have an EdgeScorer or no scorer (got {type(walk.scorer).__name__})")
        if walk.scorer is not None and walk.scorer.is_lazy:
            raise ValueError("'walk' needs to have been called once: its scorer does not know its channels yet")
        self.walk = walk
        self._scorer: EdgeScorer | None = walk.scorer
        self.num_nodes = planner.num_nodes
        self._planner = planner
        self._graph = graph_arrays(planner, walk)
        self._weighted = self._graph[-1].size > 0
        # Memory that passes leave behind for the next ones.
        self._scratch: deque[Any] = deque()

        if self._scorer is None:
            # Vectors do not matter to uniform shares.
            edge_attr, x, first_row = torch.zeros(planner.num_edges, 0), torch.zeros(self.num_nodes, 0), None
        else:
            _check_shape("edge_attr", edge_attr, planner.num_edges, self._scorer.edge_channels)
            _check_shape("x", x, x.size(0), self._scorer.node_channels)
        self._owned = first_row is not None
        if first_row is None:
            first_row = torch.arange(self.num_nodes + 1)
        elif first_row.shape != (self.num_nodes + 1,) or first_row[0] != 0 or first_row[-1] != x.size(0):
            raise ValueError(f"'first_row' needs to hold {self.num_nodes + 1} numbers from 0 to {x.size(0)}")
        elif not (first_row.diff() > 0).all():
            raise ValueError("'first_row' needs to ascend, since every node owns a row")
        with torch.no_grad():
            self._load(edge_attr, x, first_row)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.walk}, num_nodes={self.num_nodes})"

    def __call__(self, query: Tensor, seed: Tensor, seed_deposit: Tensor, row: Tensor | None = None) -> Reached:
        """Walk from every seed of every query.

        Args:
            query: ``[B, query_channels]`` query vectors.
            seed: ``[B, A]`` nodes the walks of each query start from, ``-1`` where there are fewer.
            seed_deposit: ``[B, A]`` deposit each walk starts with, not negative.
            row: ``[B, N]`` row of ``x`` that stands for a node under a query.

        Raises:
            ValueError: If a tensor has a wrong shape, or a deposit is negative or not finite.
            IndexError: If ``seed`` names a node that does not exist, or a row that does not exist stands for a node.
        """
        num_queries = query.size(0)
        if self._scorer is None:
            query, row = query.new_zeros(num_queries, 0), None
        else:
            _check_shape("query", query, num_queries, self._scorer.query_channels)
        if seed.dim() != 2 or seed.size(0) != num_queries or seed_deposit.shape != seed.shape:
            raise ValueError(
                f"'seed' and 'seed_deposit' need to have one shape [{num_queries}, num_seeds] "
                f"(got {list(seed.shape)} and {list(seed_deposit.shape)})"
            )
        require_deposits(seed_deposit)
        if row is not None:
            _check_shape("row", row, num_queries, self.num_nodes)
        elif self._owned:
            _check_shape("query", query, num_queries, self._features[-1][0].shape[1])
        rows = np.empty((0, 0), np.uint64) if row is None else _indices(row)
        batch = (_floats(query), _indices(seed).view(np.int64), _floats(seed_deposit), rows)

        def run(begin: int, end: int) -> tuple[Array, Array, Array]:
            return self._run(batch, begin, end)

        parts = parallel_for(run, num_queries, chunks_per_thread=CHUNKS_PER_THREAD) or [run(0, 0)]
        count, node, score = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
        ptr = np.zeros(num_queries + 1, np.int64)
        np.cumsum(count, out=ptr[1:])
        return Reached(*map(torch.from_numpy, (ptr, node, score)))

    def output(self, query: Tensor, seed: Tensor, seed_deposit: Tensor) -> WalkOutput:
        """The deposits on single edges, on tensors, from the projections and nearest rows that the pass works with.

        Args:
            query: ``[1, query_channels]`` one query.
            seed: ``[1, A]`` as above.
            seed_deposit: ``[1, A]`` as above.
        """
        question, place = (seed >= 0).nonzero(as_tuple=True)
        plan = self._planner(seed[question, place], question, 1)
        score = None
        if isinstance(self.walk.scorer, EdgeScorer):
            node, position = torch.unique(torch.cat([plan.frontier, plan.neighbor]), return_inverse=True)
            frontier, neighbor = self._rows_of(query, node)[position].chunk(2)
            edge, _, frontier_projection, _, neighbor_projection, *_ = map(torch.from_numpy, self._features[:6])
            projections = Projections(
                self.walk.scorer.project_query(query), edge, frontier_projection, neighbor_projection
            )
            score = self.walk.scorer.along(plan, projections, frontier, neighbor)
        return WalkOutput(self.walk.propagate(plan, seed_deposit[question, place], score), plan)

    def _rows_of(self, query: Tensor, node: Tensor) -> Tensor:
        """``[K]`` rows that stand for nodes ``[K]`` under a query ``[1, d]``."""
        if not self._owned:
            return node
        from joingr_pyg.kernels.join_walk import choose_rows

        row, first_row, vectors = np.empty(len(node), np.uint64), *self._features[6:]
        key, upper = np.empty(len(node), np.int64), np.empty(self._most_rows, np.float32)
        choose_rows(_floats(query)[0], vectors, first_row, _indices(node), key, row, upper)
        return torch.from_numpy(row.view(np.int64))

    def _run(self, batch: tuple[Array, ...], begin: int, end: int) -> tuple[Array, Array, Array]:
        # Importing numba takes half a second.
        from joingr_pyg.kernels.join_walk import new_scratch, walk_kernel

        try:
            scratch = self._scratch.pop()
        except IndexError:
            scratch = new_scratch(self.num_nodes, self._graph[1].size, self._channels, self._most_rows)
        kernel = walk_kernel(self._channels, self._weighted)
        reached = kernel(begin, end, self._graph, self._model, self._features, batch, scratch)
        # Not done after an error, which leaves the memory half used.
        self._scratch.append(scratch)
        return reached

    def _load(self, edge_attr: Tensor, x: Tensor, first_row: Tensor) -> None:
        """Convert weights and projections to the arrays that the kernel takes."""
        weight, bias, gain, shift, output, sizes, epsilon = _parameters(self._scorer, edge_attr, x)
        self._channels = gain.numel()
        # Centred rows add up to centred sums, whose mean the layer norm need not take off.
        weight, bias = weight - weight.mean(0), bias - bias.mean()
        query, edge, frontier, neighbor, scalars = weight.split(sizes, dim=1)
        # A channel without gain gets one too small to matter, so that it can be divided by.
        gain = torch.where(gain.abs() < SMALLEST_GAIN, SMALLEST_GAIN, gain)
        axes = gain.unsqueeze(-1) * scalars
        (deposit_square, mixed), (_, hop_square) = (scalars.t() @ scalars / max(self._channels, 1)).tolist()
        moments = (deposit_square, mixed, hop_square, *(output @ axes).tolist(), epsilon)
        self._model = (
            _floats(torch.cat([query, scalars.t() @ query])),
            _floats(torch.cat([bias, bias @ scalars])),
            *(_floats(vector) for vector in (gain, 1 / gain, shift, output, *axes.t())),
            tuple(np.float32(moment) for moment in moments),
            _floats(self.walk.decay_logit.sigmoid()),
        )
        # Beside each projection, its dot products with the directions of deposit and hop.
        self._features = (
            *_project(edge_attr, edge, scalars),
            *_project(x, frontier, scalars),
            *_project(x, neighbor, scalars),
            _indices(first_row),
            self._rows(x),
        )
        self._most_rows = int(first_row.diff().max()) if self.num_nodes else 0

    def _rows(self, x: Tensor) -> tuple[Array, Array, Array]:
        """Node vectors with their codes and the errors of these; no codes where no row is ever searched."""
        from joingr_pyg.kernels.join_walk import encode

        vectors = _floats(x)
        return vectors, *encode(vectors if self._owned else vectors[:0])


def graph_arrays(planner: WalkPlanner, walk: JoinWalk) -> tuple[Array, ...]:
    """A graph as compiled walks take it.

    Returns:
        ``[N + 1]`` where the outgoing edges of each node begin, their far ends and numbers, and what their scores have
        beside the scorer's: the logarithm of the edge's weight, less the damping of its far end. The last is empty
        where all weights are 1 and hubs are not damped.
    """
    indices = (array.astype(np.uint64) for array in (planner.ptr, planner.head, planner.edge))
    term = np.zeros(0, np.float32)
    if planner.edge_weight is not None:
        term = _floats(planner.edge_weight.float().log())[planner.edge]
    if walk.damps_hubs:
        damping = float(walk.hub_damping) * planner.log_degree[planner.head]
        term = (term if term.size else np.zeros(len(damping), np.float32)) - damping.astype(np.float32)
    return *indices, term


def _parameters(scorer: EdgeScorer | None, edge_attr: Tensor, x: Tensor) -> tuple[Any, ...]:
    """First layer, gain, shift and output weights in double precision, sizes of the first layer's inputs, and ε."""
    if scorer is None:
        # Without channels every score is zero, so shares are uniform.
        none, sizes = torch.zeros(0).double(), [0, edge_attr.size(1), x.size(1), x.size(1), 2]
        return none.new_zeros(0, sum(sizes)), none, none, none, none, sizes, 1.0
    sizes = [scorer.query_channels, scorer.edge_channels, scorer.node_channels, scorer.node_channels, 2]
    parameters = (scorer.input.weight, scorer.input.bias, scorer.norm.weight, scorer.norm.bias, scorer.output.weight[0])
    return *(parameter.double() for parameter in parameters), sizes, scorer.norm.eps


def _project(vectors: Tensor, weight: Tensor, scalars: Tensor) -> tuple[Array, Array]:
    return _floats(F.linear(vectors.float(), weight.float())), _floats(
        F.linear(vectors.float(), (scalars.t() @ weight).float())
    )


def _check_shape(name: str, tensor: Tensor, rows: int, columns: int) -> None:
    if tensor.shape != (rows, columns):
        raise ValueError(f"'{name}' needs to have shape [{rows}, {columns}] (got {list(tensor.shape)})")


def _floats(tensor: Tensor) -> Array:
    return tensor.detach().float().contiguous().numpy()


def _indices(tensor: Tensor) -> Array:
    return tensor.long().contiguous().numpy().view(np.uint64)
