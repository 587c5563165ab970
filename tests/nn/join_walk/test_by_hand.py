"""Walks that were worked out by hand."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from joingr_pyg.nn import EdgeScorer, JoinWalk, WalkOutput

EdgeIndexOf = Callable[[list[tuple[int, int]]], Tensor]
UniformWalk = Callable[..., WalkOutput]


@pytest.fixture(scope="session")
def uniform_walk(edge_index_of: EdgeIndexOf) -> UniformWalk:
    """The heuristic walk of one query, three hops."""

    def run(edges: list[tuple[int, int]], num_nodes: int, seeds: dict[int, float], **options: object) -> WalkOutput:
        walk, edge_index = JoinWalk(**{"hops": 3} | options), edge_index_of(edges)
        return walk(
            torch.zeros(1, 1),
            torch.zeros(num_nodes, 1),
            edge_index,
            torch.zeros(edge_index.size(1), 1),
            torch.tensor(list(seeds), dtype=torch.long),
            torch.zeros(len(seeds), dtype=torch.long),
            torch.tensor(list(seeds.values())),
        )

    return run


def test_chain_by_hand(uniform_walk: UniformWalk) -> None:
    """Half moves on at every hop, shared evenly: 1/2 | 1/8, 1/8 | 1/32, 1/32."""
    output = uniform_walk([(0, 1), (1, 2), (2, 3)], 4, {0: 1.0})
    assert output.plan.edge.tolist() == [0, 1, 0, 2, 1]
    assert output.deposit.tolist() == [1 / 2, 1 / 8, 1 / 8, 1 / 32, 1 / 32]
    assert output.edge_deposits().tolist() == [[1 / 2 + 1 / 8, 1 / 8 + 1 / 32, 1 / 32]]
    assert output.node_scores().tolist() == [[5 / 8, 5 / 8 + 5 / 32, 5 / 32 + 1 / 32, 1 / 32]]


def test_triangle_by_hand(uniform_walk: UniformWalk) -> None:
    """Nodes 1 and 2 are expanded at one hop, so nothing moves on between them; the edge counts from both sides."""
    output = uniform_walk([(0, 1), (1, 2), (2, 0)], 3, {0: 1.0})
    assert output.hop(1).tolist() == [1 / 4, 1 / 4]
    assert output.hop(2).tolist() == [1 / 16] * 4
    assert output.hop(3).tolist() == []
    assert output.edge_deposits().tolist() == [[5 / 16, 2 / 16, 5 / 16]]
    assert output.node_scores().tolist() == [[10 / 16, 7 / 16, 7 / 16]]


def test_diamond_by_hand(uniform_walk: UniformWalk) -> None:
    """Deposits of both ways meet at node 3: 1/4, 1/4 | 4 x 1/16, of which 1/16 + 1/16 move on | 1/32, 1/32."""
    output = uniform_walk([(0, 1), (0, 2), (1, 3), (2, 3)], 4, {0: 1.0})
    assert output.edge_deposits().tolist() == [[5 / 16, 5 / 16, 3 / 32, 3 / 32]]
    assert output.node_scores().tolist() == [[5 / 8, 13 / 32, 13 / 32, 3 / 16]]
    assert output.edge_deposits(hop=2).tolist() == [[1 / 16] * 4]
    assert output.node_scores(hop=3).tolist() == [[0, 1 / 32, 1 / 32, 1 / 16]]


def test_parallel_joins_by_hand(uniform_walk: UniformWalk) -> None:
    """Each of two parallel joins has its own share, and node 1 gets both; a loop has none."""
    output = uniform_walk([(0, 1), (1, 1), (1, 0), (1, 2)], 3, {0: 4.0}, hops=2)
    assert output.hop(1).tolist() == [1.0, 1.0]
    torch.testing.assert_close(output.hop(2), torch.full((3,), 1 / 3))
    torch.testing.assert_close(output.edge_deposits(), torch.tensor([[4 / 3, 0, 4 / 3, 1 / 3]]))
    torch.testing.assert_close(output.node_scores(), torch.tensor([[8 / 3, 3, 1 / 3]]))


def test_directed_chain_by_hand(uniform_walk: UniformWalk) -> None:
    output = uniform_walk([(0, 1), (1, 2), (3, 1)], 4, {0: 1.0, 2: 9.0}, undirected=False)
    assert output.edge_deposits().tolist() == [[1 / 2, 1 / 4, 0]]
    assert output.node_scores().tolist() == [[1 / 2, 3 / 4, 1 / 4, 0]]


def test_decays_by_hand(edge_index_of: EdgeIndexOf) -> None:
    """Every hop has a decay of its own: 0.8 | 0.8 * 0.25 | 0.8 * 0.25 * 0.5."""
    walk = JoinWalk(hops=3, undirected=False)
    walk.load_state_dict({"decay_logit": torch.tensor([0.8, 0.25, 0.5]).logit()})
    one = torch.tensor([0])
    output = walk(
        torch.zeros(1, 1), torch.zeros(4, 1), edge_index_of([(0, 1), (1, 2), (2, 3)]), torch.zeros(3, 1),
        one, one, torch.ones(1),
    )  # fmt: skip
    torch.testing.assert_close(output.deposit, torch.tensor([0.8, 0.2, 0.1]))


@pytest.mark.parametrize("chooser", ["edge", "neighbor"])
def test_learned_shares_by_hand(edge_index_of: EdgeIndexOf, chooser: str) -> None:
    """Two hidden channels normalise to plus and minus one; the edge that turns the first on scores ln 3, others 0."""
    scorer = EdgeScorer(1, 1, 1, hidden_channels=2)
    with torch.no_grad():
        scorer.input.weight.zero_()
        scorer.input.bias.zero_()
        scorer.input.weight[:, {"edge": 1, "neighbor": 3}[chooser]] = torch.tensor([100.0, -100.0])
        scorer.output.weight[:] = torch.tensor([3.0, 1.0]).log()
        scorer.output.bias.zero_()
    walk = JoinWalk(scorer, hops=2, decay=0.5).eval()
    edge_index = edge_index_of([(0, 1), (0, 2), (3, 2), (2, 4)])
    edge_attr = torch.tensor([[1.0], [-1.0], [-1.0], [1.0]]) if chooser == "edge" else torch.zeros(4, 1)
    x = torch.zeros(5, 1) if chooser == "edge" else torch.tensor([[-1.0], [1.0], [-1.0], [-1.0], [1.0]])
    one = torch.tensor([0])
    output = walk(torch.ones(1, 1), x, edge_index, edge_attr, one, one, torch.tensor([8.0]))
    # Node 0 shares 4 as 3 : 1; node 1 has 3 and one edge; node 2 has 1 and shares half of it as 3 : 1 : 1.
    torch.testing.assert_close(output.hop(1), torch.tensor([3.0, 1.0]))
    torch.testing.assert_close(output.hop(2), torch.tensor([1.5, 0.3, 0.1, 0.1]))
    torch.testing.assert_close(output.node_scores(), torch.tensor([[5.6, 4.5, 1.5, 0.1, 0.3]]))
