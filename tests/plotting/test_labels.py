from collections.abc import Sequence

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from joingr_pyg.plotting.labels import _touching, separate_labels


def separated(places: Sequence[float], names: Sequence[str]) -> tuple[list[str], float]:
    """The labels of an axis and how they are turned."""
    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(places, places)
    axes.set_xticks(places, names)
    separate_labels(figure, axes)
    shown = [label for label in axes.get_xticklabels() if label.get_text()]
    if len(shown) == len(names):
        assert _touching(figure, axes) == set()
    return [label.get_text() for label in shown], shown[0].get_rotation()


def test_labels_with_room_stay_as_they_are() -> None:
    assert separated([1, 2, 3], ["1", "2", "3"]) == (["1", "2", "3"], 0)


def test_long_labels_are_turned() -> None:
    names = [f"a rather long name of encoder {number}" for number in range(5)]
    assert separated(range(5), names) == (names, 45)


def test_of_labels_that_still_touch_the_first_stays() -> None:
    shown, turned = separated([0.1, 0.11, 0.12, 0.5, 1.0], ["0.1", "0.11", "0.12", "0.5", "1"])
    assert (shown, turned) == (["0.1", "0.5", "1"], 45)


def test_many_labels_are_thinned_out() -> None:
    shown, _ = separated(range(60), list(map(str, range(60))))
    assert 15 <= len(shown) <= 40
    assert shown[0] == "0"
