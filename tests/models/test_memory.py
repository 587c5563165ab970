"""Votes of remembered questions."""

import math

import pytest
import torch

from joingr_pyg.models.memory import QuestionMemory

TABLES = {("db", "a"): 0, ("db", "b"): 1, ("db", "c"): 2}
QUESTIONS = torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
GOLD = [[("db", "a"), ("db", "b")], [("db", "b"), ("other", "x")], [("other", "x")]]


def memory(temperature: float = 2.0, null: float = 0.5) -> QuestionMemory:
    made = QuestionMemory(temperature, null).eval()
    made.bind(TABLES)
    made.add(QUESTIONS, GOLD)
    return made


def test_votes_are_shares_of_a_softmax_with_a_null() -> None:
    # The third question needed no table of this corpus, so it has no vote.
    question = torch.tensor([[0.8, 0.6]])
    weight = [math.exp(2 * 0.8), math.exp(2 * 0.96), math.exp(2 * 0.5)]
    first, second = weight[0] / sum(weight), weight[1] / sum(weight)
    model = memory()
    assert model(model.similarity(question)).tolist() == [pytest.approx([first, first + second, 0.0])]


def test_an_empty_memory_votes_for_nothing() -> None:
    model = QuestionMemory().eval()
    model.bind(TABLES)
    assert model(model.similarity(QUESTIONS)).tolist() == [[0.0] * 3] * 3


def test_a_question_does_not_hear_itself_in_training() -> None:
    model = memory().train()
    votes = model(model.similarity(QUESTIONS[:1]))
    second = math.exp(2 * 0.6) / (math.exp(2 * 0.6) + math.exp(1.0))
    assert votes.tolist() == [pytest.approx([0.0, second, 0.0])]


def test_temperature_and_null_learn() -> None:
    model = memory()
    model(model.similarity(torch.tensor([[0.8, 0.6]])))[0, 0].backward()
    assert model.temperature.grad != 0
    assert model.null.grad != 0


def test_it_grows_and_is_emptied() -> None:
    model = memory()
    model.add(torch.tensor([[-1.0, 0.0]]), [[("db", "c")]])
    assert len(model) == 4
    similarity = model.similarity(torch.tensor([[-1.0, 0.0]]))
    assert similarity.shape == (1, 3)
    assert model(similarity).argmax() == 2
    model.clear()
    assert len(model) == 0
    assert model.similarity(QUESTIONS).shape == (3, 0)


def test_it_votes_on_the_tables_it_is_bound_to() -> None:
    model = memory()
    model.bind({("other", "x"): 0})
    votes = model(model.similarity(QUESTIONS[2:]))
    weight = [math.exp(2 * 0.8), math.exp(2 * 1.0), math.exp(1.0)]
    assert votes.tolist() == [pytest.approx([(weight[0] + weight[1]) / sum(weight)])]


def test_the_state_carries_it_without_code(tmp_path: pytest.TempPathFactory) -> None:
    file = tmp_path / "state.pt"  # type: ignore[operator]
    torch.save(memory().state_dict(), file)
    other = QuestionMemory().eval()
    other.bind(TABLES)
    other.load_state_dict(torch.load(file, weights_only=True))
    question = torch.tensor([[0.8, 0.6]])
    expected = memory()
    assert torch.equal(other(other.similarity(question)), expected(expected.similarity(question)))


def test_as_many_sets_of_tables_as_questions() -> None:
    with pytest.raises(ValueError, match="'gold' needs to have one entry for each of 3 questions"):
        QuestionMemory().add(QUESTIONS, GOLD[:2])


def test_a_question_is_forgotten_as_often_as_it_was_remembered() -> None:
    model = memory()
    model.add(QUESTIONS[:1], [[("db", "c")]])
    question = torch.tensor([[0.8, 0.6]])
    assert model.has(torch.stack([QUESTIONS[0], question[0]])).tolist() == [True, False]
    model.remove(QUESTIONS[:1])
    assert len(model) == 2
    assert model.gold == [(("db", "b"), ("other", "x")), (("other", "x"),)]
    weight = [math.exp(2 * 0.96), math.exp(2 * 0.5)]
    assert model(model.similarity(question)).tolist() == [pytest.approx([0.0, weight[0] / sum(weight), 0.0])]
    model.remove(QUESTIONS)
    assert len(model) == 0
    assert model.has(QUESTIONS).tolist() == [False] * 3
    model.add(QUESTIONS, GOLD)
    assert len(model) == 3


def test_votes_follow_a_renamed_table() -> None:
    model = memory()
    model.rename({("other", "x"): ("db", "c"), ("nowhere", "y"): ("db", "a")})
    assert model.gold == [(("db", "a"), ("db", "b")), (("db", "b"), ("db", "c")), (("db", "c"),)]
    assert len(model.neighbors) == 3
