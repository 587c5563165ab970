"""Hand-worked cases of the paired bootstrap."""

from itertools import product

import numpy as np
import pytest

from joingr_pyg.evaluation.significance import Difference, paired_bootstrap


def one(first: list[float], second: list[float], samples: int = 10_000, seed: int = 0) -> Difference:
    return paired_bootstrap({"R@5": np.array(first)}, {"R@5": np.array(second)}, samples, seed)["R@5"]


def test_a_constant_difference_is_certain() -> None:
    difference = one([1.0, 0.75, 0.5], [0.75, 0.5, 0.25], samples=999)
    assert (difference.first, difference.second) == (pytest.approx(0.75), pytest.approx(0.5))
    assert (difference.difference, difference.low, difference.high) == pytest.approx((0.25, 0.25, 0.25))
    assert difference.p == pytest.approx(2 / 1000)
    assert difference.clear


def test_no_difference_is_none() -> None:
    difference = one([0.1, 1 / 3, 0.7], [0.1, 1 / 3, 0.7])
    assert (difference.difference, difference.low, difference.high, difference.p) == (0, 0, 0, 1)
    assert not difference.clear


def test_differences_that_cancel_in_thirds_count_on_both_sides() -> None:
    """A sum such as 1/3 + 1/3 - 2/3 is zero, whatever its last digit says."""
    difference = one([1 / 3, 1 / 3, 0.0], [0.0, 0.0, 2 / 3])
    means = [np.mean(drawn) for drawn in product([1, 1, -2], repeat=3)]
    below = np.mean([mean <= 0 for mean in means])
    above = np.mean([mean >= 0 for mean in means])
    assert difference.p == pytest.approx(min(1, 2 * min(below, above)), abs=0.03)


def test_two_questions_by_hand() -> None:
    """Of the differences 0 and 1, a quarter of the samples draws 0 twice, half one of each, a quarter 1 twice."""
    difference = one([1.0, 1.0], [1.0, 0.0], samples=20_000)
    assert difference.difference == 0.5
    assert (difference.low, difference.high) == (0, 1)
    assert difference.p == pytest.approx(2 * 0.25, abs=0.02)


def test_the_interval_is_that_of_all_samples_that_can_be_drawn() -> None:
    pairs = np.array([0.5, -0.25, 1.0, 0.0])
    exact = np.percentile([np.mean(drawn) for drawn in product(pairs, repeat=4)], [2.5, 97.5])
    difference = one([0.5, 0.0, 1.0, 0.5], [0.0, 0.25, 0.0, 0.5], samples=50_000)
    assert (difference.low, difference.high) == pytest.approx(exact, abs=0.03)


def test_the_seed_alone_decides() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random((2, 40)).tolist()
    assert one(first, second) == one(first, second)
    assert one(first, second) != one(first, second, seed=1)


def test_the_order_of_the_methods_turns_the_sign() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.random((2, 30)).tolist()
    there, back = one(first, second), one(second, first)
    assert (back.difference, back.low, back.high) == pytest.approx((-there.difference, -there.high, -there.low))
    assert back.p == there.p


def test_only_metrics_of_both_are_compared() -> None:
    values = np.array([0.0, 1.0])
    assert list(paired_bootstrap({"R@5": values, "R@10": values}, {"R@10": values, "P@5": values})) == ["R@10"]
