"""Experiments: train and test, or cross-validate, with baselines evaluated on the same questions."""

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import torch

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import JoinGraphs, Question
from joingr_pyg.evaluation.evaluate import Evaluation, evaluate, evaluate_folds
from joingr_pyg.models import Retriever
from joingr_pyg.progress import bar
from joingr_pyg.training.fit import LAST, Fitted


@dataclass(frozen=True)
class Outcome:
    """The results of an experiment.

    Attributes:
        metrics: Test metrics of the trained model (means over folds in a cross-validation); empty without a test.
        records: One record per test question, see :class:`~joingr_pyg.evaluation.evaluate.Evaluation`.
        baselines: Metrics of each baseline on the same questions.
        training_seconds: Training time.
        evaluation_seconds: Time to rank the test questions with the trained model.
        checkpoints: The selected checkpoint of each model.
        epochs: Epochs trained of each model.
        kept_epochs: The epoch of each model's selected checkpoint, counted from 1.
        folds: Metrics of each fold.
        spread: Standard deviation of each metric over folds.
        sets: Statistics of the sets of tables that the trained model returned, see
            :class:`~joingr_pyg.evaluation.evaluate.Evaluation`.
    """

    metrics: dict[str, float]
    records: list[dict[str, Any]]
    baselines: dict[str, dict[str, float]]
    training_seconds: float
    evaluation_seconds: float
    checkpoints: list[Path]
    epochs: list[int]
    kept_epochs: list[int]
    folds: list[dict[str, float]] = field(default_factory=list)
    spread: dict[str, float] = field(default_factory=dict)
    sets: dict[str, float] = field(default_factory=dict)


OnTested = Callable[[Fitted, Evaluation, JoinGraphs, Queries, Sequence[Question]], None]


def _do_nothing(*_: Any) -> None:
    pass


def train_and_test(
    train: JoinGraphs,
    test: JoinGraphs | None,
    fit_model: Callable[..., Fitted | None],
    baselines: Mapping[str, Retriever],
    folder: Path,
    evaluate_model: Callable[..., Evaluation] = evaluate,
    resume: Path | None = None,
    on_tested: OnTested = _do_nothing,
    remember: bool = True,
) -> Outcome | None:
    """Train on one split and test on another.

    Args:
        train: The training split.
        test: The test split, or ``None`` to train only.
        fit_model: :func:`~joingr_pyg.training.fit.fit` with everything but data, folder and resume filled in.
        baselines: Methods evaluated on the same test questions.
        folder: Folder for checkpoints.
        evaluate_model: :func:`~joingr_pyg.evaluation.evaluate.evaluate` with its options filled in.
        resume: Checkpoint to resume from.
        on_tested: Called after the test with the trained model, its evaluation, the test dataset, the embedded test
            questions, and the same questions with their gold tables.
        remember: Whether the baselines remember the answered questions of the training split.

    Returns:
        The results in the process of rank zero, ``None`` in the others.
    """
    fitted = fit_model(dataset=train, folder=folder, resume=resume)
    if fitted is None:
        return None
    if test is None:
        return Outcome({}, [], {}, fitted.seconds, 0.0, [fitted.checkpoint], [fitted.epochs], [fitted.kept_epoch])
    queries = test.encode_questions()
    evaluation = evaluate_model(fitted.model, test, queries)
    on_tested(fitted, evaluation, test, queries, test.questions)
    for method in baselines.values() if remember else ():
        method.remember(train.encode_questions(), [question.gold for question in train.questions])
    return Outcome(
        metrics=evaluation.metrics,
        records=evaluation.records,
        baselines={name: evaluate_model(method, test, queries).metrics for name, method in baselines.items()},
        training_seconds=fitted.seconds,
        evaluation_seconds=evaluation.seconds,
        checkpoints=[fitted.checkpoint],
        epochs=[fitted.epochs],
        kept_epochs=[fitted.kept_epoch],
        sets=evaluation.sets,
    )


def cross_validate(
    dataset: JoinGraphs,
    folds: Sequence[Sequence[int]],
    fit_model: Callable[..., Fitted | None],
    baselines: Mapping[str, Retriever],
    folder: Path,
    evaluate_model: Callable[..., Evaluation] = evaluate,
    workers: int = 1,
    resume: bool = False,
    on_tested: OnTested = _do_nothing,
    separate_databases: bool = False,
) -> Outcome | None:
    """For each fold, train on the questions of the other folds and test on its own.

    Args:
        dataset: The dataset.
        folds: Positions of each fold's test questions. Questions in no fold are not used at all.
        fit_model: As in :func:`train_and_test`.
        baselines: As in :func:`train_and_test`.
        folder: Folder for checkpoints, with one folder per fold in it.
        evaluate_model: As in :func:`train_and_test`.
        workers: Folds trained at the same time, each in its own process.
        resume: Resume each fold from its last checkpoint, if it has one.
        on_tested: As in :func:`train_and_test`, called once per fold in the process that trained it.
        separate_databases: Whether folds have different databases. Then only tables of the databases that a fold is
            trained on are candidates in its training, and only those of its test databases in its test.

    Returns:
        The results in the process of rank zero, ``None`` in the others.
    """
    queries = dataset.encode_questions()
    used = {row for fold in folds for row in fold}
    jobs = [
        partial(
            _train_and_test_fold,
            *(dataset, queries, sorted(used.difference(test)), list(test), fit_model, evaluate_model),
            *(folder / f"fold_{number}", resume, on_tested, separate_databases),
        )
        for number, test in enumerate(folds)
    ]
    results = list(bar("Folds", len(jobs), "fold", iterable=_run(jobs, workers)))
    if None in results:
        return None
    trainings, evaluations = zip(*results, strict=True)
    evaluation = Evaluation.of_folds(evaluations)
    return Outcome(
        metrics=evaluation.metrics,
        records=evaluation.records,
        # Means over the same folds, so that baselines weigh questions of folds of unequal size as the model does.
        baselines={
            name: evaluate_folds(method, dataset, queries, folds, evaluate_model, separate_databases).metrics
            for name, method in baselines.items()
        },
        training_seconds=sum(training.seconds for training in trainings),
        evaluation_seconds=evaluation.seconds,
        checkpoints=[training.checkpoint for training in trainings],
        epochs=[training.epochs for training in trainings],
        kept_epochs=[training.kept_epoch for training in trainings],
        folds=evaluation.folds,
        spread=evaluation.spread,
        sets=evaluation.sets,
    )


class _FoldTraining(NamedTuple):
    """A finished training, without the model: results travel between processes."""

    checkpoint: Path
    epochs: int
    kept_epoch: int
    seconds: float


def _train_and_test_fold(
    dataset: JoinGraphs,
    queries: Queries,
    train: list[int],
    test: list[int],
    fit_model: Callable[..., Fitted | None],
    evaluate_model: Callable[..., Evaluation],
    folder: Path,
    resume: bool,
    on_tested: OnTested,
    separate_databases: bool,
) -> tuple[_FoldTraining, Evaluation] | None:
    train_questions, test_questions = ([dataset.questions[i] for i in rows] for rows in (train, test))
    train_dataset, test_dataset = (
        dataset.only({question.database for question in questions}) if separate_databases else dataset
        for questions in (train_questions, test_questions)
    )
    last = folder / f"{LAST}.ckpt"
    fitted = fit_model(
        dataset=train_dataset,
        folder=folder,
        questions=train_questions,
        queries=queries[train],
        resume=last if resume and last.is_file() else None,
    )
    if fitted is None:
        return None
    evaluation = evaluate_model(fitted.model, test_dataset, queries[test], test_questions)
    on_tested(fitted, evaluation, test_dataset, queries[test], test_questions)
    return _FoldTraining(fitted.checkpoint, fitted.epochs, fitted.kept_epoch, fitted.seconds), evaluation


def _run(jobs: Sequence[Callable[[], Any]], workers: int) -> Iterator[Any]:
    if workers <= 1:
        yield from (job() for job in jobs)
        return
    threads = max(1, torch.get_num_threads() // workers)
    with ProcessPoolExecutor(workers, get_context("spawn"), _initialize_worker, (threads,)) as pool:
        yield from pool.map(_call, jobs)


def _initialize_worker(threads: int) -> None:
    """Set up threads and logging of a worker process, and let it exit when its parent does, even if that is killed."""
    torch.set_num_threads(threads)
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    logging.getLogger("joingr_pyg").setLevel(logging.INFO)
    Thread(target=_exit_after, args=(parent_process(),), daemon=True).start()


def _exit_after(process: Any) -> None:
    process.join()
    os._exit(1)


def _call(job: Callable[[], Any]) -> Any:
    return job()
