"""What the tests of the layer share."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import JoinWalk

Inputs = dict[str, Tensor]
Gradients = Callable[[JoinWalk, Inputs, tuple[Tensor, Tensor]], Inputs]


@pytest.fixture(scope="session")
def edge_index_of() -> Callable[[list[tuple[int, int]]], Tensor]:
    """The tensor ``[2, E]`` of pairs of nodes."""
    return lambda edges: torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t().contiguous()


@pytest.fixture(scope="session")
def require_grad() -> Callable[[Inputs], Inputs]:
    """Have gradients recorded of all inputs that can have one."""
    differentiable = ("query", "x", "edge_attr", "edge_weight", "seed_deposit")

    def mark(inputs: Inputs) -> Inputs:
        return {name: value.requires_grad_() if name in differentiable else value for name, value in inputs.items()}

    return mark


@pytest.fixture(scope="session")
def gradients() -> Gradients:
    """Gradients of edge deposits and node scores, each weighed on its own, by weights and inputs."""

    def loss_of(deposits: Tensor, scores: Tensor) -> Tensor:
        generator = torch.Generator().manual_seed(7)
        weights = [torch.randn(t.shape, generator=generator, dtype=torch.double).to(t) for t in (deposits, scores)]
        return (deposits * weights[0]).sum() + (scores * weights[1]).sum()

    def run(walk: JoinWalk, inputs: Inputs, results: tuple[Tensor, Tensor]) -> Inputs:
        leaves = {name: tensor for name, tensor in [*walk.named_parameters(), *inputs.items()] if tensor.requires_grad}
        found = torch.autograd.grad(loss_of(*results), list(leaves.values()), allow_unused=True, materialize_grads=True)
        return dict(zip(leaves, found, strict=True))

    return run


@pytest.fixture(scope="session")
def prepared() -> Callable[[JoinWalk, Inputs], tuple]:
    """The arguments of ``propagate``."""

    def prepare(walk: JoinWalk, inputs: Inputs) -> tuple:
        row = inputs["row"]
        plan = walk.planner(inputs["edge_index"], row.size(1))(inputs["seed"], inputs["seed_query"], row.size(0))
        projections = walk.scorer.project(inputs["query"], inputs["edge_attr"], inputs["x"])
        ends = (row[plan.query, plan.frontier], row[plan.query, plan.neighbor])
        return plan, inputs["seed_deposit"], walk.scorer.along(plan, projections, *ends)

    return prepare
