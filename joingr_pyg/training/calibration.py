"""Calibrating a trained model: on questions held out of its training, or on those of models trained without them."""

from collections.abc import Callable, Sequence

import lightning as L
import torch
from lightning.pytorch.strategies import SingleDeviceStrategy

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import Question
from joingr_pyg.datasets.folds import split_folds, split_grouped_folds
from joingr_pyg.datasets.gold import gold_tables
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import Retriever
from joingr_pyg.models.calibration import Calibration
from joingr_pyg.models.memory import QuestionMemory

FEW = range(30, 1000)
"""Numbers of training questions for which a calibration is cross-fitted. Fewer cannot be divided into folds. A model
that learned from more fits them less closely, so that its own scores of them are good enough to calibrate on."""

FOLDS = 3
"""Folds of a cross-fitted calibration."""

TrainAgain = Callable[[Queries, Sequence[Question]], Retriever]


def calibrate_on(model: Retriever, queries: Queries, questions: Sequence[Question]) -> Calibration:
    """Calibrate a model, bound to its corpus, on questions. As in training, its memory leaves out the question itself.

    Args:
        model: The model, which keeps the calibration.
        queries: ``Q`` questions as it sees them.
        questions: The same with their gold.
    """
    for module in model.modules():
        module.training = isinstance(module, QuestionMemory)
    calibration = model.calibrate(queries, gold_tables(questions, model.corpus))
    model.eval()
    return calibration


def calls_for_cross_fitting(trainer: L.Trainer, num_questions: int) -> bool:
    """Whether a training without validation questions is better calibrated by others like it.

    Its questions are :data:`FEW`, and its trainer a plain one of a single device: several processes would have to
    train again together.
    """
    return num_questions in FEW and type(trainer.strategy) is SingleDeviceStrategy


def cross_fit(train_again: TrainAgain, queries: Queries, questions: Sequence[Question], seed: int) -> Calibration:
    """Fit one calibration to rankings of questions by models that did not learn from them.

    Questions are dealt into :data:`FOLDS` folds, near-paraphrases together. Each fold is ranked by a model trained on
    the others, and all rankings are calibrated together.

    Args:
        train_again: Trains a model like the one to calibrate on other questions and binds it to the same corpus.
        queries: ``Q`` questions, at least :data:`FOLDS`.
        questions: The same with their gold.
        seed: Seed of the folds.
    """
    answered = []
    for fold in _deal(queries, seed):
        rest = sorted(set(range(len(queries))) - set(fold))
        model = train_again(queries[rest], [questions[i] for i in rest]).eval()
        answered.append(model.answered(queries[fold], gold_tables([questions[i] for i in fold], model.corpus)))
    score, database, needed, length = zip(*answered, strict=True)
    lengths = None if any(part is None for part in length) else torch.cat(length)
    return Calibration.fit(torch.cat(score), torch.cat(database), torch.cat(needed), lengths)


def _deal(queries: Queries, seed: int) -> list[list[int]]:
    """Folds of near-paraphrases, or of single questions where most of them are near-paraphrases of each other."""
    try:
        folds = split_grouped_folds(queries.vector, FOLDS, seed)
    except JoinGRError:  # There are fewer groups than folds.
        folds = []
    if max(map(len, folds), default=len(queries)) > len(queries) / 2:
        return split_folds(len(queries), FOLDS, seed)
    return folds
