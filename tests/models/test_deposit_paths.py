from collections.abc import Callable

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import heuristic
from joingr_pyg.models.deposit_paths import DepositPaths, Step
from joingr_pyg.nn import JoinWalk, WalkOutput

CHAIN = [(0, 1), (2, 1), (2, 3)]  # t0 – t1 – t2 – t3


def walk(edges: list[tuple[int, int]], seeds: dict[int, float], nodes: int, hops: int = 3) -> WalkOutput:
    """A walk with uniform shares and decays of a half, for the second of two questions."""
    layer = JoinWalk(hops=hops)
    edge_index = torch.tensor(edges).reshape(-1, 2).t()
    plan = layer.planner(edge_index, nodes)(torch.tensor([0, *seeds]), torch.tensor([0] + [1] * len(seeds)), 2)
    return WalkOutput(layer.propagate(plan, torch.tensor([0.0, *seeds.values()])).detach(), plan)


def test_the_way_along_a_chain_by_hand() -> None:
    # Hop 1: the one join of t0 gets 1/2. Hop 2: each of two joins of t1 gets 1/8. Hop 3: each of two of t2 gets 1/32.
    output = walk(CHAIN, {0: 1.0}, 4)
    assert DepositPaths(output).strongest_path(1, 3) == [
        Step(frontier=0, neighbor=1, edge=0, hop=1, deposit=0.5, share=1, choices=1),
        Step(frontier=1, neighbor=2, edge=1, hop=2, deposit=0.125, share=0.5, choices=2),
        Step(frontier=2, neighbor=3, edge=2, hop=3, deposit=0.03125, share=0.5, choices=2),
    ]
    assert DepositPaths(output).strongest_path(1, 1) == [Step(0, 1, 0, 1, 0.5, 1, 1)]


def test_what_others_laid_on_a_table_by_hand() -> None:
    # From t0 with 1: 1/2 on (0, 1), then 1/8 on each of (0, 1) and (2, 1), then 1/32 on each of (2, 1) and (2, 3).
    # From t3 with 1 the same from the other end.
    output = walk(CHAIN, {0: 1.0, 3: 1.0}, 5)
    assert DepositPaths(output).share_from_others(1, 0) == pytest.approx(1 / 32 / (1 / 2 + 1 / 8 + 1 / 32))
    assert DepositPaths(output).share_from_others(1, 1) == 1
    assert DepositPaths(output).share_from_others(0, 1) == 0  # Another question.
    # All of it is t0's own where it walks alone, and t4 has no joins.
    assert DepositPaths(walk(CHAIN, {0: 1.0}, 5)).share_from_others(1, 0) == 0
    assert DepositPaths(output).share_from_others(1, 4) == 0


def test_nothing_leads_to_what_was_not_reached() -> None:
    output = walk(CHAIN, {0: 1.0}, 5, hops=2)
    assert DepositPaths(output).strongest_path(1, 3) == []  # three joins away
    assert DepositPaths(output).strongest_path(1, 4) == []  # no joins


def test_a_deposit_of_nought_leads_nowhere() -> None:
    assert DepositPaths(walk(CHAIN, {0: 0.0}, 4)).strongest_path(1, 1) == []


def test_what_comes_back_to_a_table_does_not_lead_to_it() -> None:
    """The walk lays deposits on the joins it came along, also on those of its anchor."""
    output = walk(CHAIN, {0: 1.0}, 4)
    assert output.node_scores()[1, 0] == 0.625
    assert DepositPaths(output).strongest_path(1, 0) == []
    # From another anchor there is a way.
    assert DepositPaths(walk(CHAIN, {0: 1.0, 1: 0.01}, 4)).strongest_path(1, 0) == [
        Step(1, 0, 0, 1, pytest.approx(0.0025), 0.5, 2)
    ]


def test_a_way_passes_no_table_twice() -> None:
    """Where shares are learned, more may come back from the next table than any one join brought."""
    output = walk([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)], {0: 1.0}, 5, hops=4)
    plan = output.plan
    back = (plan.query == 1) & (plan.frontier == 4) & (plan.neighbor == 3)
    assert back.sum() == 1
    output = WalkOutput(output.deposit.where(~back, 0.9), plan)
    assert [(step.frontier, step.neighbor) for step in DepositPaths(output).strongest_path(1, 3)] == [(0, 1), (1, 3)]


def test_the_stronger_of_two_ways_is_told() -> None:
    # Two joins lead from t0 to t1, and one to t2, which has one on to t3; t1 has two to t3.
    edges = [(0, 1), (0, 1), (0, 2), (2, 3), (1, 3), (3, 1)]
    steps = DepositPaths(walk(edges, {0: 1.0}, 4)).strongest_path(1, 3)
    # At t1 lie 2/6, a quarter of a half of which is 1/24 on each join; at t2 lies 1/6, half of a half of which is 1/24.
    # The joins of t1 come first.
    assert [(step.frontier, step.neighbor, step.edge, step.hop) for step in steps] == [(0, 1, 0, 1), (1, 3, 4, 2)]
    assert [step.deposit for step in steps] == pytest.approx([1 / 6, 1 / 24])
    # Two of three joins of t0 lead to t1, two of the four of t1 to t3; the other two lead back.
    assert [step.share for step in steps] == pytest.approx([2 / 3, 1 / 2])
    assert [step.choices for step in steps] == [2, 2]


def test_the_stronger_of_two_ways_is_told_also_where_they_met_before() -> None:
    # t1 and t2 lead to t3, but t1 shares with t5: 1/4 * 1/2 / 3 against 1/4 * 1/2 / 2.
    output = walk([(0, 1), (0, 2), (1, 3), (2, 3), (1, 5), (3, 4)], {0: 1.0}, 6)
    steps = DepositPaths(output).strongest_path(1, 4)
    assert [(step.frontier, step.neighbor, step.edge) for step in steps] == [(0, 2, 1), (2, 3, 3), (3, 4, 5)]
    assert steps[-1].deposit == pytest.approx((1 / 24 + 1 / 16) / 2 / 3)


def test_the_strongest_of_two_anchors_is_told_and_each_question_has_its_own(make_corpus: Callable[..., Corpus]) -> None:
    corpus = make_corpus([[[1.0, 0.0]], [[0.6, 0.8]], [[0.0, 1.0]]], joins=[(0, 1), (1, 2)])
    model = heuristic(anchors=2, hops=1).index(corpus)
    query = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    output = model(query, model.evidence(Queries(query)))
    # Anchors are t0 with 1 and t1 with 0.6, and t2 with 1 and t1 with 0.8.
    assert DepositPaths(output).strongest_path(0, 1) == [Step(0, 1, 0, 1, 0.5, 1, 1)]
    assert DepositPaths(output).strongest_path(1, 1) == [Step(2, 1, 1, 1, 0.5, 1, 1)]
    assert DepositPaths(output).strongest_path(1, 0) == [Step(1, 0, 0, 1, pytest.approx(0.2), 0.5, 2)]
