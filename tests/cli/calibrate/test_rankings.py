import torch

from joingr_pyg.cli.calibrate.rankings import Rankings
from joingr_pyg.models.calibration import CANDIDATES
from joingr_pyg.runs.question_records import QuestionRecord


def test_rankings_by_hand() -> None:
    first = QuestionRecord(0, "?", "x", frozenset({"x.a", "y.b"}), ("x.a", "y.c", "x.d"), (3.0, 2.0, 1.0))
    second = QuestionRecord(1, "?", "y", frozenset({"y.c"}), ("y.c",), (0.5,))
    found = Rankings.of([first, second])
    assert found.question_database == ("x", "y")
    assert found.table.shape == found.score.shape == found.database.shape == (2, CANDIDATES)
    a, c, d = found.table[0, :3].tolist()
    assert len({a, c, d}) == 3
    assert found.table[1, :2].tolist() == [c, -1]
    assert found.score[0, :4].tolist() == [3, 2, 1, -torch.inf]
    x, y = found.database[0, :2].tolist()
    assert x != y
    assert (found.database[0, 2:4].tolist(), found.database[1, :2].tolist()) == ([x, -1], [y, -1])
    assert found.gold[1].tolist() == [c, -1]
    assert a in found.gold[0].tolist()
    assert not set(found.gold[0].tolist()) & {c, d, -1}  # One gold table is not ranked, and has a number too.
    assert found.needed[:, :4].tolist() == [[True, False, False, False], [True, False, False, False]]


def test_places_that_no_set_holds_are_left_out() -> None:
    names = tuple(f"x.{number}" for number in range(CANDIDATES + 5))
    found = Rankings.of(
        [QuestionRecord(0, "?", "x", frozenset({names[-1]}), names, tuple(-float(i) for i in range(30)))]
    )
    assert found.score[0].tolist() == [-float(i) for i in range(CANDIDATES)]
    assert not found.needed.any()
