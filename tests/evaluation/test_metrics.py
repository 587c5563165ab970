import copy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.metrics import RetrievalMetrics, SetMetrics

# Question 0 finds 7 first and 9 third; question 1 finds its only table second; question 2 finds nothing.
RANKED = torch.tensor([[7, 1, 9, 2, 3], [4, 5, 6, -1, -1], [0, 1, 2, 3, 4]])
GOLD = torch.tensor([[9, 7, 8], [5, -1, -1], [9, 8, -1]])


def values(metrics: RetrievalMetrics) -> dict[str, float]:
    return {name: value.item() for name, value in metrics.compute().items()}


def counted(ranked: Tensor, gold: Tensor, ks: tuple[int, ...]) -> RetrievalMetrics:
    metrics = RetrievalMetrics(ks)
    metrics.update(ranked, gold)
    return metrics


def test_the_values_by_hand() -> None:
    assert values(counted(RANKED, GOLD, (1, 2, 5))) == pytest.approx(
        {
            "P@1": (1 / 1 + 0 / 1 + 0) / 3,
            "R@1": (1 / 3 + 0 + 0) / 3,
            "PR@1": 0,
            "P@2": (1 / 2 + 1 / 2 + 0) / 3,
            "R@2": (1 / 3 + 1 + 0) / 3,
            "PR@2": 1 / 3,
            "P@5": (2 / 5 + 1 / 5 + 0) / 3,
            "R@5": (2 / 3 + 1 + 0) / 3,
            "PR@5": 1 / 3,
        }
    )


def test_the_values_of_each_question() -> None:
    precision, recall, perfect = RetrievalMetrics((2, 3)).per_question(RANKED, GOLD)
    assert precision.tolist() == [[1 / 2, 2 / 3], [1 / 2, 1 / 3], [0, 0]]
    assert recall.tolist() == [[1 / 3, 2 / 3], [1, 1], [0, 0]]
    assert perfect.tolist() == [[0, 0], [1, 1], [0, 0]]


def test_padding_is_not_a_hit() -> None:
    assert values(counted(torch.tensor([[-1, -1]]), torch.tensor([[3, -1]]), (2,))) == {"P@2": 0, "R@2": 0, "PR@2": 0}


def test_precision_divides_by_k_however_few_tables_were_returned() -> None:
    assert values(counted(torch.tensor([[3, -1, -1, -1]]), torch.tensor([[3]]), (4,)))["P@4"] == 0.25


def test_cut_offs_are_sorted_and_distinct() -> None:
    metrics = RetrievalMetrics([15, 5, 5])
    assert metrics.ks == (5, 15)
    assert list(
        counted(torch.zeros(1, 15, dtype=torch.long), torch.zeros(1, 1, dtype=torch.long), (15, 5)).compute()
    ) == [
        *("P@5", "R@5", "PR@5"),
        *("P@15", "R@15", "PR@15"),
    ]


@pytest.mark.parametrize(("ks", "message"), [((5, 0), r"got 0"), ((-1,), r"got -1"), ((), "at least one cut-off")])
def test_a_cut_off_below_one_or_none_is_refused(ks: tuple[int, ...], message: str) -> None:
    with pytest.raises(JoinGRError, match=message):
        RetrievalMetrics(ks)


def by_sets(ranked: list[list[int]], gold: list[list[int]], ks: tuple[int, ...]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for tables, needed in zip(ranked, gold, strict=True):
        for k in ks:
            hits = len(set(tables[:k]) & set(needed))
            values.setdefault(f"P@{k}", []).append(hits / k)
            values.setdefault(f"R@{k}", []).append(hits / len(needed))
            values.setdefault(f"PR@{k}", []).append(float(set(needed) <= set(tables[:k])))
    return {name: sum(of_questions) / len(of_questions) for name, of_questions in values.items()}


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 5), st.integers(0, 2**16), st.lists(st.integers(1, 8), min_size=1, max_size=3, unique=True))
def test_metrics_equal_those_of_python_sets(questions: int, seed: int, ks: list[int]) -> None:
    random = np.random.default_rng(seed)
    gold = [random.permutation(9)[: random.integers(1, 5)].tolist() for _ in range(questions)]
    ranked = [random.permutation(9)[: random.integers(0, 9)].tolist() for _ in range(questions)]
    metrics = RetrievalMetrics(ks)
    half = questions // 2
    for part in (slice(0, half), slice(half, None)):
        metrics.update(padded(ranked[part], 8), padded(gold[part], 4))
    assert values(metrics) == pytest.approx(by_sets(ranked, gold, metrics.ks))


def padded(rows: list[list[int]], width: int) -> Tensor:
    return torch.tensor([row + [-1] * (width - len(row)) for row in rows], dtype=torch.long).reshape(-1, width)


def test_two_processes_sum_up_to_one() -> None:
    """As torchmetrics does it: gather every state of all processes, and reduce."""
    parts = [counted(RANKED[:1], GOLD[:1], (2, 5)), counted(RANKED[1:], GOLD[1:], (2, 5))]
    states = [[metrics.total.clone(), metrics.questions.clone()] for metrics in parts]
    for metrics in parts:
        gathered = iter(zip(*states, strict=True))
        metrics.distributed_available_fn = lambda: True
        metrics.dist_sync_fn = lambda state, group=None, gathered=gathered: list(next(gathered))
    together = values(counted(RANKED, GOLD, (2, 5)))
    assert [values(metrics) for metrics in parts] == [pytest.approx(together)] * 2
    assert [metrics.questions.item() for metrics in parts] == [1, 2]


def test_reset_and_copies() -> None:
    metrics = counted(RANKED, GOLD, (5,))
    twin = copy.deepcopy(metrics)
    metrics.reset()
    metrics.update(RANKED[1:2], GOLD[1:2])
    assert values(metrics)["PR@5"] == 1
    assert values(twin)["PR@5"] == pytest.approx(1 / 3)


def test_many_questions_lose_no_precision() -> None:
    """Sums are doubles: in single precision adding ones stops at 2 ** 24."""
    metrics = RetrievalMetrics((1,))
    metrics.total += 2**24
    metrics.questions += 2**24
    metrics.update(torch.tensor([[0]]), torch.tensor([[0]]))
    assert metrics.questions.item() == 2**24 + 1
    assert values(metrics)["P@1"] == 1


def test_sets_by_hand() -> None:
    metrics = SetMetrics()
    probability = torch.tensor([[0.95, 0.55, 0.15], [0.95, 0.05, 0.0]], dtype=torch.double)
    # The first set holds two of three gold tables and no other; the second one of one, beside another.
    ranked, gold = torch.tensor([[7, 9, 1], [4, 5, -1]]), torch.tensor([[7, 9, 8], [5, -1, -1]])
    metrics.update(ranked, torch.tensor([2, 2]), probability, gold)
    assert {name: value.item() for name, value in metrics.compute().items()} == pytest.approx(
        {
            "precision": (1 + 1 / 2) / 2,
            "recall": (2 / 3 + 1) / 2,
            "f1": (4 / 5 + 2 / 3) / 2,
            "complete": 1 / 2,
            "size": 2,
            "calibration_error": (0.9 + 0.45 + 0.15 + 0.95) / 5,
        }
    )
