"""What sets are like on databases that a calibration has not seen."""

from collections.abc import Sequence

import torch
from torch import Tensor

from joingr_pyg.cli.calibrate.rankings import Rankings
from joingr_pyg.datasets.folds import split_database_folds
from joingr_pyg.evaluation.metrics import SetMetrics
from joingr_pyg.models.calibration import Calibration, set_sizes

FOLDS = 5
"""Into which databases are dealt, where there are as many."""


def fit(runs: Sequence[Rankings], rows: Tensor | None = None) -> Calibration:
    """One calibration of all runs together.

    Args:
        runs: The rankings of each run, ``Q`` together.
        rows: Those to fit it on, of ``Q``; all where not given.
    """
    parts = zip(*((run.score, run.database, run.needed, run.length) for run in runs), strict=True)
    known = [torch.cat(part) for part in parts]
    return Calibration.fit(*(known if rows is None else (values[rows] for values in known)))


def unseen_probabilities(runs: Sequence[Rankings]) -> list[Tensor]:
    """``[Q, C]`` of each run: probabilities by a fit on the rankings of databases in other folds, of all runs.

    Args:
        runs: The rankings of each run.

    Raises:
        JoinGRError: If all questions are asked of one database.
    """
    asked = [name for run in runs for name in run.asked]
    known = [torch.cat([getattr(run, name) for run in runs]) for name in ("score", "database", "length")]
    probability = torch.empty_like(known[0])
    every = torch.arange(len(asked))
    for fold in split_database_folds(asked, min(FOLDS, len(set(asked))), seed=0):
        unseen = torch.tensor(fold)
        calibration = fit(runs, every[~torch.isin(every, unseen)])
        probability[unseen] = calibration.probability(*(values[unseen] for values in known))
    return list(probability.split([len(run.asked) for run in runs]))


def sets(rankings: Rankings, probability: Tensor, complete: float) -> dict[str, float]:
    """What :class:`~joingr_pyg.evaluation.metrics.SetMetrics` says of sets that are to be complete with a probability.

    Args:
        rankings: The rankings of ``Q`` questions.
        probability: ``[Q, C]`` probability that each ranked table is needed.
        complete: The probability that is asked for, above 0 and below 1.
    """
    metrics = SetMetrics()
    metrics.update(rankings.table, set_sizes(probability, complete), probability, rankings.gold)
    return {name: value.item() for name, value in metrics.compute().items()}
