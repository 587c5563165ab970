"""Walks over potentials in compiled code, without gradients."""

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.kernels import kernels_available
from joingr_pyg.nn.compiled_walk import graph_arrays
from joingr_pyg.nn.interaction import Potentials
from joingr_pyg.nn.join_walk import JoinWalk
from joingr_pyg.nn.plan import WalkPlanner
from joingr_pyg.nn.threads import parallel_for
from joingr_pyg.nn.walk_output import WalkOutput

Array = NDArray[Any]


class DepositPaths(NamedTuple):
    """Where the deposits of ``K`` nodes came from.

    Attributes:
        from_others: ``[K]`` share of each node's deposits that walks from other seeds than itself laid; 0 without
            deposits.
        length: ``[K]`` number of steps of the path with the largest deposit, 0 where no deposit arrived.
        step_edge: ``[K, H]`` directed edge of each step, by its position in the planner's arrays ``tail``, ``head``
            and ``edge``.
        step_deposit: ``[K, H]`` deposit on it.
    """

    from_others: Array
    length: Array
    step_edge: Array
    step_deposit: Array


class CompiledPotentialWalk:
    """A :class:`~joingr_pyg.nn.JoinWalk` without a scorer of its own, over one graph, with its present decays.

    Node scores equal those of :meth:`JoinWalk.propagate` to single precision; there are no gradients. The queries of a
    batch are spread over as many threads as torch uses.

    Args:
        walk: The layer. Later changes of its decays have no effect.
        planner: A planner of the layer's walks over the graph.

    Raises:
        ImportError: If numba is not installed.
        ValueError: If the layer has a scorer.
    """

    def __init__(self, walk: JoinWalk, planner: WalkPlanner) -> None:
        if not kernels_available():
            raise ImportError("CompiledPotentialWalk needs numba: pip install 'joingr-pyg[kernels]'")
        if walk.scorer is not None:
            raise ValueError("'walk' needs to be a layer without a scorer")
        self.num_nodes = planner.num_nodes
        self.num_edges = planner.num_edges
        self._layer, self._planner = deepcopy(walk), planner
        self._graph = graph_arrays(planner, walk)
        self._decay = walk.decay_logit.detach().sigmoid().float().numpy()

    def __call__(self, potentials: Potentials, seed: Tensor, seed_deposit: Tensor) -> Tensor:
        """Walk from every seed of every query.

        Args:
            potentials: ``[B, E]`` of edges and ``[B, N]`` of nodes.
            seed: ``[B, A]`` nodes the walks start from, ``-1`` where there are fewer.
            seed_deposit: ``[B, A]`` deposit each walk starts with.

        Returns:
            ``[B, N]`` node scores.

        Raises:
            ValueError: If a tensor has a wrong shape, or ``seed`` names a node that does not exist.
        """
        num_queries = len(seed)
        for name, part, size in (("edge", potentials.edge, self.num_edges), ("node", potentials.node, self.num_nodes)):
            if part.shape != (num_queries, size):
                raise ValueError(f"'{name}' potentials need shape [{num_queries}, {size}] (got {list(part.shape)})")
        if seed.dim() != 2 or seed_deposit.shape != seed.shape:
            raise ValueError(f"'seed' and 'seed_deposit' need one shape [{num_queries}, num_seeds]")
        if seed.numel() and not -1 <= seed.min() <= seed.max() < self.num_nodes:
            raise ValueError(f"'seed' needs to name nodes below {self.num_nodes}, or be -1")
        score = torch.zeros(num_queries, self.num_nodes)
        arrays = [
            tensor.detach().contiguous().numpy()
            for tensor in (
                potentials.edge.float(),
                potentials.node.float(),
                seed.long(),
                seed_deposit.float(),
                score,
            )
        ]
        parallel_for(lambda begin, end: self.add(*(array[begin:end] for array in arrays)), num_queries)
        return score

    @torch.no_grad()
    def output(self, potentials: Potentials, seed: Tensor, seed_deposit: Tensor) -> WalkOutput:
        """The deposit of every edge, by the layer on tensors, which takes longer; arguments are those of a call."""
        query, place = (seed >= 0).nonzero(as_tuple=True)
        plan = self._planner(seed[query, place], query, len(seed))
        return WalkOutput(self._layer.propagate(plan, seed_deposit[query, place], potentials.along(plan)), plan)

    def add(self, edge: Array, node: Array, seed: Array, seed_deposit: Array, score: Array) -> None:
        """The same for contiguous arrays, in this thread and without checks.

        Args:
            edge: ``[B, E]`` potentials of edges in single precision.
            node: ``[B, N]`` potentials of nodes in single precision.
            seed: As above.
            seed_deposit: As above, in single precision.
            score: ``[B, N]`` that the node scores are added to.
        """
        # Importing numba takes half a second.
        from joingr_pyg.kernels.potential_walk import potential_walks

        potential_walks(self._graph, self._decay, edge, node, seed, seed_deposit, score)

    def paths(self, edge: Array, node: Array, seed: Array, seed_deposit: Array, wanted: Array) -> "DepositPaths":
        """Trace where the deposits of a few nodes came from, for one query.

        Args:
            edge: ``[E]`` potentials of edges in single precision.
            node: ``[N]`` potentials of nodes in single precision.
            seed: ``[A]`` nodes the walks start from, ``-1`` where there are fewer.
            seed_deposit: ``[A]`` deposit each walk starts with, in single precision.
            wanted: ``[K]`` distinct nodes.
        """
        from joingr_pyg.kernels.deposit_paths import deposit_paths

        count, hops = len(wanted), len(self._decay)
        total, own = np.zeros((2, count), np.float32)
        length, step_edge = np.zeros(count, np.int64), np.empty((count, hops), np.int64)
        step_deposit = np.empty((count, hops), np.float32)
        written = total, own, length, step_edge, step_deposit
        deposit_paths(self._graph, self._decay, edge, node, seed, seed_deposit, wanted, *written)
        from_others = np.divide(total - own, total, out=np.zeros_like(total), where=total > 0)
        return DepositPaths(from_others, length, step_edge, step_deposit)
