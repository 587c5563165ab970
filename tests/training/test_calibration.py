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
from joingr_pyg.datasets.gold import gold_table_numbers
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
def fold_trainings(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The questions that each fold's model is trained on. The 8 questions of the tiny dataset count as few."""
    trainings: list[list[str]] = []

    def recording_train(queries: Queries, questions: Sequence[Question], **options: Any) -> Retriever:
        trainings.append([question.text for question in questions])
        return train_fold_model(queries, questions, **options)

    train_fold_model = fitting._train_fold_model
    monkeypatch.setattr(fitting, "_train_fold_model", recording_train)
    monkeypatch.setattr(module, "FEW", range(8, 9))
    return trainings


def test_few_questions_without_validation_are_cross_fitted(fit_tiny: Fit, fold_trainings: list[list[str]]) -> None:
    fitted = fit_tiny("run", epochs=2, validation=0.0)
    assert len(fold_trainings) == FOLDS
    assert sorted(map(len, fold_trainings)) == [5, 5, 6]
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
def test_other_trainings_are_not_cross_fitted(
    fit_tiny: Fit, fold_trainings: list[list[str]], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW", options.pop("few", module.FEW))
    with patch.dict(os.environ):  # The ddp trainer leaves its rank and port in the environment.
        assert fit_tiny("run", epochs=1, **options).model.calibration is not None
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    assert fold_trainings == []


def test_cross_fitting_is_for_30_to_999_questions() -> None:
    assert (29 in module.FEW, 30 in module.FEW, 999 in module.FEW, 1000 in module.FEW) == (False, True, True, False)


def test_trainings_of_folds_write_nothing_and_keep_the_random_state(
    fit_tiny: Fit,
    tmp_path: Path,
    fold_trainings: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    model = partial(JoinGRPlus, hops=2)
    crossed = fit_tiny("crossed", validation=0.0, model=model)
    random_state = torch.get_rng_state()
    assert len(fold_trainings) == FOLDS
    monkeypatch.setattr(module, "FEW", range(0))
    plain = fit_tiny("plain", validation=0.0, model=model)
    assert torch.equal(random_state, torch.get_rng_state())
    assert sorted(path.name for path in (tmp_path / "crossed").rglob("*")) == ["last.ckpt", "metrics.csv"]
    assert (tmp_path / "crossed/metrics.csv").read_bytes() == (tmp_path / "plain/metrics.csv").read_bytes()
    ours, theirs = (load_checkpoint(fitted.checkpoint)[0].state_dict() for fitted in (crossed, plain))
    assert all(torch.equal(ours[name], theirs[name]) for name in ours if isinstance(ours[name], Tensor))
    assert crossed.model.calibration != plain.model.calibration
    assert capfd.readouterr() == ("", "")


def test_the_seed_decides_the_calibration_also_of_a_resumed_run(
    fit_tiny: Fit, tmp_path: Path, fold_trainings: list[list[str]]
) -> None:
    first = fit_tiny("first", validation=0.0).model.calibration
    torch.rand(3)  # Earlier draws must not matter.
    assert fit_tiny("second", validation=0.0).model.calibration == first
    # A run killed after its last epoch, and one killed earlier, which trains the remaining epochs.
    assert fit_tiny("second", validation=0.0, resume=tmp_path / "second/last.ckpt").model.calibration == first
    fit_tiny("parts", validation=0.0, epochs=1)
    assert fit_tiny("parts", validation=0.0, resume=tmp_path / "parts/last.ckpt").model.calibration == first
    assert fit_tiny("other", validation=0.0, seed=1).model.calibration != first


class OverfittedRetriever(Retriever):
    """Scores the gold table of a training question much higher than that of a new question."""

    def __init__(self, training: Queries, corpus: Corpus) -> None:
        super().__init__()
        self.training_texts = set(training.text)
        self.index(corpus)

    def rank(self, queries: Queries, k: int) -> Ranking:
        scores = torch.stack([table_scores(int(text), text in self.training_texts) for text in queries.text])
        return rank_dense(scores, k)


def gold_table(number: int) -> int:
    return number * 7 % TABLES


def table_scores(number: int, trained_on: bool) -> Tensor:
    """``[T]`` scores of the tables for a question."""
    scores = torch.randn(TABLES, generator=torch.Generator().manual_seed(number))
    scores[gold_table(number)] += 8 if trained_on else 1.5
    return scores


def make_questions(numbers: range) -> tuple[Queries, list[Question]]:
    vector = normalize(torch.randn(len(numbers), 64, generator=torch.Generator().manual_seed(numbers[0])))
    questions = [Question(number, str(number), "db", (f"t{gold_table(number)}",)) for number in numbers]
    return Queries(vector, tuple(map(str, numbers))), questions


def test_calibration_on_training_questions_is_overconfident_and_cross_fitting_is_not(
    make_corpus: Callable[..., Corpus],
) -> None:
    corpus = make_corpus([[[1.0, 0.0]]] * TABLES)
    queries, questions = make_questions(range(120))
    model = OverfittedRetriever(queries, corpus)
    overconfident = calibrate_on(model, queries, questions)
    assert model.calibration == overconfident
    cross_fitted = cross_fit(lambda others, _: OverfittedRetriever(others, corpus), queries, questions, seed=0)
    new_queries, new_questions = make_questions(range(1000, 1400))
    score, database, needed, length = model.answered(new_queries, gold_table_numbers(new_questions, corpus))

    def calibration_error(calibration: Calibration) -> float:
        """Mean difference between the probability of the first table and how often it is needed."""
        return abs((calibration.probability(score, database, length) - needed.float())[:, 0].mean().item())

    assert calibration_error(overconfident) > 0.3
    assert calibration_error(cross_fitted) < 0.1


def test_paraphrases_share_a_fold_unless_most_questions_are_paraphrases(make_corpus: Callable[..., Corpus]) -> None:
    corpus = make_corpus([[[1.0, 0.0]]] * TABLES)
    queries, questions = make_questions(range(12))

    def folds_of(vector: Tensor) -> list[list[int]]:
        """The questions that each model is not trained on."""
        held_out: list[list[int]] = []

        def train(_: Queries, others: Sequence[Question]) -> Retriever:
            held_out.append(sorted(set(range(12)) - {question.index for question in others}))
            return OverfittedRetriever(queries[[]], corpus)

        cross_fit(train, Queries(vector, queries.text), questions, seed=0)
        return held_out

    pairs = folds_of(queries.vector[torch.arange(12) // 2])
    assert sorted(map(len, pairs)) == [4, 4, 4]
    assert all(number ^ 1 in fold for fold in pairs for number in fold)
    for row in (torch.zeros(12, dtype=torch.long), torch.tensor([0] * 9 + [1, 2, 3])):
        folds = folds_of(queries.vector[row])
        assert sorted(map(len, folds)) == [4, 4, 4]
        assert sorted(number for fold in folds for number in fold) == list(range(12))
