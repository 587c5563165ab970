"""Bad arguments are refused."""

import re
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import EdgeScorer, JoinWalk

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]


@pytest.mark.parametrize("hops", [0, -3, 2.5])
def test_hops_below_one_are_refused(hops: float) -> None:
    with pytest.raises(ValueError, match=rf"'hops' needs to be a whole number, at least 1 \(got {hops}\)"):
        JoinWalk(hops=hops)


@pytest.mark.parametrize("decay", [0, 1, -0.1, 1.5, float("nan")])
def test_decay_out_of_range_is_refused(decay: float) -> None:
    with pytest.raises(ValueError, match=rf"'decay' needs to lie between 0 and 1 \(got {decay}\)"):
        JoinWalk(decay=decay)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"query": torch.zeros(3, 4)}, "'query' needs to have shape [*, 5] (got [3, 4])"),
        ({"x": torch.zeros(14, 5)}, "'x' needs to have shape [*, 3] (got [14, 5])"),
        ({"edge_attr": torch.zeros(12, 3)}, "'edge_attr' needs to have shape [*, 4] (got [12, 3])"),
        ({"edge_attr": None}, "'edge_attr' needs to have shape [*, 4] (got [12, 0])"),
        ({"query": torch.zeros(5)}, "'query' needs to have shape [num_queries, channels] (got [5])"),
        ({"edge_index": torch.zeros(3, 12).long()}, "'edge_index' needs to have shape [2, num_edges] (got [3, 12])"),
        ({"edge_index": torch.full((2, 12), 7)}, "'edge_index' needs to hold numbers in [0, 7) (got 7 to 7)"),
        ({"edge_attr": torch.zeros(11, 4)}, "'edge_attr' needs to have 12 rows (got 11)"),
        ({"edge_attr": torch.zeros(13, 4)}, "'edge_attr' needs to have 12 rows (got 13)"),
        ({"seed": torch.tensor([7, 0])}, "'seed' needs to hold numbers in [0, 7) (got 0 to 7)"),
        ({"seed": torch.tensor([-1, 0])}, "'seed' needs to hold numbers in [0, 7) (got -1 to 0)"),
        (
            {"seed": torch.tensor([True, False])},
            "'seed' needs to be of integer type (got torch.bool): mask.nonzero() has the numbers of a mask",
        ),
        ({"seed": torch.ones(2)}, "'seed' needs to be of integer type (got torch.float32)"),
        ({"seed": torch.tensor([0])}, "'seed' and 'seed_query' need to have one shape [num_walks] (got [1] and [2])"),
        ({"seed_query": torch.tensor([0, 3])}, "'seed_query' needs to hold numbers in [0, 3) (got 0 to 3)"),
        ({"seed_deposit": torch.ones(1)}, "'seed_deposit' needs to have shape [2] (got [1])"),
        ({"seed_deposit": torch.ones(3)}, "'seed_deposit' needs to have shape [2] (got [3])"),
        ({"seed_deposit": torch.ones(2, 1)}, "'seed_deposit' needs to have shape [2] (got [2, 1])"),
        ({"edge_weight": torch.ones(11)}, "'edge_weight' needs to hold 12 floating point numbers"),
        ({"edge_weight": torch.ones(12).long()}, "'edge_weight' needs to hold 12 floating point numbers"),
        ({"edge_weight": torch.zeros(12)}, "'edge_weight' needs to hold finite numbers above 0 (got 0.0 to 0.0)"),
        ({"edge_weight": torch.full((12,), torch.nan)}, "'edge_weight' needs to hold finite numbers above 0"),
        ({"edge_weight": torch.full((12,), torch.inf)}, "'edge_weight' needs to hold finite numbers above 0"),
        (
            {"seed_deposit": torch.tensor([1, -0.5])},
            "'seed_deposit' needs to hold finite numbers that are not negative (got -0.5)",
        ),
        (
            {"seed_deposit": torch.tensor([1, torch.nan])},
            "'seed_deposit' needs to hold finite numbers that are not negative (got nan)",
        ),
        ({"seed_deposit": torch.tensor([1, torch.inf])}, "that are not negative (got inf)"),
        ({"edge_mask": torch.ones(11)}, "'edge_mask' needs to have shape [12] (got [11])"),
        ({"row": torch.zeros(7).long()}, "'row' needs to have shape [3, num_nodes] (got [7])"),
        ({"row": torch.zeros(2, 7).long()}, "'row' needs to have shape [3, num_nodes] (got [2, 7])"),
        ({"row": torch.full((3, 7), 14)}, "'row' needs to hold numbers in [0, 14) (got 14 to 14)"),
        ({"row": torch.full((3, 7), -1)}, "'row' needs to hold numbers in [0, 14) (got -1 to -1)"),
    ],
)
def test_wrong_inputs_are_refused(make_walk: Make, make_inputs: MakeInputs, changes: Inputs, message: str) -> None:
    walks = {"seed": torch.tensor([1, 2]), "seed_query": torch.tensor([0, 2]), "seed_deposit": torch.ones(2)}
    inputs = make_inputs() | walks
    make_walk()(**inputs)
    with pytest.raises(ValueError, match=re.escape(message)):
        make_walk()(**inputs | changes)


def test_wrong_plans_are_refused(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(hops=2), make_inputs()
    plan = make_walk(hops=3).planner(inputs["edge_index"], 7)(inputs["seed"], inputs["seed_query"], 3)
    with pytest.raises(ValueError, match=re.escape("'plan' needs to have 2 hops (got 3)")):
        walk(**inputs, plan=plan)
    plan = walk.planner(inputs["edge_index"], 8)(inputs["seed"], inputs["seed_query"], 3)
    message = "'plan' needs to be one of 3 queries, 7 nodes and 12 edges (got (3, 8, 12))"
    with pytest.raises(ValueError, match=re.escape(message)):
        walk(**inputs, plan=plan)


def test_a_plan_of_another_graph_of_the_same_size_is_refused(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    swapped = inputs["edge_index"].flip(1)
    plan = walk.planner(swapped, 7)(inputs["seed"], inputs["seed_query"], 3)
    with pytest.raises(ValueError, match="'plan' needs to be a plan of 'edge_index'"):
        walk(**inputs, plan=plan)
    # The direction of an edge does not matter where edges are walked both ways.
    walk(**inputs, plan=walk.planner(inputs["edge_index"].flip(0), 7)(inputs["seed"], inputs["seed_query"], 3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query_channels": -2}, "'query_channels' needs to be at least -1 (got -2)"),
        ({"edge_channels": -2}, "'edge_channels' needs to be at least -1 (got -2)"),
        ({"node_channels": -2}, "'node_channels' needs to be at least -1 (got -2)"),
        ({"hidden_channels": 0}, "'hidden_channels' needs to be at least 1 (got 0)"),
        ({"dropout": 2}, "'dropout' needs to lie between 0 and 1 (got 2)"),
        ({"dropout": float("nan")}, "'dropout' needs to lie between 0 and 1 (got nan)"),
    ],
)
def test_wrong_arguments_of_a_scorer_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        EdgeScorer(**{"query_channels": 5, "edge_channels": 4, "node_channels": 3} | arguments)


def test_scores_of_another_shape_are_refused(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(learned=False), make_inputs()
    plan = walk.planner(inputs["edge_index"], 7)(inputs["seed"], inputs["seed_query"], 3)
    message = f"'score' needs to return shape [{len(plan.hops[0])}] (got [{len(plan)}])"
    with pytest.raises(ValueError, match=re.escape(message)):
        walk.propagate(plan, inputs["seed_deposit"], lambda positions, deposit, hop: torch.zeros(len(plan)))


@pytest.mark.parametrize("hop", [0, 4, -1])
def test_hops_that_do_not_exist_are_refused(make_walk: Make, make_inputs: MakeInputs, hop: int) -> None:
    output = make_walk()(**make_inputs())
    with pytest.raises(IndexError, match=rf"'hop' needs to lie between 1 and 3 \(got {hop}\)"):
        output.hop(hop)
