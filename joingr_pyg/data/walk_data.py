"""Graphs with queries and seeds of walks, for the loaders of torch_geometric."""

from typing import Any

from torch import Tensor
from torch_geometric.data import Data

WALK_INPUTS = ("query", "x", "edge_index", "edge_attr", "seed", "seed_query", "seed_deposit", "edge_weight")


class WalkData(Data):
    """A graph, and walks over it, that :class:`torch_geometric.loader.DataLoader` puts together rightly.

    In a batch, ``seed`` and ``seed_query`` are numbered on from one graph to the next; a plain ``Data`` would leave
    them as they are, since it numbers on only what has ``index`` in its name.

    Attributes:
        x: ``[N, node_channels]`` node vectors.
        edge_index: ``[2, E]`` edges.
        edge_attr: ``[E, edge_channels]`` edge vectors, if the scorer reads any.
        edge_weight: ``[E]`` weights of edges, if they differ.
        query: ``[B, query_channels]`` queries.
        seed: ``[W]`` node each walk starts from.
        seed_query: ``[W]`` query each walk belongs to.
        seed_deposit: ``[W]`` deposit each walk starts with.

    Example:
        >>> for batch in DataLoader(graphs, batch_size=32):
        ...     scores = walk(**batch.walk_inputs()).node_scores()
    """

    def __inc__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        if key == "seed":
            return self.num_nodes
        if key == "seed_query":
            return self.query.size(0)
        return super().__inc__(key, value, *args, **kwargs)

    def walk_inputs(self) -> dict[str, Tensor | None]:
        """The arguments of :meth:`joingr_pyg.nn.JoinWalk.forward` by name."""
        return {name: self.get(name) for name in WALK_INPUTS}
