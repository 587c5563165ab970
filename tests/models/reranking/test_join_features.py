"""Hand-worked numbers on the chain a - b - c, where a references b and b references c."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from joingr_pyg.models.reranking.join_features import DECAY, NAMES, STEPS, join_features

P = np.array([0.8, 0.1, 0.4], np.float32)

SHARE = np.array([[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]])
"""What each table passes on to each other in a step."""


@pytest.fixture
def chain() -> Any:
    references = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], np.float32)
    tables = SimpleNamespace(
        weighted_degree=np.array([1.0, 2.0, 1.0]), degree=np.array([1, 2, 1]), database=np.zeros(3, int)
    )
    return SimpleNamespace(
        table=np.arange(3),
        tables=tables,
        references=references,
        joined=references + references.T,
        share=SHARE,
        symmetric_share=np.sqrt(SHARE * SHARE.T),
        distance=np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]], np.float32),
        base=np.array([-1, 0, -1]),
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("best neighbor", [0.1, 0.8, 0.1]),
        ("second neighbor", [0, 0.4, 0]),
        ("sum of neighbors", [0.1, 1.2, 0.1]),
        ("mean of neighbors", [0.1, 0.6, 0.1]),
        ("best referenced", [0.1, 0.4, 0]),
        ("best referencing", [0, 0.8, 0.1]),
        ("one step", [0.05, 1.2, 0.05]),
        ("two steps", [0.6, 0.1, 0.6]),
        ("between", [0, 0.32, 0]),
        ("between best two", [0, 0.32, 0]),
        ("near", [1.3, 1.3, 1.3]),
        ("distance to best", [0, 1, 2]),
        ("mean distance", [0.9 / 1.3, 1.2 / 1.3, 1.7 / 1.3]),
        ("base", [0, 0.8, 0]),
        ("satellite", [0.1, 0, 0]),
        ("share of database", [1, 1, 1]),
    ],
)
def test_numbers_of_a_chain(chain: Any, name: str, values: list[float]) -> None:
    np.testing.assert_allclose(join_features(chain, P)[:, NAMES.index(name)], values, rtol=1e-5, atol=1e-6)


def test_random_walk_is_the_decayed_sum_of_its_steps(chain: Any) -> None:
    expected = sum(DECAY**step * (P @ np.linalg.matrix_power(SHARE, step)) for step in range(STEPS + 1))
    np.testing.assert_allclose(join_features(chain, P)[:, NAMES.index("random walk")], expected, rtol=1e-5)


def test_one_candidate_without_joins() -> None:
    tables = SimpleNamespace(weighted_degree=np.zeros(1), degree=np.zeros(1), database=np.zeros(1, int))
    zeros = np.zeros((1, 1), np.float32)
    joins = dict.fromkeys(("references", "joined", "share", "symmetric_share", "distance"), zeros)
    alone = SimpleNamespace(table=np.zeros(1, int), tables=tables, base=np.array([-1]), **joins)
    assert np.isfinite(join_features(alone, np.ones(1, np.float32))).all()
