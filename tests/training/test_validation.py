from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joingr_pyg.datasets import Question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.training.validation import Validation, split_validation


def questions_on(*databases: str) -> list[Question]:
    return [Question(index, f"question {index}", database, ("t",)) for index, database in enumerate(databases)]


def test_whole_databases_are_held_out() -> None:
    questions = questions_on(*"aabbbcccc")
    train, held = split_validation(questions, Validation(0.2, "database"), seed=0)
    assert sorted(train + held) == list(range(9))
    assert not {questions[i].database for i in train} & {questions[i].database for i in held}
    assert len(held) >= 2


@given(
    databases=st.lists(st.sampled_from("abcdef"), min_size=2, max_size=30).filter(lambda names: len(set(names)) > 1),
    fraction=st.floats(0.01, 0.5),
    by=st.sampled_from(["database", "question"]),
    seed=st.integers(0, 5),
)
def test_no_more_units_are_held_out_than_needed(databases: list[str], fraction: float, by: str, seed: int) -> None:
    questions = questions_on(*databases)
    try:
        train, held = split_validation(questions, Validation(fraction, by), seed)
    except JoinGRError:
        # One database has more questions than all others together, so no question may be left to train on.
        assert by == "database"
        assert max(Counter(databases).values()) > (1 - fraction) * len(databases)
        return
    assert sorted(train + held) == list(range(len(questions)))
    assert train == sorted(train)
    assert train
    units = Counter(databases[i] if by == "database" else str(i) for i in held)
    wanted = fraction * len(questions)
    assert len(held) >= wanted
    assert len(held) - max(units.values()) < wanted


def test_single_questions_are_held_out() -> None:
    train, held = split_validation(questions_on(*"aaaaaaaaaa"), Validation(0.25, "question"), seed=0)
    assert (len(train), len(held)) == (7, 3)


@pytest.mark.parametrize("seed", range(20))
def test_repeats_stay_together(seed: int) -> None:
    texts = ["How many dogs?", "how many  DOGS", "Dogs: how many?", *(f"question {number}" for number in range(17))]
    questions = [Question(number, text, "a", ("t",)) for number, text in enumerate(texts)]
    _, held = split_validation(questions, Validation(0.2, "question"), seed)
    assert len({0, 1, 2} & set(held)) in (0, 3)
    # The same words about another database are another question.
    others = [replace(question, database="ab"[question.index % 2]) for question in questions]
    splits = [split_validation(others, Validation(0.2, "question"), seed)[1] for seed in range(30)]
    assert any((0 in split) != (1 in split) for split in splits)


def test_the_seed_decides_what_is_held_out() -> None:
    questions, validation = questions_on(*"abcdefghij" * 3), Validation(0.2, "question")
    assert split_validation(questions, validation, 1) == split_validation(questions, validation, 1)
    assert split_validation(questions, validation, 1) != split_validation(questions, validation, 2)


def test_a_fraction_of_zero_holds_out_nothing() -> None:
    assert split_validation(questions_on("a", "b"), Validation(0.0, "database"), seed=0) == ([0, 1], [])


def test_holding_out_all_questions_is_refused() -> None:
    with pytest.raises(JoinGRError, match="Holding out 10% by database leaves no question to train on"):
        split_validation(questions_on("a", "a"), Validation(0.1, "database"), seed=0)


@pytest.mark.parametrize("fraction", [-0.1, 1.0, 1.5])
def test_a_fraction_outside_zero_to_one_is_refused(fraction: float) -> None:
    with pytest.raises(JoinGRError, match=rf"at least 0 and below 1 \(got {fraction}\)"):
        Validation(fraction)


def test_units_other_than_database_and_question_are_refused() -> None:
    with pytest.raises(JoinGRError, match="'database' or 'question' \\(got 'table'\\)"):
        Validation(by="table")
