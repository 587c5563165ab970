"""The scorer of edges by evidence and low-rank interactions."""

import torch

from joingr_pyg.nn import InteractionScorer, JoinWalk, Potentials, WalkPlanner


def inputs() -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(2, 4), (3, 5), (6, 7), (2, 3, 1), (2, 6, 2)]
    return tuple(torch.randn(shape, generator=generator) for shape in shapes)


def test_scores_are_those_of_the_formula() -> None:
    scorer = InteractionScorer(4, 5, 7, edge_features=1, node_features=2, rank=3)
    with torch.no_grad():
        scorer.edge_weight.fill_(0.7)
        scorer.node_weight.copy_(torch.tensor([-0.2, 0.5]))
    query, edge_attr, x, edge_evidence, node_evidence = inputs()
    edge_index = torch.tensor([[0, 1, 1], [1, 2, 3]])
    plan = WalkPlanner(edge_index, 6, hops=2)(torch.tensor([0, 2]), torch.tensor([0, 1]), 2)
    score = scorer(query, edge_attr, x, edge_evidence, node_evidence).gather(plan)
    assert len(plan) > 0
    for value, q, e, n in zip(score, plan.query, plan.edge, plan.neighbor, strict=True):
        asked = scorer.query @ query[q]
        interaction = asked @ (scorer.edge @ edge_attr[e] + scorer.node @ x[n])
        evidence = 0.7 * edge_evidence[q, e, 0] + torch.tensor([-0.2, 0.5]) @ node_evidence[q, n]
        torch.testing.assert_close(value, interaction + evidence)


def test_without_interactions_it_starts_as_uniform_shares() -> None:
    scorer = InteractionScorer(4, 5, 7, edge_features=1, node_features=2, rank=0)
    plan = WalkPlanner(torch.tensor([[0, 0, 1], [1, 2, 3]]), 6, hops=2)(torch.tensor([0]), torch.tensor([0]), 2)
    score = scorer(*inputs()).along(plan)
    walk = JoinWalk(None, hops=2)
    assert torch.equal(walk.propagate(plan, torch.ones(1), score), walk.propagate(plan, torch.ones(1)))


def test_scores_made_elsewhere_steer_the_walk() -> None:
    plan = WalkPlanner(torch.tensor([[0, 0], [1, 2]]), 3, hops=1)(torch.tensor([0]), torch.tensor([0]), 1)
    potentials = Potentials(torch.tensor([[0.0, 1.0]]).log1p(), torch.zeros(1, 3))
    laid = JoinWalk(None, hops=1, decay=0.5).propagate(plan, torch.tensor([0.6]), potentials.along(plan))
    torch.testing.assert_close(laid, torch.tensor([0.6 * 0.5 / 3, 0.6 * 0.5 * 2 / 3]))


def test_every_weight_has_a_gradient() -> None:
    scorer = InteractionScorer(4, 5, 7, edge_features=1, node_features=2, rank=3)
    plan = WalkPlanner(torch.tensor([[0, 0, 1], [1, 2, 3]]), 6, hops=2)(torch.tensor([0, 1]), torch.tensor([0, 1]), 2)
    walk = JoinWalk(None, hops=2, learn_decays=True)
    laid = walk.propagate(plan, torch.ones(2), scorer(*inputs()).along(plan))
    (laid**2).sum().backward()
    for name, parameter in [*scorer.named_parameters(), ("decay_logit", walk.decay_logit)]:
        assert parameter.grad is not None
        assert parameter.grad.abs().sum() > 0, name


def test_starting_anew() -> None:
    scorer = InteractionScorer(4, 5, 7, edge_features=1, node_features=2)
    before = scorer.query.clone()
    with torch.no_grad():
        scorer.edge_weight.fill_(1)
    scorer.reset_parameters()
    assert scorer.edge_weight.item() == 0
    assert not torch.equal(scorer.query, before)
    assert repr(scorer) == "InteractionScorer(4, 5, 7, edge_features=1, node_features=2, rank=8)"


def test_interactions_are_products_of_factors() -> None:
    torch.manual_seed(0)
    scorer = InteractionScorer(3, 4, 5, 1, 1, rank=2)
    query, edge_attr, x = torch.randn(2, 3), torch.randn(6, 4), torch.randn(7, 5)
    potentials = scorer(query, edge_attr, x, torch.zeros(2, 6, 1), torch.zeros(2, 7, 1))
    common, edge, node = scorer.factors(edge_attr, x)
    torch.testing.assert_close(query @ common.t() @ edge.t(), potentials.edge)
    torch.testing.assert_close(query @ common.t() @ node.t(), potentials.node)
