"""Values and gradients are those of the literal Algorithm 2."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import JoinWalk

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]
Literal = Callable[[JoinWalk, Inputs], tuple[Tensor, Tensor]]
EdgeIndexOf = Callable[[list[tuple[int, int]]], Tensor]
RequireGrad = Callable[[Inputs], Inputs]
Gradients = Callable[[JoinWalk, Inputs, tuple[Tensor, Tensor]], Inputs]


GRAPHS = {
    "one table": (1, []),
    "no edges": (4, []),
    "self-joins only": (3, [(0, 0), (1, 1), (1, 1)]),
    "chain": (5, [(0, 1), (1, 2), (2, 3), (3, 4)]),
    "cycle": (5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]),
    "diamond": (4, [(0, 1), (0, 2), (1, 3), (2, 3)]),
    "star": (5, [(0, 1), (2, 0), (0, 3), (4, 0)]),
    "parallel joins": (3, [(0, 1), (0, 1), (1, 0), (1, 2), (2, 1)]),
    "isolated tables": (6, [(1, 2), (2, 4)]),
    "joins and self-joins": (3, [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 2)]),
    "two databases": (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (3, 5), (3, 5)]),
}


@pytest.fixture(scope="session")
def assert_equals_literal(literal: Literal, require_grad: RequireGrad, gradients: Gradients) -> Callable[..., None]:
    """Deposits, scores and every gradient of a layer, against the literal algorithm."""

    def check(walk: JoinWalk, inputs: Inputs, atol: float) -> None:
        inputs = require_grad(inputs)
        output = walk(**inputs)
        ours, reference = (output.edge_deposits(), output.node_scores()), literal(walk, inputs)
        torch.testing.assert_close(ours, reference, rtol=0, atol=atol)
        if not reference[0].requires_grad:  # No walk reached an edge.
            assert not ours[0].any()
            return
        torch.testing.assert_close(
            gradients(walk, inputs, ours), gradients(walk, inputs, reference), rtol=atol, atol=atol
        )

    return check


@pytest.mark.parametrize("undirected", [True, False], ids=["undirected", "directed"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_equals_literal_algorithm(
    kernels: str,
    make_walk: Make,
    make_inputs: MakeInputs,
    edge_index_of: EdgeIndexOf,
    assert_equals_literal: Callable[..., None],
    graph: str,
    undirected: bool,
) -> None:
    num_nodes, edges = GRAPHS[graph]
    inputs = make_inputs(3, num_nodes, edge_index=edge_index_of(edges))
    assert_equals_literal(make_walk(3, undirected=undirected), inputs, atol=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_equals_literal_algorithm_on_random_multigraphs(
    kernels: str, make_walk: Make, make_inputs: MakeInputs, assert_equals_literal: Callable[..., None], seed: int
) -> None:
    options = {"hops": 1 + seed % 5, "undirected": seed % 3 != 0}
    for dtype, atol in ((torch.float, 1e-5), (torch.double, 1e-11)):
        inputs = make_inputs(seed, 4 + seed, 3 * seed, num_queries=2, dtype=dtype)
        assert_equals_literal(make_walk(seed, dtype, **options), inputs, atol)


@pytest.mark.parametrize("seed", range(4))
def test_heuristic_equals_literal_algorithm(
    make_walk: Make, make_inputs: MakeInputs, literal: Literal, seed: int
) -> None:
    walk, inputs = make_walk(seed, torch.double, learned=False), make_inputs(seed, dtype=torch.double)
    output = walk(**inputs)
    ours = (output.edge_deposits(), output.node_scores())
    torch.testing.assert_close(ours, literal(walk, inputs), rtol=0, atol=1e-12)


def test_gradcheck(kernels: str, make_walk: Make, make_inputs: MakeInputs, require_grad: RequireGrad) -> None:
    walk = make_walk(1, torch.double, hops=2)
    inputs = require_grad(make_inputs(2, num_nodes=4, num_edges=5, num_queries=2, dtype=torch.double))
    names, state = [name for name, value in inputs.items() if value.requires_grad], dict(walk.named_parameters())
    assert walk(**inputs).plan.hops[1].source.numel() > 4

    def scores(*leaves: Tensor) -> Tensor:
        given = inputs | dict(zip(names, leaves[: len(names)], strict=True))
        weights = dict(zip(state, leaves[len(names) :], strict=True))
        return torch.func.functional_call(walk, weights, kwargs=given).node_scores()

    assert torch.autograd.gradcheck(scores, [*(inputs[name] for name in names), *state.values()])
