"""The edges of a graph in all forms that torch and torch_geometric have for them."""

from typing import TYPE_CHECKING, TypeAlias, Union

import torch
from torch import Tensor

if TYPE_CHECKING:
    from torch_geometric.typing import SparseTensor

Edges: TypeAlias = Union[Tensor, "SparseTensor"]


def edges_of(edge_index: Edges, edge_weight: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
    """Edges as a plain tensor ``[2, E]``, and their weights.

    Args:
        edge_index: ``[2, E]`` edges, as a tensor or a :class:`torch_geometric.EdgeIndex`; or an adjacency matrix
            ``[N, N]`` as a sparse tensor of torch (COO, CSR or CSC) or a ``torch_sparse.SparseTensor``, transposed as
            torch_geometric has them: row ``t`` and column ``f`` hold the edge from ``f`` to ``t``. Edges are numbered
            in the order of its values, those of COO after :meth:`torch.Tensor.coalesce`, which makes one edge of
            parallel ones. The values are the weights of the edges.
        edge_weight: ``[E]`` weights of edges, where a matrix does not give them.

    Raises:
        ValueError: If a matrix is not square, its values are no weights, or there are weights beside them.
    """
    if isinstance(edge_index, Tensor) and edge_index.layout == torch.strided:
        # NumPy and compiled code take plain tensors alone.
        return (edge_index.as_tensor() if hasattr(edge_index, "as_tensor") else edge_index), edge_weight
    # Imported here since importing torch_geometric is slow, and retrieval does not need it.
    from torch_geometric.utils import to_edge_index

    if edge_index.size(0) != edge_index.size(1):
        raise ValueError(
            f"'edge_index' needs to be square where it is a matrix (got {edge_index.size(0)} x {edge_index.size(1)})"
        )
    if isinstance(edge_index, Tensor) and edge_index.layout == torch.sparse_coo:
        # to_edge_index stops gradients here, and would mark the caller's tensor as coalesced.
        edge_index = edge_index.coalesce()
        (head, tail), value = edge_index.indices(), edge_index.values()
    else:
        (head, tail), value = to_edge_index(edge_index)
    if value.dim() != 1:
        raise ValueError(
            f"'edge_index' needs to have one value for each edge, its weight (got values of shape "
            f"{list(value.shape)}): give vectors of edges as 'edge_attr'"
        )
    if edge_weight is not None and (value != 1).any():
        raise ValueError("'edge_weight' needs to be None where the values of 'edge_index' are the weights of its edges")
    if edge_weight is None:
        edge_weight = value if value.is_floating_point() else value.float()
    return torch.stack([tail, head]), edge_weight
