import pytest

from joingr_pyg.errors import (
    JoinGRError,
    require_at_least,
    require_finite,
    require_flags,
    require_fraction,
    require_whole,
)


def test_minimum_values() -> None:
    require_at_least(1, anchors=1, candidates=None)
    with pytest.raises(JoinGRError, match=r"^'hops' needs to be at least 1 \(got 0\)\.$"):
        require_at_least(1, anchors=2, hops=0)


@pytest.mark.parametrize("value", ["two", True])
def test_texts_are_not_numbers(value: object) -> None:
    with pytest.raises(JoinGRError, match=rf"^'hops' needs to be a number \(got {value!r}\)\.$"):
        require_at_least(1, anchors=2.5, hops=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["two", 1.5, True, None])
def test_whole_numbers(value: object) -> None:
    require_whole(databases=-3)
    with pytest.raises(JoinGRError, match=rf"^'databases' needs to be a whole number \(got {value!r}\)\.$"):
        require_whole(databases=value)


@pytest.mark.parametrize("value", [0, 1, -0.5, float("nan")])
def test_fractions_are_between_zero_and_one(value: float) -> None:
    require_fraction(decay=0.5, table_vector=None)
    with pytest.raises(JoinGRError, match=rf"^'decay' needs to be above 0 and below 1 \(got {value}\)\.$"):
        require_fraction(decay=value)


@pytest.mark.parametrize("value", ["maybe", 1, None])
def test_flags(value: object) -> None:
    require_flags(walk=True, messages=False)
    with pytest.raises(JoinGRError, match=rf"'messages' needs to be true or false \(got {value!r}\)."):
        require_flags(walk=True, messages=value)


@pytest.mark.parametrize("value", ["two", True, None, float("inf"), float("nan")])
def test_finite_numbers(value: object) -> None:
    require_finite(hub_damping=-0.5)
    with pytest.raises(JoinGRError, match=rf"'hub_damping' needs to be a finite number \(got {value!r}\)\."):
        require_finite(hub_damping=value)  # type: ignore[arg-type]
