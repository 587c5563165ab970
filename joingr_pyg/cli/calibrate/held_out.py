"""Quality of returned sets on databases that a calibration has not seen."""

from collections.abc import Sequence

import torch
from torch import Tensor

from joingr_pyg.cli.calibrate.rankings import Rankings
from joingr_pyg.datasets.folds import split_database_folds
from joingr_pyg.evaluation.metrics import SetMetrics
from joingr_pyg.models.calibration import Calibration, set_sizes

FOLDS = 5
"""Folds into which databases are divided, or as many as there are databases."""


def fit(runs: Sequence[Rankings], rows: Tensor | None = None) -> Calibration:
    """One calibration of all runs together.

    Args:
        runs: The rankings of each run, ``Q`` together.
        rows: Numbers of the rankings to fit it on; ``None`` takes all.
    """
    parts = zip(*((run.score, run.database, run.needed, run.length) for run in runs), strict=True)
    tensors = [torch.cat(part) for part in parts]
    return Calibration.fit(*(tensors if rows is None else (tensor[rows] for tensor in tensors)))


def unseen_probabilities(runs: Sequence[Rankings]) -> list[Tensor]:
    """Probabilities that ranked tables are needed, from fits on the databases of other folds.

    Every fit takes the rankings of all runs.

    Args:
        runs: The rankings of each run.

    Raises:
        JoinGRError: If all questions are asked of one database.
    """
    databases = [name for run in runs for name in run.question_database]
    features = [torch.cat([getattr(run, name) for run in runs]) for name in ("score", "database", "length")]
    probability = torch.empty_like(features[0])
    every = torch.arange(len(databases))
    for fold in split_database_folds(databases, min(FOLDS, len(set(databases))), seed=0):
        unseen = torch.tensor(fold)
        calibration = fit(runs, every[~torch.isin(every, unseen)])
        probability[unseen] = calibration.probability(*(feature[unseen] for feature in features))
    return list(probability.split([len(run.question_database) for run in runs]))


def sets(rankings: Rankings, probability: Tensor, complete: float) -> dict[str, float]:
    """The values of :class:`~joingr_pyg.evaluation.metrics.SetMetrics` for sets of a wanted completeness.

    Args:
        rankings: The rankings of ``Q`` questions.
        probability: ``[Q, C]`` probability that each ranked table is needed.
        complete: Probability with which a set is to hold every needed table, above 0 and below 1.
    """
    metrics = SetMetrics()
    metrics.update(rankings.table, set_sizes(probability, complete), probability, rankings.gold)
    return {name: value.item() for name, value in metrics.compute().items()}
