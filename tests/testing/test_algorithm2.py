from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.nn import EdgeScorer, JoinWalk
from joingr_pyg.testing.algorithm2 import literal_scores, literal_walk


def edge_index_of(edges: list[tuple[int, int]]) -> Tensor:
    return torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t()


def uniform(
    edges: list[tuple[int, int]], anchors: dict[int, float], hops: int = 3, **options: bool
) -> dict[int, float]:
    query = torch.zeros(1, dtype=torch.double)
    walk, none = JoinWalk(hops=hops, **options).double(), torch.zeros(0)
    deposits = literal_walk(walk, query, none, edge_index_of(edges), none, anchors)
    return {edge: deposit.item() for edge, deposit in deposits.items()}


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param([(0, 1), (1, 2), (2, 3)], [5 / 8, 5 / 32, 1 / 32], id="chain"),
        pytest.param([(0, 1), (1, 2), (2, 0)], [5 / 16, 1 / 8, 5 / 16], id="triangle"),
        pytest.param([(0, 1), (0, 2), (1, 3), (2, 3)], [5 / 16, 5 / 16, 3 / 32, 3 / 32], id="diamond"),
        pytest.param([(0, 1), (1, 0), (0, 0)], [1 / 4 + 1 / 8, 1 / 4 + 1 / 8], id="parallel"),
        pytest.param([(1, 2)], [], id="isolated"),
        pytest.param([], [], id="no edges"),
    ],
)
def test_uniform_deposits_by_hand(edges: list[tuple[int, int]], expected: list[float]) -> None:
    assert uniform(edges, {0: 1.0}) == pytest.approx(dict(enumerate(expected)))


def test_anchors_add_up_and_do_not_see_each_other() -> None:
    # From 0: 1/2 | 1/8, 1/8. From 2 with twice the deposit: 1 | 1/4, 1/4, the other way round.
    assert uniform([(0, 1), (1, 2)], {0: 1.0, 2: 2.0}, hops=2) == pytest.approx({0: 5 / 8 + 1 / 4, 1: 1 / 8 + 5 / 4})


def test_directed_walks_follow_the_edges() -> None:
    assert uniform([(0, 1), (2, 1), (1, 3)], {0: 1.0}, undirected=False) == pytest.approx({0: 1 / 2, 2: 1 / 4})


def test_learned_shares_by_hand() -> None:
    """Two hidden channels normalise to plus and minus one: an edge with feature 1 scores ln 3, one with -1 scores 0."""
    scorer = EdgeScorer(1, 1, 1, hidden_channels=2).double()
    with torch.no_grad():
        scorer.input.weight.zero_()
        scorer.input.bias.zero_()
        scorer.input.weight[:, 1] = torch.tensor([100.0, -100.0])
        scorer.output.weight[:] = torch.tensor([3.0, 1.0]).log()
        scorer.output.bias.zero_()
    walk = JoinWalk(scorer, hops=1).double().eval()
    query, tables = torch.zeros(1, dtype=torch.double), torch.zeros(3, 1, dtype=torch.double)
    edge_attr = torch.tensor([[1.0], [-1.0]], dtype=torch.double)
    deposits = literal_walk(walk, query, tables, edge_index_of([(0, 1), (2, 0)]), edge_attr, {0: 8.0})
    assert {edge: deposit.item() for edge, deposit in deposits.items()} == pytest.approx({0: 3.0, 1: 1.0}, abs=1e-6)


def test_table_scores_by_hand() -> None:
    edge_index = edge_index_of([(0, 1), (1, 2), (3, 3)])
    scores = literal_scores({0: torch.tensor(0.5), 1: torch.tensor(0.25)}, edge_index, num_tables=4)
    assert scores.tolist() == [0.5, 0.75, 0.25, 0.0]
    assert literal_scores({}, edge_index, num_tables=4).tolist() == [0.0] * 4


def line_by_line(edges: list[tuple[int, int]], anchor: int, hops: int) -> Counter[int]:
    """Lines 9 to 36 with uniform shares: tables are visited one by one, and the next frontier filtered at the end."""
    outgoing = [
        (edge, here, there)
        for edge, ends in enumerate(edges)
        if len(set(ends)) == 2
        for here, there in (ends, ends[::-1])
    ]
    deposits: Counter[int] = Counter()
    frontier, visited = {anchor: 1.0}, set()
    for _ in range(hops):
        reached: Counter[int] = Counter()
        for table, standing in frontier.items():
            visited.add(table)
            leaving = [(edge, there) for edge, here, there in outgoing if here == table]
            for edge, neighbor in leaving:
                deposit = standing * 0.5 / len(leaving)
                deposits[edge] += deposit
                if neighbor not in visited:
                    reached[neighbor] += deposit
        frontier = {table: standing for table, standing in reached.items() if table not in visited}
        if not frontier:
            break
    return deposits


@settings(max_examples=50, deadline=None)
@given(edges=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14), hops=st.integers(1, 5))
def test_order_within_a_hop_is_free(edges: list[tuple[int, int]], hops: int) -> None:
    assert uniform(edges, {0: 1.0}, hops) == pytest.approx(line_by_line(edges, 0, hops))
