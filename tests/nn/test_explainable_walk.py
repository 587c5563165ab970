"""Explainers of torch_geometric act on a walk."""

import pytest
import torch
from torch import Tensor
from torch_geometric.explain import Explainer, GNNExplainer, ModelConfig

from joingr_pyg.nn import EdgeScorer, JoinWalk
from joingr_pyg.nn.explainable_walk import ExplainableWalk

# Two ways from node 0 to node 3, and an edge that no walk from node 0 meets.
EDGES = torch.tensor([[0, 0, 1, 4], [1, 2, 3, 5]])
INPUTS = {
    "query": torch.zeros(1, 2),
    "edge_attr": None,
    "seed": torch.tensor([0]),
    "seed_query": torch.tensor([0]),
    "seed_deposit": torch.ones(1),
}


@pytest.fixture
def walk() -> JoinWalk:
    torch.manual_seed(0)
    return JoinWalk(EdgeScorer(2, 0, 3, 8), hops=2).eval()


@pytest.fixture
def x() -> Tensor:
    return torch.randn(6, 3, generator=torch.Generator().manual_seed(0))


def test_a_mask_scales_deposits_and_what_they_hand_on(walk: JoinWalk, x: Tensor) -> None:
    plain = walk(x=x, edge_index=EDGES, **INPUTS)
    masked = walk(x=x, edge_index=EDGES, edge_mask=torch.tensor([0.5, 1, 1, 1]), **INPUTS)
    first = plain.edge_deposits(hop=1)[0]
    torch.testing.assert_close(masked.edge_deposits(hop=1)[0], first * torch.tensor([0.5, 1, 1, 1]))
    second = masked.edge_deposits(hop=2)[0]
    assert second[2] < plain.edge_deposits(hop=2)[0, 2]
    none = walk(x=x, edge_index=EDGES, edge_mask=torch.tensor([0.0, 1, 1, 1]), **INPUTS)
    assert none.node_scores()[0, 3] == 0
    ones = walk(x=x, edge_index=EDGES, edge_mask=torch.ones(4), **INPUTS)
    assert torch.equal(ones.deposit, plain.deposit)


def test_without_an_explainer_it_is_the_layer(walk: JoinWalk, x: Tensor) -> None:
    scores = ExplainableWalk(walk)(x, EDGES, **INPUTS)
    assert torch.equal(scores, walk(x=x, edge_index=EDGES, **INPUTS).node_scores().t())


def test_gnn_explainer_finds_the_edges_that_lead_to_a_node(walk: JoinWalk, x: Tensor) -> None:
    model = ExplainableWalk(walk).eval()
    explainer = Explainer(
        model,
        algorithm=GNNExplainer(epochs=100, lr=0.05),
        explanation_type="model",
        edge_mask_type="object",
        model_config=ModelConfig(mode="regression", task_level="node", return_type="raw"),
    )
    explanation = explainer(x, EDGES, index=torch.tensor([3]), **INPUTS)
    mask = explanation.edge_mask
    assert mask.shape == (4,)
    assert mask[0] > 0
    assert mask[2] > 0
    assert mask[3] == 0  # No walk meets this edge.
    torch.testing.assert_close(model(x, EDGES, **INPUTS), walk(x=x, edge_index=EDGES, **INPUTS).node_scores().t())


def test_repr(walk: JoinWalk) -> None:
    assert str(ExplainableWalk(walk)) == f"ExplainableWalk({walk})"
