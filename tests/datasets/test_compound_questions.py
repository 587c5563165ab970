"""Several questions of one database concatenated into one."""

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
def test_compound_questions_need_the_tables_of_all_parts(load, parts: int) -> None:
    plain, compound = load(), load(compound_questions=parts)
    assert len(compound.questions) == len(plain.questions)
    for one, whole in zip(plain.questions, compound.questions, strict=True):
        assert (whole.index, whole.database, whole.sql) == (one.index, one.database, "")
        members = [
            question
            for question in plain.questions
            if question.database == one.database and question.text in whole.text
        ]
        assert len(members) == parts
        assert sum(len(member.text) for member in members) + parts - 1 == len(whole.text)
        assert set(whole.gold_tables) == {table for member in members for table in member.gold_tables}
        assert len(set(whole.gold_tables)) == len(whole.gold_tables)
        assert whole.text.startswith(one.text)
    assert compound.title == f"demo test with {parts} questions as one"


def test_cryptic_names_do_not_change_which_questions_are_drawn(load) -> None:
    plain, cryptic = (load(compound_questions=2, cryptic_names=cryptic).questions for cryptic in (False, True))
    assert [question.text for question in plain] == [question.text for question in cryptic]
    assert plain == load(compound_questions=2).questions
    assert plain != cryptic


def test_a_database_with_fewer_questions_uses_all_of_them(load) -> None:
    benchmark = load().benchmark
    whole = benchmark_with_compound_questions(benchmark, 10_000).questions[0]
    members = [question for question in benchmark.questions if question.database == whole.database]
    assert len(whole.text) == sum(len(member.text) + 1 for member in members) - 1
    assert benchmark_with_compound_questions(benchmark, 1).questions[3].text == benchmark.questions[3].text


def test_fewer_than_one_part_is_refused(load) -> None:
    with pytest.raises(JoinGRError, match=r"'compound_questions' needs to be at least 1 \(got 0\)"):
        load(compound_questions=0)
