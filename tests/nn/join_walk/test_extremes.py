"""Empty batches and graphs, deposits of nothing, and of other types."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import JoinWalk

Inputs = dict[str, Tensor]
Make = Callable[..., JoinWalk]
MakeInputs = Callable[..., Inputs]


@pytest.mark.parametrize("learned", [True, False])
def test_no_queries_no_seeds_no_edges_no_nodes(make_walk: Make, make_inputs: MakeInputs, learned: bool) -> None:
    walk = make_walk(learned=learned)
    for num_nodes, num_edges, num_queries in ((7, 12, 0), (7, 0, 3), (7, 0, 0), (0, 0, 2), (0, 0, 0)):
        edge_index = None if num_edges else torch.empty(2, 0, dtype=torch.long)
        output = walk(**make_inputs(0, num_nodes, num_edges, num_queries, edge_index))
        assert output.edge_deposits().tolist() == [[0.0] * num_edges] * num_queries
        assert output.edge_deposits().shape == (num_queries, num_edges)
        assert output.node_scores().tolist() == [[0.0] * num_nodes] * num_queries
        assert output.node_scores().shape == (num_queries, num_nodes)

    inputs = make_inputs(num_queries=3)
    middle = {"seed": torch.tensor([4]), "seed_query": torch.tensor([1]), "seed_deposit": torch.tensor([2.0])}
    scores = walk(**inputs | middle).node_scores()
    assert scores.any(dim=1).tolist() == [False, True, False]


def test_zero_deposit(make_walk: Make, make_inputs: MakeInputs) -> None:
    """Nothing is laid and nothing is undefined, and the gradient still says what a deposit would be worth."""
    walk, inputs = make_walk(), make_inputs()
    inputs["seed_deposit"] = torch.zeros_like(inputs["seed_deposit"]).requires_grad_()
    output = walk(**inputs)
    assert len(output.plan) > 0
    assert not output.deposit.any()
    gradient = torch.autograd.grad(output.node_scores().sum(), inputs["seed_deposit"])[0]
    joined = torch.isin(inputs["seed"], inputs["edge_index"][:, inputs["edge_index"][0] != inputs["edge_index"][1]])
    assert torch.equal(gradient > 0, joined)


def test_integer_and_double_deposits(make_walk: Make, make_inputs: MakeInputs) -> None:
    walk, inputs = make_walk(), make_inputs()
    ones = torch.ones_like(inputs["seed_deposit"])
    expected = walk(**inputs | {"seed_deposit": ones}).deposit
    assert torch.equal(walk(**inputs | {"seed_deposit": ones.long()}).deposit, expected)
    double = walk(**inputs | {"seed_deposit": ones.double()}).deposit
    assert double.dtype == torch.double
    torch.testing.assert_close(double.float(), expected, rtol=1e-5, atol=1e-6)
