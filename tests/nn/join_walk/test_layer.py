"""The layer as such: shapes, forms of input, state."""

import copy
import io
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from joingr_pyg.nn import EdgeScorer, JoinWalk

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]


def test_repr() -> None:
    learned = "JoinWalk(EdgeScorer(16, 8, 4, hidden_channels=64), hops=5, decay=0.5, undirected=True)"
    assert str(JoinWalk(EdgeScorer(16, 8, 4))) == learned
    uniform = JoinWalk(hops=2, decay=0.3, undirected=False)
    assert str(uniform) == "JoinWalk(None, hops=2, decay=0.3, undirected=False)"
    assert str(JoinWalk(hub_damping=0.5)) == "JoinWalk(None, hops=5, decay=0.5, undirected=True, hub_damping=0.5)"


def test_shapes(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs(num_nodes=7, num_edges=12, num_queries=3)
    output = walk(**inputs)
    assert output.deposit.shape == (len(output.plan),)
    assert output.edge_deposits().shape == (3, 12)
    assert output.node_scores().shape == (3, 7)
    assert [output.hop(hop).shape for hop in (1, 2, 3)] == [(len(hop),) for hop in output.plan.hops]
    assert torch.equal(torch.cat([output.hop(hop) for hop in (1, 2, 3)]), output.deposit)


def test_input_forms_give_one_result(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(dtype=torch.double), make_inputs(dtype=torch.double)
    expected = walk(**inputs).node_scores()
    row = inputs["row"]

    # A plan made before, by a planner that is kept.
    planner = walk.planner(inputs["edge_index"], row.size(1))
    plan = planner(inputs["seed"], inputs["seed_query"], row.size(0))
    output = walk(**inputs, plan=plan)
    assert output.plan is plan
    assert torch.equal(output.node_scores(), expected)

    # Projections made before.
    projections = walk.scorer.project(inputs["query"], inputs["edge_attr"], inputs["x"])
    assert torch.equal(walk(**inputs, plan=plan, projections=projections).deposit, output.deposit)
    ends = (row[plan.query, plan.frontier], row[plan.query, plan.neighbor])
    deposit = walk.propagate(plan, inputs["seed_deposit"], walk.scorer.along(plan, projections, *ends))
    assert torch.equal(deposit, output.deposit)

    # Node vectors written out for every query, one query at a time.
    for query in range(row.size(0)):
        own = inputs["seed_query"] == query
        alone = walk(
            inputs["query"][query : query + 1],
            inputs["x"][row[query]],
            inputs["edge_index"],
            inputs["edge_attr"],
            inputs["seed"][own],
            torch.zeros_like(inputs["seed"][own]),
            inputs["seed_deposit"][own],
        )
        torch.testing.assert_close(alone.node_scores()[0], expected[query], rtol=0, atol=1e-12)

    # Small integers, and a graph whose memory lies the other way.
    small = {name: value if value.is_floating_point() else value.int() for name, value in inputs.items()}
    small["edge_index"] = small["edge_index"].t().contiguous().t()
    assert torch.equal(walk(**small).node_scores(), expected)


def test_rows_default_to_the_nodes_themselves(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    inputs["x"] = inputs["x"][:7]
    row = torch.arange(7).expand(3, 7)
    without = walk(**{name: value for name, value in inputs.items() if name != "row"})
    assert torch.equal(without.deposit, walk(**inputs | {"row": row}).deposit)


def test_seeds_add_up(make_walk: Make, make_inputs: MakeInputs) -> None:
    """Walks do not see each other, not even two from the same seed."""
    walk, inputs = make_walk(dtype=torch.double), make_inputs(dtype=torch.double, num_queries=1)
    seeds, deposits = torch.tensor([2, 2, 5]), torch.tensor([0.3, 0.7, 0.5], dtype=torch.double)

    def scores(which: list[int]) -> Tensor:
        chosen = {"seed": seeds[which], "seed_query": torch.zeros(len(which)).long(), "seed_deposit": deposits[which]}
        return walk(**inputs | chosen).node_scores()

    torch.testing.assert_close(scores([0, 1, 2]), scores([0]) + scores([1]) + scores([2]), rtol=0, atol=1e-12)
    assert torch.equal(scores([0, 1, 2]), scores([0, 1, 2]))


def test_reset_parameters_is_seeded() -> None:
    walk = JoinWalk(EdgeScorer(5, 4, 3, 8), hops=3, decay=0.2)
    with torch.no_grad():
        for parameter in walk.parameters():
            parameter.fill_(7.0)
    states = []
    for seed in (1, 2, 1):
        torch.manual_seed(seed)
        walk.reset_parameters()
        states.append(copy.deepcopy(walk.state_dict()))
    assert not any((value == 7.0).any() for value in states[0].values())
    torch.testing.assert_close(walk.decay_logit.sigmoid(), torch.full((3,), 0.2))
    assert not torch.equal(states[0]["scorer.input.weight"], states[1]["scorer.input.weight"])
    torch.testing.assert_close(states[0], states[2], rtol=0, atol=0)


def test_a_trained_scorer_is_taken_as_it_is(make_walk: Make) -> None:
    scorer = make_walk().scorer
    before = copy.deepcopy(scorer.state_dict())
    walk = JoinWalk(scorer, hops=1)
    torch.testing.assert_close(walk.scorer.state_dict(), before, rtol=0, atol=0)


def test_a_scorer_without_reset_parameters_keeps_its_weights() -> None:
    walk = JoinWalk(nn.Sequential(nn.Linear(2, 1)), hops=1)
    before = copy.deepcopy(walk.state_dict())
    with torch.no_grad():
        walk.decay_logit.add_(1)
    walk.reset_parameters()
    torch.testing.assert_close(walk.state_dict(), before, rtol=0, atol=0)


def test_deposits_may_be_mapped_over(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(dtype=torch.double), make_inputs(dtype=torch.double)
    plan = walk.planner(inputs["edge_index"], 7)(inputs["seed"], inputs["seed_query"], 3)
    deposits = inputs["seed_deposit"] * torch.tensor([[1.0], [0.5], [2.0]], dtype=torch.double)
    mapped = torch.func.vmap(lambda deposit: walk(**inputs | {"seed_deposit": deposit}, plan=plan).deposit)(deposits)
    for row, deposit in zip(mapped, deposits, strict=True):
        torch.testing.assert_close(row, walk(**inputs | {"seed_deposit": deposit}).deposit)


def test_it_is_made_on_the_meta_device() -> None:
    with torch.device("meta"):
        walk = JoinWalk(EdgeScorer(5, 4, 3), hops=2)
    assert {parameter.device.type for parameter in walk.parameters()} == {"meta"}
    walk.to_empty(device="cpu").reset_parameters()
    assert walk.decay_logit.tolist() == [0, 0]


def test_on_the_meta_device_it_needs_a_plan(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    plan = walk.planner(inputs["edge_index"], 7)(inputs["seed"], inputs["seed_query"], 3)
    walk, inputs = walk.to("meta"), {name: value.to("meta") for name, value in inputs.items()}
    assert walk(**inputs, plan=plan.to("meta")).node_scores().shape == (3, 7)
    with pytest.raises(ValueError, match="'plan' needs to be given on the meta device"):
        walk(**inputs)


def test_decays_learn_only_with_a_scorer() -> None:
    assert JoinWalk(EdgeScorer(5, 4, 3)).decay_logit.requires_grad
    assert not any(parameter.requires_grad for parameter in JoinWalk().parameters())


def test_state_round_trip_loads_weights_only(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, other, inputs = make_walk(0), make_walk(1), make_inputs()
    expected = walk(**inputs).deposit
    assert not torch.equal(other(**inputs).deposit, expected)
    assert list(walk.state_dict()) == ["decay_logit"] + [
        f"scorer.{name}.{what}" for name in ("input", "norm", "output") for what in ("weight", "bias")
    ]
    file = io.BytesIO()
    torch.save(walk.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(other(**inputs).deposit, expected)


def test_deepcopy_is_independent(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    expected = walk(**inputs).deposit
    twin = copy.deepcopy(walk)
    assert torch.equal(twin(**inputs).deposit, expected)
    with torch.no_grad():
        twin.decay_logit.add_(1)
    assert not torch.equal(twin(**inputs).deposit, expected)
    assert torch.equal(walk(**inputs).deposit, expected)
