"""Weights of edges: shares are proportional to them."""

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


@pytest.fixture(scope="session")
def weighted_inputs(make_inputs: MakeInputs) -> MakeInputs:
    """Arguments of a walk with weights between 0 and 1."""

    def make(seed: int = 0, *sizes: int, dtype: torch.dtype = torch.float, **options: object) -> Inputs:
        inputs = make_inputs(seed, *sizes, dtype=dtype, **options)
        generator = torch.Generator().manual_seed(seed)
        return inputs | {"edge_weight": 1 - torch.rand(len(inputs["edge_attr"]), generator=generator).to(dtype)}

    return make


def test_uniform_walk_by_hand(edge_index_of: EdgeIndexOf) -> None:
    """Node 0 shares 1/2 as 1 : 1/2 : 1/2; node 1 has 3/8 of it and shares half of that as 1/2 : 1 : 1/2."""
    edge_index, one = edge_index_of([(0, 1), (0, 1), (0, 2), (1, 3)]), torch.tensor([0])
    weight = torch.tensor([1.0, 0.5, 0.5, 0.5])
    walk = JoinWalk(hops=2, decay=0.5)
    output = walk(
        torch.zeros(1, 1), torch.zeros(4, 1), edge_index, torch.zeros(4, 1), one, one, torch.ones(1),
        edge_weight=weight,
    )  # fmt: skip
    torch.testing.assert_close(output.hop(1), torch.tensor([1 / 4, 1 / 8, 1 / 8]))
    assert output.plan.edge[3:].tolist() == [3, 0, 1, 2]
    torch.testing.assert_close(output.hop(2), torch.tensor([3 / 64, 3 / 32, 3 / 64, 1 / 16]))


def test_learned_shares_by_hand(edge_index_of: EdgeIndexOf) -> None:
    """Scores ln 3 and 0 with weights 1/3 and 1/2 make shares 1 : 1/2."""
    walk = JoinWalk(hops=1, decay=0.5)
    plan = walk.planner(edge_index_of([(0, 1), (0, 2)]), 3, torch.tensor([1 / 3, 1 / 2]))(
        torch.tensor([0]), torch.tensor([0]), 1
    )
    score = torch.tensor([3.0, 1.0]).log()
    laid = walk.propagate(plan, torch.ones(1), lambda positions, deposit, hop: score[positions])
    torch.testing.assert_close(laid, torch.tensor([1 / 3, 1 / 6]))


@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_deposits_and_gradients_are_those_of_the_literal_algorithm(
    make_walk: Make,
    weighted_inputs: MakeInputs,
    literal: Literal,
    require_grad: RequireGrad,
    gradients: Gradients,
    seed: int,
    learned: bool,
) -> None:
    walk = make_walk(seed, torch.double, learned=learned, hops=1 + seed % 4, undirected=seed % 3 != 0)
    inputs = require_grad(weighted_inputs(seed, 4 + seed, 5 + 3 * seed, 2, dtype=torch.double))
    output = walk(**inputs)
    ours, reference = (output.edge_deposits(), output.node_scores()), literal(walk, inputs)
    torch.testing.assert_close(ours, reference, rtol=0, atol=1e-11)
    by_weight = gradients(walk, inputs, ours)
    torch.testing.assert_close(by_weight, gradients(walk, inputs, reference), rtol=1e-11, atol=1e-11)
    assert by_weight["edge_weight"].any()


@pytest.mark.parametrize("learned", [True, False])
def test_weights_of_one_change_no_bit(make_walk: Make, make_inputs: MakeInputs, learned: bool) -> None:
    walk, inputs = make_walk(learned=learned), make_inputs()
    plain, ones = walk(**inputs), walk(**inputs, edge_weight=torch.ones(12))
    assert ones.plan.edge_weight is None
    assert torch.equal(ones.deposit, plain.deposit)


@pytest.mark.parametrize("learned", [True, False])
def test_only_ratios_count(make_walk: Make, weighted_inputs: MakeInputs, learned: bool) -> None:
    walk, inputs = make_walk(learned=learned), weighted_inputs()
    other = inputs | {"edge_weight": 0.3 * inputs["edge_weight"]}
    torch.testing.assert_close(walk(**other).deposit, walk(**inputs).deposit)


@pytest.mark.parametrize("learned", [True, False])
def test_a_vanishing_weight_leaves_the_walk_without_the_edge(
    make_walk: Make, make_inputs: MakeInputs, edge_index_of: EdgeIndexOf, learned: bool
) -> None:
    """Removing edge 4 keeps all breadth-first distances."""
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (1, 3)]
    inputs = make_inputs(5, 6, edge_index=edge_index_of([*edges[:4], (1, 3), *edges[4:]]))
    kept = torch.arange(8) != 4
    without = inputs | {"edge_index": inputs["edge_index"][:, kept], "edge_attr": inputs["edge_attr"][kept]}
    walk = make_walk(1, learned=learned)
    expected = walk(**without)
    assert expected.node_scores().any()
    distances = []
    for weight in (1e-2, 1e-4, 1e-30):
        output = walk(**inputs, edge_weight=torch.where(kept, 1.0, weight))
        assert not output.edge_deposits()[:, 4].gt(weight * inputs["seed_deposit"].sum() * 1e3).any()
        distances.append((output.node_scores() - expected.node_scores()).abs().max().item())
    assert distances[0] > distances[1] > distances[2]
    assert distances[2] < 1e-6


def test_a_planner_weighs_the_edges_of_its_plans(make_walk: Make, weighted_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), weighted_inputs()
    weight = inputs.pop("edge_weight")
    planner = walk.planner(inputs["edge_index"], 7, weight)
    plan = planner(inputs["seed"], inputs["seed_query"], 3)
    assert torch.equal(plan.edge_weight, weight[plan.edge])
    assert torch.equal(walk(**inputs, plan=plan).deposit, walk(**inputs, edge_weight=weight).deposit)
    moved = plan.to("meta")
    assert moved.edge_weight.device == moved.query.device


def test_weighted_hops_compile_without_graph_breaks(make_walk: Make, weighted_inputs: MakeInputs) -> None:
    torch._dynamo.reset()
    walk, inputs = make_walk(hops=2), weighted_inputs(0, 9, 20, 4)
    plan = walk.planner(inputs["edge_index"], 9, inputs["edge_weight"])(inputs["seed"], inputs["seed_query"], 4)
    compiled = torch.compile(walk, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(**inputs, plan=plan).deposit, walk(**inputs).deposit)
