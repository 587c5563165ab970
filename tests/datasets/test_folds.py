from math import cos, radians, sin

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.datasets.folds import make_folds, make_inner_folds, split_folds, split_grouped_folds
from joingr_pyg.errors import JoinGRError


def at(*degrees: float) -> Tensor:
    """Unit vectors in the plane. Vectors at most 41 degrees apart have a cosine of at least 0.75."""
    return torch.tensor([[cos(radians(angle)), sin(radians(angle))] for angle in degrees])


@given(questions=st.integers(2, 60), folds=st.integers(2, 8), seed=st.integers(0, 5))
def test_folds_divide_the_questions_evenly(questions: int, folds: int, seed: int) -> None:
    folds = min(folds, questions)
    split = split_folds(questions, folds, seed)
    assert sorted(question for fold in split for question in fold) == list(range(questions))
    assert {len(fold) for fold in split} <= {questions // folds, -(-questions // folds)}
    assert all(fold == sorted(fold) for fold in split)


def test_beaver_s_121_questions_make_one_fold_of_25_and_four_of_24() -> None:
    assert sorted(map(len, split_folds(121, 5, seed=0))) == [24, 24, 24, 24, 25]


def test_the_seed_decides_the_folds() -> None:
    assert split_folds(40, 5, seed=1) == split_folds(40, 5, seed=1)
    assert split_folds(40, 5, seed=1) != split_folds(40, 5, seed=2)
    assert split_folds(40, 5, seed=1) != [list(range(start, 40, 5)) for start in range(5)]


@pytest.mark.parametrize("folds", [-1, 0, 1, 8])
def test_fewer_than_two_folds_and_empty_folds_are_refused(folds: int) -> None:
    with pytest.raises(JoinGRError, match=rf"'folds' needs to be from 2 to the number of questions, 7 \(got {folds}\)"):
        split_folds(7, folds, seed=0)


@pytest.mark.parametrize("seed", range(4))
def test_chains_of_paraphrases_share_a_fold(seed: int) -> None:
    # 0 and 60 degrees have cosine 0.5, but both are similar to 30; the others are similar to none.
    query = at(0, 120, 60, 180, 30)
    assert split_grouped_folds(query, 2, seed) == [[0, 2, 4], [1, 3]]


def test_the_cosine_is_the_threshold_of_paraphrases() -> None:
    assert sorted(split_grouped_folds(at(0, 30, 60), 3, seed=0, cosine=0.9)) == [[0], [1], [2]]
    with pytest.raises(JoinGRError, match=r"the number of paraphrase groups, 1 \(got 3\)"):
        split_grouped_folds(at(0, 30, 60), 3, seed=0, cosine=0.8)


def test_the_largest_groups_are_assigned_first_to_the_smallest_fold() -> None:
    query = at(0, 10, 20, 90, 100, 180, 190, 270)
    first, second = split_grouped_folds(query, 2, seed=0)
    assert first[:3] == [0, 1, 2]
    assert len(first) == len(second) == 4
    assert {frozenset(first), frozenset(second)} <= {frozenset({0, 1, 2, 7}), frozenset({3, 4, 5, 6})}


def test_the_seed_orders_groups_of_equal_size() -> None:
    query = at(*range(0, 360, 60))
    splits = [split_grouped_folds(query, 2, seed) for seed in range(6)]
    assert all(sorted(first + second) == list(range(6)) for first, second in splits)
    assert splits[0] == split_grouped_folds(query, 2, seed=0)
    assert len({str(folds) for folds in splits}) > 1


def test_fewer_than_two_grouped_folds_are_refused() -> None:
    with pytest.raises(JoinGRError, match=r"from 2 to the number of paraphrase groups, 2 \(got 1\)"):
        split_grouped_folds(at(0, 90), 1, seed=0)


def test_each_database_is_in_one_fold() -> None:
    databases = ["a", "b", "a", "c", "d", "b", "e"]
    folds = make_folds(at(*range(7)), databases, 2, seed=0, groups="database")
    assert sorted(question for fold in folds for question in fold) == list(range(7))
    assert not {databases[i] for i in folds[0]} & {databases[i] for i in folds[1]}
    assert sorted(len({databases[i] for i in fold}) for fold in folds) == [2, 3]
    with pytest.raises(JoinGRError, match=r"from 2 to the number of databases, 5 \(got 6\)"):
        make_folds(at(*range(7)), databases, 6, seed=0, groups="database")


def test_unknown_groups_are_refused() -> None:
    with pytest.raises(JoinGRError, match="'fold_groups' needs to be true, false or 'database' \\(got 'table'\\)"):
        make_folds(at(0, 90), ["a", "a"], 2, seed=0, groups="table")


def test_inner_folds_leave_out_the_held_out_fold() -> None:
    query, databases = at(*range(0, 360, 45)), ["a"] * 8
    assert make_inner_folds(query, databases, None, 2, 0) == split_folds(8, 2, 0)
    held_out = set(split_grouped_folds(query, 5, seed=0)[1])
    folds = make_inner_folds(query, databases, 1, 2, 3)
    rest = [i for i in range(8) if i not in held_out]
    assert folds == [[rest[i] for i in fold] for fold in split_folds(len(rest), 2, 3)]
    with pytest.raises(JoinGRError, match=r"'fold_held_out' needs to be from 0 to 4 \(got 5\)"):
        make_inner_folds(query, databases, 5, 2, 0)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("held_out", [None, 0])
def test_repeats_share_a_fold(seed: int, held_out: int | None) -> None:
    texts = [f"question {number // 2}{'?' * (number % 2)}" for number in range(40)]
    query = torch.eye(40)
    folds = make_inner_folds(query, ["a"] * 40, held_out, 4, seed, texts=texts)
    for fold in folds:
        for question in fold:
            twin = question ^ 1
            assert twin in fold or not any(twin in other for other in folds)
    without = make_inner_folds(query, ["a"] * 40, held_out, 4, seed)
    distinct = make_inner_folds(query, ["a"] * 40, held_out, 4, seed, texts=list(map(str, range(40))))
    assert distinct == without
