"""Questions of a database asked as one."""

import pytest

from joingr_pyg.datasets import Demo
from joingr_pyg.datasets.compound_questions import benchmark_with_compound_questions
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory):
    cache = tmp_path_factory.mktemp("cache")
    encoder = CachedEncoder(HashingEncoder(8), cache)
    return lambda **options: Demo("unused", "test", encoder, cache, **options)


@pytest.mark.parametrize("parts", [2, 3])
def test_they_need_the_tables_of_all_parts(load, parts: int) -> None:
    plain, compound = load(), load(compound_questions=parts)
    assert len(compound.questions) == len(plain.questions)
    for one, whole in zip(plain.questions, compound.questions, strict=True):
        assert (whole.index, whole.database, whole.sql) == (one.index, one.database, "")
        found = [each for each in plain.questions if each.database == one.database and each.text in whole.text]
        assert len(found) == parts
        assert sum(len(each.text) for each in found) + parts - 1 == len(whole.text)
        assert set(whole.gold_tables) == {table for each in found for table in each.gold_tables}
        assert len(set(whole.gold_tables)) == len(whole.gold_tables)
        assert whole.text.startswith(one.text)
    assert compound.title == f"demo test with {parts} questions as one"


def test_the_same_are_drawn_again_whatever_the_names(load) -> None:
    again = [load(compound_questions=2, cryptic_names=cryptic).questions for cryptic in (False, True)]
    assert [question.text for question in again[0]] == [question.text for question in again[1]]
    assert again[0] == load(compound_questions=2).questions
    assert again[0] != again[1]


def test_there_may_be_fewer(load) -> None:
    benchmark = load().benchmark
    whole = benchmark_with_compound_questions(benchmark, 10_000).questions[0]
    asked = [question for question in benchmark.questions if question.database == whole.database]
    assert len(whole.text) == sum(len(each.text) + 1 for each in asked) - 1
    assert benchmark_with_compound_questions(benchmark, 1).questions[3].text == benchmark.questions[3].text


def test_none_at_all_is_refused(load) -> None:
    with pytest.raises(JoinGRError, match=r"'compound_questions' needs to be at least 1 \(got 0\)"):
        load(compound_questions=0)
