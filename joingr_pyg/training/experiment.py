"""Whole experiments: train and test, or cross-validate, with baselines on the same questions."""

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
from typing import Any

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
        metrics: Test metrics of the trained model, means over folds where there are folds; empty without a test.
        records: A plain value for each test question, as :class:`~joingr_pyg.evaluation.evaluate.Evaluation` has them.
        baselines: Metrics of each baseline on the same questions.
        training_seconds: Time of training.
        evaluation_seconds: Time of ranking the test questions with the trained model.
        checkpoints: The chosen checkpoints.
        epochs: Epochs trained, of each model.
        folds: Metrics of each fold.
        spread: Standard deviation of each metric over folds.
        sets: Quality of the sets that the trained model returned, as in
            :class:`~joingr_pyg.evaluation.evaluate.Evaluation`.
    """

    metrics: dict[str, float]
    records: list[dict[str, Any]]
    baselines: dict[str, dict[str, float]]
    training_seconds: float
    evaluation_seconds: float
    checkpoints: list[Path]
    epochs: list[int]
    folds: list[dict[str, float]] = field(default_factory=list)
    spread: dict[str, float] = field(default_factory=dict)
    sets: dict[str, float] = field(default_factory=dict)


OnTested = Callable[[Fitted, Evaluation, JoinGraphs, Queries, Sequence[Question]], None]


def _nothing(*_: Any) -> None:
    pass


def train_and_test(
    train: JoinGraphs,
    test: JoinGraphs | None,
    fit_model: Callable[..., Fitted | None],
    baselines: Mapping[str, Retriever],
    folder: Path,
    evaluate_model: Callable[..., Evaluation] = evaluate,
    resume: Path | None = None,
    on_tested: OnTested = _nothing,
) -> Outcome | None:
    """Train on one split and test on another.

    Args:
        train: The training split.
        test: The test split, or ``None`` to train only.
        fit_model: :func:`~joingr_pyg.training.fit.fit` with everything but data, folder and resume filled in.
        baselines: Methods evaluated on the same test questions.
        folder: Where checkpoints go.
        evaluate_model: :func:`~joingr_pyg.evaluation.evaluate.evaluate` with its options filled in.
        resume: Checkpoint to resume from.
        on_tested: Called after the test with the fitted model, its evaluation, the dataset, and the embedded and the
            annotated test questions.

    Returns:
        The results in rank zero of a training; ``None`` in other ranks.
    """
    fitted = fit_model(dataset=train, folder=folder, resume=resume)
    if fitted is None:
        return None
    if test is None:
        return Outcome({}, [], {}, fitted.seconds, 0.0, [fitted.checkpoint], [fitted.epochs])
    queries = test.encode_questions()
    tested = evaluate_model(fitted.model, test, queries)
    on_tested(fitted, tested, test, queries, test.questions)
    for method in baselines.values():
        method.remember(train.encode_questions(), [question.gold for question in train.questions])
    return Outcome(
        metrics=tested.metrics,
        records=tested.records,
        baselines={name: evaluate_model(method, test, queries).metrics for name, method in baselines.items()},
        training_seconds=fitted.seconds,
        evaluation_seconds=tested.seconds,
        checkpoints=[fitted.checkpoint],
        epochs=[fitted.epochs],
        sets=tested.sets,
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
    on_tested: OnTested = _nothing,
    apart: bool = False,
) -> Outcome | None:
    """Train once a fold on the questions of all others, and test on its own.

    Args:
        dataset: The dataset.
        folds: Positions of each fold's test questions; those of no fold are left out altogether.
        fit_model: As in :func:`train_and_test`.
        baselines: As in :func:`train_and_test`.
        folder: Where checkpoints go, in one folder a fold.
        evaluate_model: As in :func:`train_and_test`.
        workers: Folds trained at the same time, each in a process of its own.
        resume: Resume the folds of a run that ended early, from their last checkpoints where there are any.
        on_tested: As in :func:`train_and_test`, once a fold and in the process that trained it.
        apart: Folds are of different databases: while one is trained or tested, only tables of its own compete.

    Returns:
        As :func:`train_and_test`.
    """
    queries = dataset.encode_questions()
    every = {row for fold in folds for row in fold}
    jobs = [
        partial(
            _fold,
            *(dataset, queries, sorted(every.difference(test)), list(test), fit_model, evaluate_model),
            *(folder / f"fold_{number}", resume, on_tested, apart),
        )
        for number, test in enumerate(folds)
    ]
    ended = list(bar("Folds", len(jobs), "fold", iterable=_run(jobs, workers)))
    if None in ended:
        return None
    fitted, tested = zip(*ended, strict=True)
    together = Evaluation.of_folds(tested)
    return Outcome(
        metrics=together.metrics,
        records=together.records,
        # Means over the same folds: those of unequal size would weigh questions unequally.
        baselines={
            name: evaluate_folds(method, dataset, queries, folds, evaluate_model, apart).metrics
            for name, method in baselines.items()
        },
        training_seconds=sum(seconds for _, _, seconds in fitted),
        evaluation_seconds=together.seconds,
        checkpoints=[checkpoint for checkpoint, _, _ in fitted],
        epochs=[epochs for _, epochs, _ in fitted],
        folds=together.folds,
        spread=together.spread,
        sets=together.sets,
    )


def _fold(
    dataset: JoinGraphs,
    queries: Queries,
    train: list[int],
    test: list[int],
    fit_model: Callable[..., Fitted | None],
    evaluate_model: Callable[..., Evaluation],
    folder: Path,
    resume: bool,
    on_tested: OnTested,
    apart: bool,
) -> tuple[tuple[Path, int, float], Evaluation] | None:
    learned, questions = ([dataset.questions[i] for i in rows] for rows in (train, test))
    seen, unseen = (
        dataset.only({question.database for question in some}) if apart else dataset for some in (learned, questions)
    )
    last = folder / f"{LAST}.ckpt"
    fitted = fit_model(
        dataset=seen,
        folder=folder,
        questions=learned,
        queries=queries[train],
        resume=last if resume and last.is_file() else None,
    )
    if fitted is None:
        return None
    tested = evaluate_model(fitted.model, unseen, queries[test], questions)
    on_tested(fitted, tested, unseen, queries[test], questions)
    return (fitted.checkpoint, fitted.epochs, fitted.seconds), tested


def _run(jobs: Sequence[Callable[[], Any]], workers: int) -> Iterator[Any]:
    if workers <= 1:
        yield from (job() for job in jobs)
        return
    threads = max(1, torch.get_num_threads() // workers)
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (threads,)) as pool:
        yield from pool.map(_call, jobs)


def _begin(threads: int) -> None:
    """Make a process of the pool ready; it ends with the one that started it, also where that is killed."""
    torch.set_num_threads(threads)
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    logging.getLogger("joingr_pyg").setLevel(logging.INFO)
    Thread(target=_end_with, args=(parent_process(),), daemon=True).start()


def _end_with(process: Any) -> None:
    process.join()
    os._exit(1)


def _call(job: Callable[[], Any]) -> Any:
    return job()
