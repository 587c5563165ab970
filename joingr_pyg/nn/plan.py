"""The layered plan of a batch of walks: which edges every hop scores, known before any score is.

A softmax is positive everywhere, so the frontier of Algorithm 2 at hop ``h`` is exactly the set of nodes at
breadth-first distance ``h - 1`` from the seed, whatever the scores. A plan lists the edges out of those layers once;
a batch of walks is a concatenation of plans. Nothing inside the hops depends on data.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Ints = NDArray[np.int64]

Score = Callable[[slice, Tensor, int], Tensor]
"""Scores ``[L_h]`` of the edges of one hop.

Its arguments are the positions of the edges in the plan, ``[L_h]`` deposits of the nodes that they leave, and the hop,
counted from 1.
"""


@dataclass(frozen=True, eq=False)
class Hop:
    """One hop of a batch of walks: ``L`` edges out of ``F`` frontier nodes.

    Attributes:
        source: ``[L]`` position in the frontier of the node an edge leaves, ascending.
        ptr: ``[F + 1]`` edges of frontier node ``i`` are ``ptr[i]:ptr[i + 1]``.
        carry: ``[C]`` edges whose deposit moves on, because their far end was not expanded before.
        target: ``[C]`` position in the next frontier that each of them moves to.
        start: Position of the hop's first edge among all edges of the plan.
        frontier: Number of frontier nodes ``F``.
        next_frontier: Number of frontier nodes of the next hop.
    """

    source: Tensor
    ptr: Tensor
    carry: Tensor
    target: Tensor
    start: int
    frontier: int
    next_frontier: int

    def __len__(self) -> int:
        return self.source.numel()

    def to(self, device: torch.device | str) -> "Hop":
        """The same hop with its tensors on ``device``."""
        source, ptr, carry, target = (t.to(device) for t in (self.source, self.ptr, self.carry, self.target))
        return replace(self, source=source, ptr=ptr, carry=carry, target=target)


@dataclass(frozen=True, eq=False)
class WalkPlan:
    """Every edge that a batch of walks scores, hop after hop, ``L`` in all.

    Attributes:
        query: ``[L]`` query whose walk scores the edge.
        edge: ``[L]`` edge, as a column of ``edge_index``; both directions of an undirected edge share it.
        frontier: ``[L]`` node the walk stands on.
        neighbor: ``[L]`` node at the far end.
        hops: The hops; hop ``h`` owns the positions from ``hops[h - 1].start`` on.
        num_queries: Number of queries ``B``.
        num_nodes: Number of nodes of the graph.
        num_edges: Number of edges of the graph.
        edge_weight: ``[L]`` weight of each scored edge, or ``None`` where all weights are 1.
        log_degree: ``[L]`` logarithm of the number of edges of the node at the far end, in double precision, or
            ``None`` where the planner leaves degrees out.
    """

    query: Tensor
    edge: Tensor
    frontier: Tensor
    neighbor: Tensor
    hops: tuple[Hop, ...]
    num_queries: int
    num_nodes: int
    num_edges: int
    edge_weight: Tensor | None = None
    log_degree: Tensor | None = None

    def __len__(self) -> int:
        return self.query.numel()

    def to(self, device: torch.device | str) -> "WalkPlan":
        """The same plan with its tensors on ``device``."""
        query, edge, frontier, neighbor = (t.to(device) for t in (self.query, self.edge, self.frontier, self.neighbor))
        return replace(
            self,
            query=query,
            edge=edge,
            frontier=frontier,
            neighbor=neighbor,
            hops=tuple(hop.to(device) for hop in self.hops),
            edge_weight=None if self.edge_weight is None else self.edge_weight.to(device),
            log_degree=None if self.log_degree is None else self.log_degree.to(device),
        )


class WalkPlanner:
    r"""Builds walk plans over one graph and keeps the layers of every seed it has seen.

    The layers of a seed are made once, by breadth-first search, and kept in flat arrays; the plan of a batch is
    gathered from them without a loop over walks. Work follows the nodes reached, not the nodes that exist.

    Args:
        edge_index: ``[2, E]`` edges between nodes; parallel edges stay distinct, loops are never walked.
        num_nodes: Number of nodes.
        hops: Number of hops ``H``, at least 1.
        undirected: Whether an edge is walked both ways.
        max_cached_edges: Bound on the edges kept; past it the kept layers are dropped and made again.
        edge_weight: ``[E]`` weight :math:`w_e` of each edge, above 0: a term :math:`\log w_e` of its score. Both
            directions of an edge have it. By default all are 1.
        degrees: Whether plans tell the degrees of nodes, which layers that damp hubs read.

    Raises:
        ValueError: If ``hops`` is below 1, ``edge_index`` is not ``[2, E]`` with integers that name nodes, or
            ``edge_weight`` is not ``[E]`` with finite numbers above 0.
    """

    def __init__(
        self,
        edge_index: Tensor,
        num_nodes: int,
        hops: int,
        undirected: bool = True,
        max_cached_edges: int = 1 << 24,
        edge_weight: Tensor | None = None,
        degrees: bool = False,
    ) -> None:
        if hops < 1:
            raise ValueError(f"'hops' needs to be at least 1 (got {hops})")
        if edge_index.dim() != 2 or edge_index.size(0) != 2:
            raise ValueError(f"'edge_index' needs to have shape [2, num_edges] (got {list(edge_index.shape)})")
        tail, head = _numbers("edge_index", edge_index, num_nodes)
        self.num_nodes = num_nodes
        self.num_edges = edge_index.size(1)
        self.hops = hops
        self.undirected = undirected
        self.max_cached_edges = max_cached_edges
        self.degrees = degrees
        self.edge_weight = _weights(edge_weight, self.num_edges)

        edge = np.arange(self.num_edges)
        if undirected:
            tail, head, edge = np.r_[tail, head], np.r_[head, tail], np.r_[edge, edge]
        walked = tail != head
        tail, head, edge = tail[walked], head[walked], edge[walked]
        order = np.argsort(tail, kind="stable")
        self.tail, self.head, self.edge = tail[order], head[order], edge[order]
        self.ptr = np.r_[0, np.cumsum(np.bincount(tail, minlength=num_nodes))]
        self.log_degree = self._log_degrees()

        self._layer = np.zeros(num_nodes, np.int64)  # Scratch: position of a node within its layer ...
        self._reached = np.full(num_nodes, -1, np.int64)  # ... and the last search that reached it.
        self._searches = 0
        self._slot: Ints  # Place of the layers kept of each seed, or -1.
        self._forget()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.num_nodes} nodes, {self.num_edges} edges, hops={self.hops})"

    def extend(self, edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None) -> None:
        """Add a graph beside the present one; the layers kept of the present nodes stay.

        Args:
            edge_index: ``[2, E']`` edges of the added graph, whose nodes count from 0 there. Its nodes and edges are
                numbered on behind the present ones here.
            num_nodes: Number of added nodes.
            edge_weight: ``[E']`` weights of the added edges; by default all are 1.

        Raises:
            ValueError: If ``edge_index`` is not ``[2, E']`` with integers that name added nodes, or ``edge_weight`` is
                not ``[E']`` with finite numbers above 0.
        """
        added = WalkPlanner(edge_index, num_nodes, self.hops, self.undirected, edge_weight=edge_weight)
        if self.edge_weight is not None or added.edge_weight is not None:
            parts = [torch.ones(p.num_edges) if p.edge_weight is None else p.edge_weight for p in (self, added)]
            self.edge_weight = torch.cat(parts)
        self.tail = np.r_[self.tail, added.tail + self.num_nodes]
        self.head = np.r_[self.head, added.head + self.num_nodes]
        self.edge = np.r_[self.edge, added.edge + self.num_edges]
        self.ptr = np.r_[self.ptr, self.ptr[-1] + added.ptr[1:]]
        self.log_degree = np.r_[self.log_degree, added.log_degree]
        self.num_nodes += num_nodes
        self.num_edges += added.num_edges
        self._layer = np.r_[self._layer, added._layer]
        self._reached = np.r_[self._reached, added._reached]
        self._slot = np.r_[self._slot, added._slot]

    def __call__(self, seed: Tensor, seed_query: Tensor, num_queries: int) -> WalkPlan:
        """Plan one walk from every seed.

        Args:
            seed: ``[W]`` node each walk starts from.
            seed_query: ``[W]`` query each walk belongs to.
            num_queries: Number of queries ``B``; a query may own any number of walks, none included.

        Returns:
            The plan, on the CPU.

        Raises:
            ValueError: If ``seed`` and ``seed_query`` are not two integer vectors of one length with entries in range.
        """
        if seed.dim() != 1 or seed.shape != seed_query.shape:
            raise ValueError(
                f"'seed' and 'seed_query' need to have one shape [num_walks] "
                f"(got {list(seed.shape)} and {list(seed_query.shape)})"
            )
        seeds, queries = _numbers("seed", seed, self.num_nodes), _numbers("seed_query", seed_query, num_queries)
        unique = np.unique(seeds)
        missing = unique[self._slot[unique] < 0]
        if missing.size:
            self._remember(missing, unique)
        slot = self._slot[seeds]

        hops, positions, owners, start = [], [], [], 0
        for hop in range(self.hops):
            length = self._lengths[slot, hop]
            frontier, next_frontier = self._frontiers[slot, hop], self._frontiers[slot, hop + 1]
            kept, walk = _ragged(self._starts[slot, hop], length)
            source = self._source[kept] + _exclusive_cumsum(frontier)[walk]
            target = self._target[kept]
            carry = np.flatnonzero(target >= 0)
            num_frontier = int(frontier.sum())
            hops.append(
                Hop(
                    source=torch.from_numpy(source),
                    ptr=torch.from_numpy(np.r_[0, np.cumsum(np.bincount(source, minlength=num_frontier))]),
                    carry=torch.from_numpy(carry),
                    target=torch.from_numpy(target[carry] + _exclusive_cumsum(next_frontier)[walk[carry]]),
                    start=start,
                    frontier=num_frontier,
                    next_frontier=int(next_frontier.sum()),
                )
            )
            start += kept.size
            positions.append(self._position[kept])
            owners.append(queries[walk])
        position = np.concatenate(positions)
        edge = torch.from_numpy(self.edge[position])
        return WalkPlan(
            query=torch.from_numpy(np.concatenate(owners)),
            edge=edge,
            frontier=torch.from_numpy(self.tail[position]),
            neighbor=torch.from_numpy(self.head[position]),
            hops=tuple(hops),
            num_queries=num_queries,
            num_nodes=self.num_nodes,
            num_edges=self.num_edges,
            edge_weight=None if self.edge_weight is None else self.edge_weight[edge],
            log_degree=torch.from_numpy(self.log_degree[self.head[position]]) if self.degrees else None,
        )

    def _log_degrees(self) -> NDArray[np.float64]:
        """``[N]`` logarithm of the number of edges of each node, in both directions and without loops; 0 for none."""
        degree = np.diff(self.ptr)
        if not self.undirected:
            degree = degree + np.bincount(self.head, minlength=self.num_nodes)
        return np.log(np.maximum(degree, 1))

    def _forget(self) -> None:
        self._slot = np.full(self.num_nodes, -1, np.int64)
        self._num_slots = self._num_kept = 0
        self._starts = self._lengths = np.zeros((0, self.hops), np.int64)
        self._frontiers = np.zeros((0, self.hops + 1), np.int64)
        self._position = self._source = self._target = np.zeros(0, np.int64)

    def _remember(self, missing: Ints, wanted: Ints) -> None:
        if self._num_kept > self.max_cached_edges:
            self._forget()
            missing = wanted
        for seed in missing:
            layers, frontiers = self._search(int(seed))
            lengths = np.array([position.size for position, _, _ in layers])
            total, slot = int(lengths.sum()), self._num_slots
            # Doubling keeps the cost of adding seeds one by one linear in what is kept.
            self._starts = _grown(self._starts, slot + 1)
            self._lengths = _grown(self._lengths, slot + 1)
            self._frontiers = _grown(self._frontiers, slot + 1)
            self._starts[slot] = self._num_kept + _exclusive_cumsum(lengths)
            self._lengths[slot] = lengths
            self._frontiers[slot] = frontiers
            end = self._num_kept + total
            for name, values in zip(("_position", "_source", "_target"), zip(*layers, strict=True), strict=True):
                flat = _grown(getattr(self, name), end)
                np.concatenate(values, out=flat[self._num_kept : end])
                setattr(self, name, flat)
            self._slot[seed] = slot
            self._num_slots, self._num_kept = slot + 1, end

    def _search(self, seed: int) -> tuple[list[tuple[Ints, Ints, Ints]], list[int]]:
        """The edges out of each breadth-first layer of one seed, and the sizes of the layers."""
        self._searches += 1
        frontier = np.array([seed])
        self._reached[frontier] = self._searches
        layers, sizes = [], [1]
        for hop in range(self.hops):
            position, source = _ragged(self.ptr[frontier], self.ptr[frontier + 1] - self.ptr[frontier])
            head = self.head[position]
            target = np.full(head.size, -1)
            frontier = np.zeros(0, np.int64)
            if hop + 1 < self.hops:
                fresh = self._reached[head] != self._searches
                frontier = np.unique(head[fresh])
                self._reached[frontier] = self._searches
                self._layer[frontier] = np.arange(frontier.size)
                target[fresh] = self._layer[head[fresh]]
            layers.append((position, source, target))
            sizes.append(frontier.size)
        return layers, sizes


def _numbers(name: str, tensor: Tensor, count: int) -> Ints:
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
        advice = ": mask.nonzero() has the numbers of a mask" if tensor.dtype == torch.bool else ""
        raise ValueError(f"'{name}' needs to be of integer type (got {tensor.dtype}){advice}")
    numbers = tensor.cpu().numpy().astype(np.int64)
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ValueError(f"'{name}' needs to hold numbers in [0, {count}) (got {numbers.min()} to {numbers.max()})")
    return numbers


def _weights(edge_weight: Tensor | None, num_edges: int) -> Tensor | None:
    """The weights on the CPU, or ``None`` where all are 1 and need no gradient: they change nothing then."""
    if edge_weight is None:
        return None
    if edge_weight.shape != (num_edges,) or not edge_weight.is_floating_point():
        raise ValueError(
            f"'edge_weight' needs to hold {num_edges} floating point numbers, one for each edge "
            f"(got {edge_weight.dtype} of shape {list(edge_weight.shape)})"
        )
    weight = edge_weight.cpu()
    if not ((weight > 0) & weight.isfinite()).all():
        raise ValueError(
            f"'edge_weight' needs to hold finite numbers above 0 (got {weight.min().item()} to {weight.max().item()})"
        )
    return weight if weight.requires_grad or (weight != 1).any() else None


def _ragged(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """The positions of several ranges end to end, and the range that each belongs to."""
    owner = np.repeat(np.arange(lengths.size), lengths)
    return np.arange(owner.size) + (starts - _exclusive_cumsum(lengths))[owner], owner


def _exclusive_cumsum(values: Ints) -> Ints:
    return np.cumsum(values) - values


def _grown(array: Ints, size: int) -> Ints:
    if size <= array.shape[0]:
        return array
    grown = np.zeros((max(size, 2 * array.shape[0]), *array.shape[1:]), array.dtype)
    grown[: array.shape[0]] = array
    return grown
