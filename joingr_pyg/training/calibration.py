"""Calibration of a trained model, on held-out questions or by cross-fitting."""

from collections.abc import Callable, Sequence

import lightning as L
import torch
from lightning.pytorch.strategies import SingleDeviceStrategy

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Question
from joingr_pyg.datasets.folds import split_folds, split_grouped_folds
from joingr_pyg.datasets.gold import gold_table_numbers
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import Retriever
from joingr_pyg.models.calibration import Calibration
from joingr_pyg.models.memory import QuestionMemory

FEW = range(30, 1000)
"""Numbers of training questions for which calibration is cross-fitted.

With fewer questions the folds are too small. With more, a model overfits so little that calibration on its own training
questions is nearly unbiased.
"""

FOLDS = 3
"""Folds of a cross-fitted calibration."""

TrainModel = Callable[[Queries, Sequence[Question]], Retriever]


def calibrate_on(model: Retriever, queries: Queries, questions: Sequence[Question]) -> Calibration:
    """Calibrate a model on questions.

    A remembered question does not vote for itself, as in training.

    Args:
        model: The model, bound to its corpus. It keeps the calibration.
        queries: ``Q`` embedded questions.
        questions: The same questions with their gold tables.

    Returns:
        The calibration.
    """
    for module in model.modules():
        module.training = isinstance(module, QuestionMemory)
    calibration = model.calibrate(queries, gold_table_numbers(questions, model.corpus))
    model.eval()
    return calibration


def needs_cross_fitting(trainer: L.Trainer, num_questions: int) -> bool:
    """Whether to calibrate a model that has no validation questions by :func:`cross_fit`.

    This is so if the number of training questions is in :data:`FEW` and the trainer runs on a single device: with
    several processes, all of them would have to train the models of the folds together.
    """
    return num_questions in FEW and type(trainer.strategy) is SingleDeviceStrategy


def cross_fit(train_model: TrainModel, queries: Queries, questions: Sequence[Question], seed: int) -> Calibration:
    """Fit one calibration to rankings by models that were not trained on the questions they rank.

    The questions are divided into :data:`FOLDS` folds, with near-paraphrases in the same fold. Each fold is ranked by a
    model trained on the other folds. One calibration is fitted to the rankings of all folds.

    Args:
        train_model: Trains a model like the one to calibrate on some of the questions, and binds it to the same corpus.
        queries: ``Q`` embedded questions, at least :data:`FOLDS`.
        questions: The same questions with their gold tables.
        seed: Seed of the folds.

    Returns:
        The calibration.
    """
    ranked_folds = []
    for fold in _folds(queries, seed):
        rest = sorted(set(range(len(queries))) - set(fold))
        model = train_model(queries[rest], [questions[i] for i in rest]).eval()
        ranked_folds.append(
            model.answered(queries[fold], gold_table_numbers([questions[i] for i in fold], model.corpus))
        )
    score, database, needed, lengths = zip(*ranked_folds, strict=True)
    length = None if any(of_fold is None for of_fold in lengths) else torch.cat(lengths)
    return Calibration.fit(torch.cat(score), torch.cat(database), torch.cat(needed), length)


def _folds(queries: Queries, seed: int) -> list[list[int]]:
    """Folds that keep near-paraphrases together, unless one fold would then hold most questions."""
    try:
        folds = split_grouped_folds(queries.vector, FOLDS, seed)
    except JoinGRError:  # There are fewer groups of near-paraphrases than folds.
        folds = []
    if max(map(len, folds), default=len(queries)) > len(queries) / 2:
        return split_folds(len(queries), FOLDS, seed)
    return folds
