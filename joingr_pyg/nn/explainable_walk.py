"""A walk that the explainers of torch_geometric understand."""

from typing import Any

from torch import Tensor
from torch_geometric.nn import MessagePassing

from joingr_pyg.nn.join_walk import JoinWalk


class ExplainableWalk(MessagePassing):
    r"""A :class:`~joingr_pyg.nn.JoinWalk` for :class:`torch_geometric.explain.Explainer`.

    An explainer looks for message passing layers and gives each a mask :math:`m_e` of edges. :class:`JoinWalk` is none:
    its softmax is over outgoing edges, each walk has a frontier of its own, and messages are not aggregated by target
    alone. Here the mask scales deposits, :math:`m_e \Delta_e`, which is what an edge passes on in a walk.

    Args:
        walk: The layer.
    """

    def __init__(self, walk: JoinWalk) -> None:
        super().__init__()
        self.walk = walk

    def forward(self, x: Tensor, edge_index: Tensor, query: Tensor, edge_attr: Tensor | None, **inputs: Any) -> Tensor:
        """Walk from every seed.

        Args:
            x: ``[N, node_channels]`` node vectors.
            edge_index: ``[2, E]`` edges.
            query: ``[B, query_channels]`` query vectors.
            edge_attr: ``[E, edge_channels]`` edge vectors.
            inputs: The other arguments of :meth:`JoinWalk.forward`, by name: ``seed``, ``seed_query``,
                ``seed_deposit``, and those that are optional.

        Returns:
            ``[N, B]`` node scores: an explainer's ``index`` names a node.
        """
        mask = self._edge_mask if self.explain else None
        if mask is not None and self._apply_sigmoid:
            mask = mask.sigmoid()
        return self.walk(query, x, edge_index, edge_attr, **inputs, edge_mask=mask).node_scores().t()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.walk})"
