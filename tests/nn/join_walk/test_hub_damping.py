"""Shares that are damped by the degree of the node at the far end."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import EdgeScorer, JoinWalk, WalkPlanner

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]
Literal = Callable[[JoinWalk, Inputs], tuple[Tensor, Tensor]]
EdgeIndexOf = Callable[[list[tuple[int, int]]], Tensor]
RequireGrad = Callable[[Inputs], Inputs]
Gradients = Callable[[JoinWalk, Inputs, tuple[Tensor, Tensor]], Inputs]


@pytest.mark.parametrize("learned", [True, False])
def test_by_hand(edge_index_of: EdgeIndexOf, learned: bool) -> None:
    """Node 1 has four edges and gets 1/4 : 1 of what node 0 shares; of its own, node 0 with two edges gets 1/2 : 1."""
    edge_index, one = edge_index_of([(0, 1), (0, 2), (1, 3), (1, 4), (1, 5), (1, 1)]), torch.tensor([0])
    walk = JoinWalk(hops=2, hub_damping=1, learn_hub_damping=learned)
    output = walk(torch.zeros(1, 1), torch.zeros(6, 1), edge_index, None, one, one, torch.ones(1))
    expected = torch.tensor([[0.1, 0.4, 0, 0, 0, 0], [0.05 / 7, 0.2, 0.1 / 7, 0.1 / 7, 0.1 / 7, 0]])
    torch.testing.assert_close(torch.cat([output.edge_deposits(hop=hop) for hop in (1, 2)]), expected)


def test_directed_walks_count_the_edges_of_both_directions(edge_index_of: EdgeIndexOf) -> None:
    """Node 1 has one edge in and two out, node 2 one edge in: shares 1/3 : 1."""
    one = torch.tensor([0])
    walk = JoinWalk(hops=1, undirected=False, hub_damping=1)
    edge_index = edge_index_of([(0, 1), (0, 2), (1, 3), (1, 4)])
    output = walk(torch.zeros(1, 1), torch.zeros(5, 1), edge_index, None, one, one, torch.ones(1))
    torch.testing.assert_close(output.deposit, torch.tensor([1 / 8, 3 / 8]))


@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_deposits_and_gradients_are_those_of_the_literal_algorithm(
    make_walk: Make,
    make_inputs: MakeInputs,
    literal: Literal,
    require_grad: RequireGrad,
    gradients: Gradients,
    seed: int,
    weighted: bool,
    learned: bool,
) -> None:
    damping = {"hub_damping": 0.7, "learn_hub_damping": seed % 2 == 0}
    walk = make_walk(seed, torch.double, learned, hops=1 + seed, undirected=seed != 3, **damping)
    inputs = make_inputs(seed, 4 + seed, 5 + 3 * seed, 2, dtype=torch.double)
    if weighted:
        inputs["edge_weight"] = 1 - torch.rand(len(inputs["edge_attr"]), dtype=torch.double)
    inputs = require_grad(inputs)
    output = walk(**inputs)
    ours, reference = (output.edge_deposits(), output.node_scores()), literal(walk, inputs)
    torch.testing.assert_close(ours, reference, rtol=0, atol=1e-11)
    by_weight = gradients(walk, inputs, ours)
    torch.testing.assert_close(by_weight, gradients(walk, inputs, reference), rtol=1e-10, atol=1e-11)
    assert ("hub_damping" in by_weight) == damping["learn_hub_damping"]
    if damping["learn_hub_damping"]:
        assert by_weight["hub_damping"] != 0


@pytest.mark.parametrize("learned", [True, False])
def test_without_damping_no_bit_changes(make_walk: Make, make_inputs: MakeInputs, learned: bool) -> None:
    inputs = make_inputs()
    plain, none = make_walk(learned=learned)(**inputs), make_walk(learned=learned, hub_damping=0.0)(**inputs)
    assert none.plan.log_degree is None
    assert torch.equal(none.deposit, plain.deposit)
    start = make_walk(learned=learned, learn_hub_damping=True)
    start.load_state_dict(make_walk(learned=learned).state_dict() | {"hub_damping": torch.tensor(0.0)})
    torch.testing.assert_close(start(**inputs).deposit, plain.deposit)


def test_damping_that_learns_is_a_parameter() -> None:
    assert "hub_damping" not in JoinWalk(hub_damping=0.5).state_dict()
    walk = JoinWalk(EdgeScorer(5, 4, 3), hub_damping=0.5, learn_hub_damping=True)
    with torch.no_grad():
        walk.hub_damping.fill_(2)
    walk.reset_parameters()
    assert walk.state_dict()["hub_damping"] == 0.5


def test_a_plan_without_degrees_is_refused(make_inputs: MakeInputs) -> None:
    inputs, walk = make_inputs(), JoinWalk(hops=3, hub_damping=1)
    plan = WalkPlanner(inputs["edge_index"], 7, 3)(inputs["seed"], inputs["seed_query"], 3)
    with pytest.raises(ValueError, match="'plan' needs to have degrees, since 'hub_damping' reads them"):
        walk(**inputs, plan=plan)
    with pytest.raises(ValueError, match=r"'hub_damping' needs to be finite \(got inf\)"):
        JoinWalk(hub_damping=float("inf"))


@pytest.mark.parametrize("undirected", [True, False])
def test_planners_that_grow_count_the_degrees_of_what_is_added(undirected: bool, make_inputs: MakeInputs) -> None:
    first, second = make_inputs(0)["edge_index"], make_inputs(1)["edge_index"]
    walk = JoinWalk(undirected=undirected, hub_damping=1)
    planner = walk.planner(first, 7)
    planner.extend(second, 7)
    both = walk.planner(torch.cat([first, second + 7], dim=1), 14)
    assert planner.log_degree.tolist() == both.log_degree.tolist()
    loops = torch.cat([first, second + 7], dim=1)
    loops = loops[:, loops[0] != loops[1]]
    degree = torch.bincount(loops.flatten(), minlength=14).clamp(min=1)
    torch.testing.assert_close(torch.from_numpy(both.log_degree), degree.double().log())


def test_damped_hops_compile_without_graph_breaks(make_walk: Make, make_inputs: MakeInputs) -> None:
    torch._dynamo.reset()
    walk, inputs = make_walk(hops=2, hub_damping=0.5, learn_hub_damping=True), make_inputs(0, 9, 20, 4)
    plan = walk.planner(inputs["edge_index"], 9)(inputs["seed"], inputs["seed_query"], 4)
    compiled = torch.compile(walk, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(**inputs, plan=plan).deposit, walk(**inputs).deposit)
