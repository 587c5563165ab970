import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Question
from joingr_pyg.datasets.gold import gold_tables
from joingr_pyg.models import JoinGRPlus
from joingr_pyg.models.calibration import Calibration
from joingr_pyg.models.checkpoint import load_checkpoint
from joingr_pyg.models.retriever import Ranking, Retriever, rank_dense
from joingr_pyg.training import calibration as module
from joingr_pyg.training import fit as fitting
from joingr_pyg.training.calibration import FOLDS, calibrate_on, cross_fit
from joingr_pyg.training.fit import Fitted

Fit = Callable[..., Fitted]

TABLES = 20


@pytest.fixture
def again(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The questions of every further training, while the eight of the tiny dataset count as few."""
    trained: list[list[str]] = []

    def noted(queries: Queries, questions: Sequence[Question], **options: Any) -> Retriever:
        trained.append([question.text for question in questions])
        return train_again(queries, questions, **options)

    train_again = fitting._train_again
    monkeypatch.setattr(fitting, "_train_again", noted)
    monkeypatch.setattr(module, "FEW", range(8, 9))
    return trained


def test_few_questions_without_validation_are_cross_fitted(fit_tiny: Fit, again: list[list[str]]) -> None:
    fitted = fit_tiny("run", epochs=2, validation=0.0)
    assert len(again) == FOLDS
    assert sorted(map(len, again)) == [5, 5, 6]
    assert load_checkpoint(fitted.checkpoint)[0].calibration == fitted.model.calibration is not None


@pytest.mark.parametrize(
    "options",
    [
        {"validation": 0.25},
        {"validation": 0.0, "few": range(9, 1000)},
        {"validation": 0.0, "few": range(8)},
        {"validation": 0.0, "trainer": {"strategy": "ddp", "devices": 1}},
    ],
)
def test_others_are_not(
    fit_tiny: Fit, again: list[list[str]], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW", options.pop("few", module.FEW))
    with patch.dict(os.environ):  # Where a trainer of many processes leaves its rank and port.
        assert fit_tiny("run", epochs=1, **options).model.calibration is not None
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    assert again == []


def test_a_handful_of_questions_is_not_divided() -> None:
    assert (29 in module.FEW, 30 in module.FEW, 999 in module.FEW, 1000 in module.FEW) == (False, True, True, False)


def test_further_trainings_leave_nothing_behind_and_disturb_nothing(
    fit_tiny: Fit,
    tmp_path: Path,
    again: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    model = partial(JoinGRPlus, hops=2)
    crossed = fit_tiny("crossed", validation=0.0, model=model)
    after = torch.get_rng_state()
    assert len(again) == FOLDS
    monkeypatch.setattr(module, "FEW", range(0))
    plain = fit_tiny("plain", validation=0.0, model=model)
    assert torch.equal(after, torch.get_rng_state())
    assert sorted(path.name for path in (tmp_path / "crossed").rglob("*")) == ["last.ckpt", "metrics.csv"]
    assert (tmp_path / "crossed/metrics.csv").read_bytes() == (tmp_path / "plain/metrics.csv").read_bytes()
    ours, theirs = (load_checkpoint(fitted.checkpoint)[0].state_dict() for fitted in (crossed, plain))
    assert all(torch.equal(ours[name], theirs[name]) for name in ours if isinstance(ours[name], Tensor))
    assert crossed.model.calibration != plain.model.calibration
    assert capfd.readouterr() == ("", "")


def test_the_seed_decides_the_calibration_also_of_a_resumed_run(
    fit_tiny: Fit, tmp_path: Path, again: list[list[str]]
) -> None:
    first = fit_tiny("first", validation=0.0).model.calibration
    torch.rand(3)  # What was drawn before does not matter.
    assert fit_tiny("second", validation=0.0).model.calibration == first
    # One that was killed after its last epoch goes on there, and one that was killed earlier trains the rest.
    assert fit_tiny("second", validation=0.0, resume=tmp_path / "second/last.ckpt").model.calibration == first
    fit_tiny("parts", validation=0.0, epochs=1)
    assert fit_tiny("parts", validation=0.0, resume=tmp_path / "parts/last.ckpt").model.calibration == first
    assert fit_tiny("other", validation=0.0, seed=1).model.calibration != first


class Reciter(Retriever):
    """Knows the questions it was told by heart; of others it only has an idea of what they need."""

    def __init__(self, known: Queries, corpus: Corpus) -> None:
        super().__init__()
        self.known = set(known.text)
        self.index(corpus)

    def rank(self, queries: Queries, k: int) -> Ranking:
        scores = torch.stack([idea(int(text), text in self.known) for text in queries.text])
        return rank_dense(scores, k)


def needed(number: int) -> int:
    return number * 7 % TABLES


def idea(number: int, known: bool) -> Tensor:
    """``[T]`` scores of a question."""
    scores = torch.randn(TABLES, generator=torch.Generator().manual_seed(number))
    scores[needed(number)] += 8 if known else 1.5
    return scores


def asked(numbers: range) -> tuple[Queries, list[Question]]:
    vector = normalize(torch.randn(len(numbers), 64, generator=torch.Generator().manual_seed(numbers[0])))
    questions = [Question(number, str(number), "db", (f"t{needed(number)}",)) for number in numbers]
    return Queries(vector, tuple(map(str, numbers))), questions


def test_what_a_model_knows_by_heart_flatters_and_cross_fitting_does_not(make_corpus: Callable[..., Corpus]) -> None:
    corpus = make_corpus([[[1.0, 0.0]]] * TABLES)
    queries, questions = asked(range(120))
    model = Reciter(queries, corpus)
    flattered = calibrate_on(model, queries, questions)
    assert model.calibration == flattered
    crossed = cross_fit(lambda others, _: Reciter(others, corpus), queries, questions, seed=0)
    new, answers = asked(range(1000, 1400))
    score, database, true, length = model.answered(new, gold_tables(answers, corpus))

    def missed(calibration: Calibration) -> float:
        """How far the first table is from being needed as often as it is said to be."""
        return abs((calibration.probability(score, database, length) - true.float())[:, 0].mean().item())

    assert missed(flattered) > 0.3
    assert missed(crossed) < 0.1


def test_paraphrases_are_not_divided_unless_most_questions_are_some(make_corpus: Callable[..., Corpus]) -> None:
    corpus = make_corpus([[[1.0, 0.0]]] * TABLES)
    queries, questions = asked(range(12))

    def left_out(vector: Tensor) -> list[list[int]]:
        """The questions that each model has not learned."""
        out: list[list[int]] = []

        def train(_: Queries, others: Sequence[Question]) -> Retriever:
            out.append(sorted(set(range(12)) - {question.index for question in others}))
            return Reciter(queries[[]], corpus)

        cross_fit(train, Queries(vector, queries.text), questions, seed=0)
        return out

    pairs = left_out(queries.vector[torch.arange(12) // 2])
    assert sorted(map(len, pairs)) == [4, 4, 4]
    assert all(number ^ 1 in fold for fold in pairs for number in fold)
    for alike in (torch.zeros(12, dtype=torch.long), torch.tensor([0] * 9 + [1, 2, 3])):
        folds = left_out(queries.vector[alike])
        assert sorted(map(len, folds)) == [4, 4, 4]
        assert sorted(number for fold in folds for number in fold) == list(range(12))
