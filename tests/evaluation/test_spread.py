import pytest

from joingr_pyg.evaluation.spread import mean_and_spread


def test_mean_and_sample_spread() -> None:
    mean, spread = mean_and_spread([{"P@5": 0.25, "R@5": 1.0}, {"P@5": 0.75, "R@5": 1.0}, {"P@5": 0.5, "R@5": 1.0}])
    assert mean == {"P@5": 0.5, "R@5": 1.0}
    assert spread == {"P@5": pytest.approx(0.25), "R@5": 0.0}


def test_a_single_value_has_no_spread() -> None:
    assert mean_and_spread([{"P@5": 0.25}]) == ({"P@5": 0.25}, {"P@5": 0.0})
