"""What the paper's figures show, read back from their axes."""

import pytest

pytest.importorskip("matplotlib")

from joingr_pyg.runs.question_records import QuestionRecord
from paper.figures.paper import draw_by_gold, draw_gold_counts, draw_over, mean_of


def record(gold: str, ranked: str = "") -> QuestionRecord:
    return QuestionRecord(0, "?", "db", frozenset(gold), tuple(ranked))


def test_questions_are_counted_by_their_gold_tables() -> None:
    (axes,) = draw_gold_counts(
        {"A": [record("a"), record("ab"), record("ab"), record("abcd")], "B": [record("a")]}
    ).axes
    first, second = axes.containers
    assert [bar.get_height() for bar in first] == [25, 50, 0, 25]
    assert [bar.get_height() for bar in second] == [100, 0, 0, 0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["A, 4 questions", "B, 1 questions"]


def test_groups_of_gold_tables_have_their_own_means() -> None:
    seeds = [[record("a", "ab"), record("abcdef", "ab"), record("abcde", "xy")]] * 2
    seeds[1] = [record("a", "xy"), *seeds[0][1:]]
    (axes,) = draw_by_gold({"A": seeds}, ks=[2]).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["All\n3", "1\n1", "5+\n2"]
    precision, recall = (list(container) for container in axes.containers if hasattr(container, "patches"))
    assert [bar.get_height() for bar in precision] == pytest.approx([(0.5 + 1 / 3) / 2, 0.25, 0.5])
    assert [bar.get_height() for bar in recall] == pytest.approx([(4 / 9 + 1 / 9) / 2, 0.5, 1 / 6])


def test_lines_are_means_over_seeds() -> None:
    (axes,) = draw_over({"walk": {3: [0.5, 0.7], 1: [0.4]}}, "anchors", "R@10", {"vanilla": 0.3}).axes
    (line, flat) = axes.lines[0], axes.lines[-1]
    assert line.get_xdata().tolist() == [1, 3]
    assert line.get_ydata().tolist() == pytest.approx([0.4, 0.6])
    assert flat.get_ydata() == [0.3, 0.3]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("anchors", "R@10")


def test_the_mean_of_a_metric() -> None:
    assert mean_of([record("ab", "ax"), record("a", "xyz")], "R@2") == 0.25
