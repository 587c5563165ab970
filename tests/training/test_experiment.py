import os
import select
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Beaver, Demo, JoinGraphs, Question
from joingr_pyg.datasets.folds import make_folds
from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.evaluation.evaluate import evaluate
from joingr_pyg.models import Vanilla, heuristic
from joingr_pyg.training.experiment import _initialize_worker, cross_validate, train_and_test
from joingr_pyg.training.fit import Fitted


class FakeFit:
    """Replaces ``fit``: records its arguments and returns the heuristic walk."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], Path, Path | None]] = []

    def __call__(
        self,
        dataset: JoinGraphs,
        folder: Path,
        questions: Sequence[Question] = (),
        queries: Queries | None = None,
        resume: Path | None = None,
    ) -> Fitted:
        if queries is not None:
            assert (queries.vector == dataset.encoder.encode_queries([question.text for question in questions])).all()
        self.calls.append(([question.text for question in questions], folder, resume))
        return Fitted(heuristic(2, 2), folder / "last.ckpt", epochs=3, kept_epoch=2, seconds=0.5)


FOLDS = [[0, 1, 2], [3, 4], [5, 6, 7]]


def test_a_fold_is_tested_on_and_the_others_trained_on(tiny: Beaver, tmp_path: Path) -> None:
    fake_fit = FakeFit()
    outcome = cross_validate(tiny, FOLDS, fake_fit, {}, tmp_path, partial(evaluate, ks=(1, 2)))
    texts = [question.text for question in tiny.questions]
    for number, fold in enumerate(FOLDS):
        trained, folder, resume = fake_fit.calls[number]
        assert trained == [text for position, text in enumerate(texts) if position not in fold]
        assert folder == tmp_path / f"fold_{number}"
        assert resume is None
    assert [record["question"] for record in outcome.records] == texts
    assert [record["index"] for record in outcome.records] == list(range(8))
    assert (outcome.epochs, outcome.kept_epochs) == ([3, 3, 3], [2, 2, 2])
    assert outcome.training_seconds == 1.5


def test_questions_of_no_fold_are_left_out(tiny: Beaver, tmp_path: Path) -> None:
    fake_fit = FakeFit()
    outcome = cross_validate(tiny, FOLDS[:2], fake_fit, {"vanilla": Vanilla()}, tmp_path)
    texts = [question.text for question in tiny.questions]
    assert [trained for trained, _, _ in fake_fit.calls] == [texts[3:5], texts[:3]]
    assert [record["question"] for record in outcome.records] == texts[:5]


def test_only_databases_of_a_fold_are_candidates(tmp_path: Path) -> None:
    demo = Demo(tmp_path, "test", HashingEncoder(16), tmp_path)
    databases = [question.database for question in demo.questions]
    folds = make_folds(demo.encode_questions().vector, databases, 5, 0, "database")
    trained_on = []

    class RecordingFit(FakeFit):
        def __call__(self, dataset: JoinGraphs, **options: Any) -> Fitted:
            trained_on.append({database for database, _ in dataset.corpus().tables})
            return super().__call__(dataset, **options)

    outcome = cross_validate(demo, folds, RecordingFit(), {"vanilla": Vanilla()}, tmp_path, separate_databases=True)
    for fold, training_databases in zip(folds, trained_on, strict=True):
        assert not training_databases & {databases[i] for i in fold}
    for record in outcome.records:
        fold = next(fold for fold in folds if record["index"] in fold)
        assert {hit["table"].split(".")[0] for hit in record["ranked"]} <= {databases[i] for i in fold}


def test_metrics_are_means_over_folds_for_baselines_too(tiny: Beaver, tmp_path: Path) -> None:
    scored = partial(evaluate, ks=(1, 2))
    baselines = {"heuristic": heuristic(2, 2), "vanilla": Vanilla()}
    outcome = cross_validate(tiny, FOLDS, FakeFit(), baselines, tmp_path, scored)
    query = tiny.encode_questions()
    folds = [scored(heuristic(2, 2), tiny, query[fold], [tiny.questions[i] for i in fold]).metrics for fold in FOLDS]
    assert outcome.folds == folds
    values = [fold["R@2"] for fold in folds]
    mean = sum(values) / 3
    assert outcome.metrics["R@2"] == pytest.approx(mean)
    assert outcome.spread["R@2"] == pytest.approx((sum((value - mean) ** 2 for value in values) / 2) ** 0.5)
    # A method has the same metrics as a baseline and as the trained model.
    assert outcome.baselines["heuristic"] == outcome.metrics
    assert set(outcome.baselines["vanilla"]) == {"P@1", "R@1", "PR@1", "P@2", "R@2", "PR@2"}


def test_only_folds_with_a_checkpoint_are_resumed(tiny: Beaver, tmp_path: Path) -> None:
    (tmp_path / "fold_1").mkdir()
    (tmp_path / "fold_1/last.ckpt").touch()
    fake_fit = FakeFit()
    cross_validate(tiny, FOLDS, fake_fit, {}, tmp_path, resume=True)
    assert [resume for _, _, resume in fake_fit.calls] == [None, tmp_path / "fold_1/last.ckpt", None]


def test_without_a_test_split_there_is_only_training(tiny: Beaver, tmp_path: Path) -> None:
    outcome = train_and_test(tiny, None, FakeFit(), {"vanilla": Vanilla()}, tmp_path)
    assert (outcome.metrics, outcome.records, outcome.baselines, outcome.epochs) == ({}, [], {}, [3])
    assert outcome.checkpoints == [tmp_path / "last.ckpt"]


def test_a_process_of_the_pool_ends_with_a_killed_parent() -> None:
    """A pipe ends when the last process that could write to it has exited."""
    fork = get_context("fork")

    def wait(write: int) -> None:
        _initialize_worker(1)
        os.write(write, b"!")
        time.sleep(60)

    def start(write: int) -> None:
        fork.Process(target=wait, args=(write,)).start()
        time.sleep(60)

    read, write = os.pipe()
    parent = fork.Process(target=start, args=(write,))
    parent.start()
    os.close(write)
    assert os.read(read, 1) == b"!"
    assert select.select([read], [], [], 0)[0] == []
    parent.kill()
    assert select.select([read], [], [], 30)[0] == [read]
    assert os.read(read, 1) == b""
    os.close(read)
