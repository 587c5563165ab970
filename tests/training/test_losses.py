from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.errors import JoinGRError
from joingr_pyg.training.losses import EdgeLoss, TableLoss, pairwise_hinge


def test_the_mean_over_pairs_of_one_question() -> None:
    # Pairs of gold 0.5 and 0.1 with others 0.45 and 0.0, margin 0.1:
    # 0.1 - 0.5 + 0.45 = 0.05, none, 0.1 - 0.1 + 0.45 = 0.45, 0.1 - 0.1 + 0.0 = 0.0
    score = torch.tensor([[0.5, 0.45, 0.1, 0.0]])
    gold = torch.tensor([[True, False, True, False]])
    assert pairwise_hinge(score, gold, 0.1).item() == pytest.approx((0.05 + 0.45) / 4)


def test_questions_have_equal_weight_whatever_their_number_of_pairs() -> None:
    score = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    gold = torch.tensor([[True, False, False], [True, True, False]])
    # Question 0: (1.1 + 0.1) / 2 = 0.6; question 1: (0.1 + 0.1) / 2 = 0.1.
    assert pairwise_hinge(score, gold, 0.1).item() == pytest.approx((0.6 + 0.1) / 2)


def test_questions_that_need_many_tables_can_count_more() -> None:
    score = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    gold = torch.tensor([[True, False, False], [True, True, False]])
    assert pairwise_hinge(score, gold, 0.1, gold_power=2).item() == pytest.approx((1 * 0.6 + 4 * 0.1) / 5)
    assert TableLoss(0.1, "corpus", gold_power=2)(score, gold) == pairwise_hinge(score, gold, 0.1, gold_power=2)


def test_a_question_without_gold_or_without_negatives_has_loss_zero() -> None:
    score = torch.tensor([[0.0, 1.0], [5.0, 5.0], [0.3, 0.2]])
    gold = torch.tensor([[False, False], [True, True], [True, False]])
    # Only question 2 has a pair, 0.1 - 0.3 + 0.2 = 0; with margin 0.4 it is 0.3, a third of it the mean.
    assert pairwise_hinge(score, gold, 0.1).item() == pytest.approx(0.0, abs=1e-7)
    assert pairwise_hinge(score, gold, 0.4).item() == pytest.approx(0.1)


@pytest.mark.parametrize("shape", [(0, 4), (2, 0), (2, 4)])
def test_without_any_pair_the_loss_and_its_gradient_are_zero(shape: tuple[int, int]) -> None:
    score = torch.rand(shape, requires_grad=True)
    loss = pairwise_hinge(score, torch.zeros(shape, dtype=torch.bool), 0.1)
    loss.backward()
    assert loss.item() == 0
    assert score.grad is not None
    assert not score.grad.any()


def test_the_gradient_separates_pairs_within_the_margin() -> None:
    score = torch.tensor([[0.5, 0.45, 0.1, 0.0], [1.0, 0.0, 0.0, 0.0]], requires_grad=True)
    gold = torch.tensor([[True, False, True, False], [True, False, False, False]])
    pairwise_hinge(score, gold, 0.12).backward()
    # Three of the four pairs of question 0 are within the margin: (0.5, 0.45), (0.1, 0.45), (0.1, 0.0). Question 1 has
    # no such pair.
    assert score.grad is not None
    assert score.grad.tolist() == [[-1 / 8, 2 / 8, -2 / 8, 1 / 8], [0.0, 0.0, 0.0, 0.0]]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 4), st.integers(1, 6), st.integers(0, 2**16))
def test_the_loss_equals_the_formula_of_section_3_2_5(questions: int, candidates: int, seed: int) -> None:
    random = torch.Generator().manual_seed(seed)
    score = torch.rand(questions, candidates, generator=random, dtype=torch.double)
    gold = torch.rand(questions, candidates, generator=random) < 0.4
    assert pairwise_hinge(score, gold, 0.3).item() == pytest.approx(by_loops(score, gold, 0.3))


def by_loops(score: Tensor, gold: Tensor, margin: float) -> float:
    losses = []
    for row, is_gold in zip(score.tolist(), gold.tolist(), strict=True):
        positives = [s for s, g in zip(row, is_gold, strict=True) if g]
        negatives = [s for s, g in zip(row, is_gold, strict=True) if not g]
        pairs = [max(0.0, margin - p + n) for p in positives for n in negatives]
        losses.append(sum(pairs) / len(pairs) if pairs else 0.0)
    return sum(losses) / len(losses) if losses else 0.0


def test_the_edge_loss_is_the_same_objective() -> None:
    score, gold = torch.tensor([[0.2, 0.1]]), torch.tensor([[False, True]])
    assert TableLoss()(score, gold).item() == EdgeLoss()(score, gold).item() == pytest.approx(0.2)
    assert TableLoss(margin=0.5)(score, gold).item() == pytest.approx(0.6)
    assert (TableLoss.target, EdgeLoss.target) == ("table", "edge")


def test_negatives_may_be_of_the_question_s_database_only() -> None:
    score = torch.tensor([[0.3, 0.25, 0.9, 0.0]])
    gold = torch.tensor([[True, False, False, False]])
    own = torch.tensor([[True, True, False, False]])
    assert TableLoss(0.1)(score, gold, own).item() == pytest.approx(0.05)
    assert TableLoss(0.1, negatives="corpus")(score, gold, own).item() == pytest.approx((0.05 + 0.7) / 3)
    with pytest.raises(JoinGRError, match=r"'database' or 'corpus' \(got 'all'\)"):
        TableLoss(negatives="all")


@pytest.mark.parametrize("wrong", [{"margin": -1.0}, {"gold_power": -0.5}, {"margin": "abc"}], ids=str)
def test_what_is_below_zero_or_no_number_is_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(JoinGRError, match=f"'{name}' needs to be"):
        TableLoss(**wrong)
