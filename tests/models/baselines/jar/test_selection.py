from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from joingr_pyg.models.baselines.jar.mip import solve
from joingr_pyg.models.baselines.jar.selection import Selection, greedy

HAND = Selection(
    cover=np.array([[0.9, 0.1, 0.2, 0.3], [0.1, 0.8, 0.2, 0.7]]),
    relevance=np.array([0.5, 0.1, 0.2, 0.3]),
    compatible=np.array([[0, 0.0, 0.6, 0.1], [0.0, 0, 0.7, 0.2], [0.6, 0.7, 0, 0.3], [0.1, 0.2, 0.3, 0]]),
    weights=(2.0, 1.0, 1.0),
)


def drawn(tables: int, subqueries: int, seed: int) -> Selection:
    random = np.random.default_rng(seed)
    compatible = random.random((tables, tables))
    return Selection(
        cover=random.random((subqueries, tables)),
        relevance=random.random(tables),
        compatible=np.triu(compatible, 1) + np.triu(compatible, 1).T,
        weights=(1.0, 0.5, 2.0),
    )


def test_the_objective_by_hand() -> None:
    assert HAND.objective([]) == 0
    assert HAND.objective([0]) == pytest.approx(2 * (0.9 + 0.1) + 0.5)
    # All but the last: covers 0.9 and 0.8, joins 0-2 and 1-2.
    assert HAND.objective([0, 1, 2]) == pytest.approx(2 * 1.7 + 0.8 + 1.3)
    assert HAND.objective([2, 0, 1]) == HAND.objective([0, 1, 2])


def test_the_spanning_tree_equals_networkx() -> None:
    for seed in range(5):
        problem = drawn(7, 1, seed)
        alone = Selection(np.zeros((1, 7)), np.zeros(7), problem.compatible, (0.0, 0.0, 1.0))
        tree = nx.maximum_spanning_tree(nx.from_numpy_array(problem.compatible))
        assert alone.objective(range(7)) == pytest.approx(tree.size(weight="weight"))


def test_greedy_steps_by_hand() -> None:
    # First: 2.5, 1.9, 1.0, 2.3. Then, beyond 0's covers: 1: 1.4 + 0.1 + 0.0; 2: 0.2 + 0.2 + 0.6; 3: 1.2 + 0.3 + 0.1.
    # Then 1: 0.2 + 0.1 + 0.2; 2: 0 + 0.2 + 0.6.
    assert greedy(HAND, 4) == [0, 3, 2, 1]
    assert greedy(HAND, 2) == [0, 3]
    assert greedy(HAND, 9, within=[1, 2]) == [1, 2]
    assert greedy(HAND, 0) == []


@pytest.mark.parametrize("size", [1, 2, 4, 7])
@pytest.mark.parametrize("seed", range(4))
def test_the_program_finds_the_best_selection(size: int, seed: int) -> None:
    problem = drawn(8, 3, seed)
    best = max(combinations(range(8), size), key=problem.objective)
    solution = solve(problem, size, gap=0.0)
    assert (solution.selected, solution.optimal) == (list(best), True)
    assert solution.objective == pytest.approx(problem.objective(best))
    assert problem.objective(greedy(problem, size)) <= solution.objective + 1e-9


def test_cycles_of_good_joins_do_not_count() -> None:
    # Three tables joined in a circle look better than 3, 4 and 5, if a circle were three joins.
    compatible = np.zeros((6, 6))
    for i, j, weight in ((0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.1), (4, 5, 1.2)):
        compatible[i, j] = compatible[j, i] = weight
    problem = Selection(np.zeros((1, 6)), np.zeros(6), compatible, (1.0, 1.0, 1.0))
    solution = solve(problem, 3)
    assert (solution.selected, solution.objective) == ([3, 4, 5], pytest.approx(2.3))
    four = solve(problem, 4, gap=0.0)
    assert four.objective == pytest.approx(max(problem.objective(members) for members in combinations(range(6), 4)))


def test_the_best_selection_found_is_used_at_the_time_limit() -> None:
    problem = drawn(12, 3, 0)
    solution = solve(problem, 6, time_limit=1e-9)
    assert not solution.optimal
    assert solution.selected == sorted(greedy(problem, 6))
    assert solution.objective == pytest.approx(problem.objective(solution.selected))


def test_all_candidates_are_selected_if_there_are_too_few() -> None:
    solution = solve(HAND, 9)
    assert (solution.selected, solution.optimal) == ([0, 1, 2, 3], True)
