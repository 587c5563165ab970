import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from joingr_pyg.errors import JoinGRError
from joingr_pyg.models.retriever import Ranking, rank_dense, rank_pairs


def test_the_first_places_are_cut_or_filled_up() -> None:
    ranking = Ranking(torch.tensor([[3, 1, -1]]), torch.tensor([[0.5, 0.25, -torch.inf]]))
    assert ranking.first(1) == (torch.tensor([[3]]), torch.tensor([[0.5]]))
    table, score = ranking.first(5)
    assert table.tolist() == [[3, 1, -1, -1, -1]]
    assert score.tolist() == [[0.5, 0.25, -torch.inf, -torch.inf, -torch.inf]]


def test_pairs_are_ranked_question_by_question() -> None:
    question = torch.tensor([2, 0, 2, 0, 2, 2])
    table = torch.tensor([5, 7, 1, 3, 4, 0])
    score = torch.tensor([0.5, -1.0, 0.5, 2.0, 0.75, 0.25])
    ranking = rank_pairs(question, table, score, num_questions=4, k=3)
    assert ranking.table.tolist() == [[3, 7, -1], [-1, -1, -1], [4, 1, 5], [-1, -1, -1]]
    none = -torch.inf
    assert ranking.score.tolist() == [[2.0, -1.0, none], [none] * 3, [0.75, 0.5, 0.5], [none] * 3]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 8), st.integers(0, 2**16))
def test_pairs_of_everything_are_a_stable_sort(questions: int, tables: int, k: int, seed: int) -> None:
    random = torch.Generator().manual_seed(seed)
    scores = torch.randint(-1, 2, (questions, tables), generator=random).float()
    shuffled = torch.randperm(scores.numel(), generator=random)
    question, table = torch.ones_like(scores).nonzero()[shuffled].t()
    ranking = rank_pairs(question, table, scores[question, table], questions, k)
    score, order = scores.sort(dim=1, descending=True, stable=True)
    expected = Ranking(order, score).first(k)
    assert torch.equal(ranking.table, expected.table)
    assert torch.equal(ranking.score, expected.score)


def test_scores_are_ranked_by_number_where_they_are_equal() -> None:
    table, score = rank_dense(torch.tensor([[0.5, -torch.inf, 1.0, 0.5, -2.0]]), 6)
    assert table.tolist() == [[2, 0, 3, 4, -1, -1]]
    assert score.tolist() == [[1.0, 0.5, 0.5, -2.0, -torch.inf, -torch.inf]]
    with pytest.raises(JoinGRError, match="K needs to be at least 1"):
        rank_dense(torch.zeros(1, 1), 0)
