"""Checks of a layer's arguments, each with the argument's name in its message.

Values are read on the CPU alone: reading them on a GPU would wait for it, and would break a compiled graph.
"""

import torch
from torch import Tensor

from joingr_pyg.nn.plan import WalkPlan


def require_channels(name: str, tensor: Tensor, channels: int) -> None:
    """Check that a tensor has shape ``[*, channels]``.

    Raises:
        ValueError: If it has not.
    """
    if tensor.dim() != 2 or tensor.size(1) != channels:
        raise ValueError(f"'{name}' needs to have shape [*, {channels}] (got {list(tensor.shape)})")


def require_deposits(deposit: Tensor) -> None:
    """Check that initial deposits are finite and not negative.

    Raises:
        ValueError: If one is not.
    """
    if not _can_be_read(deposit):
        return
    wrong = deposit.detach()
    wrong = wrong[~((wrong >= 0) & wrong.isfinite())]
    if wrong.numel():
        raise ValueError(f"'seed_deposit' needs to hold finite numbers that are not negative (got {wrong[0].item()})")


def require_rows(row: Tensor, num_rows: int) -> None:
    """Check that numbers of rows exist; one below zero would count from the end.

    Raises:
        ValueError: If one does not exist.
    """
    if not _can_be_read(row) or row.numel() == 0:
        return
    lowest, highest = row.aminmax()
    if not 0 <= lowest <= highest < num_rows:
        raise ValueError(f"'row' needs to hold numbers in [0, {num_rows}) (got {lowest} to {highest})")


def require_graph(plan: WalkPlan, edge_index: Tensor) -> None:
    """Check that the edges of a plan join the nodes that they join in a graph.

    Raises:
        ValueError: If an edge joins others.
    """
    if not (_can_be_read(edge_index) and _can_be_read(plan.edge)):
        return
    tail, head = edge_index[0, plan.edge], edge_index[1, plan.edge]
    along = (tail == plan.frontier) & (head == plan.neighbor)
    against = (tail == plan.neighbor) & (head == plan.frontier)
    if not (along | against).all():
        raise ValueError("'plan' needs to be a plan of 'edge_index': its edges join other nodes than they do there")


def require_values(edge_index: Tensor) -> None:
    """Check that a plan can be made, which reads the values of edges and seeds.

    Raises:
        ValueError: If the tensors have no values, as on the meta device and in ``torch.export``.
    """
    if edge_index.is_meta or torch.compiler.is_exporting():
        raise ValueError(
            "'plan' needs to be given on the meta device and in torch.export: make it before, "
            "by walk.planner(edge_index, num_nodes)(seed, seed_query, num_queries)"
        )


def _can_be_read(tensor: Tensor) -> bool:
    return tensor.device.type == "cpu" and not torch.compiler.is_compiling() and not _is_batched(tensor)


def _is_batched(tensor: Tensor) -> bool:
    """Whether the tensor stands for many inside ``torch.func.vmap``, where no value can be read."""
    return torch._C._functorch.is_batchedtensor(tensor)
