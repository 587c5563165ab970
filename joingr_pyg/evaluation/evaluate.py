"""Evaluating a retriever on a benchmark: pooled over all of its tables, or within each question's database."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import JoinGraphs, Question
from joingr_pyg.datasets.gold import bridge_table_numbers, gold_table_numbers
from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.metrics import BridgeRecall, RetrievalMetrics, SetMetrics
from joingr_pyg.evaluation.spread import mean_and_spread
from joingr_pyg.models import Ranking, Retriever
from joingr_pyg.models.calibration import CANDIDATES, require_complete, set_sizes
from joingr_pyg.progress import bar

SETTINGS = ("pooled", "per_database")
"""``pooled``: all tables of the split compete; ``per_database``: those of the question's database alone."""


@dataclass(frozen=True)
class Evaluation:
    """Metrics of one method on one set of questions.

    Attributes:
        metrics: Means over the questions, keyed ``P@5``, ``R@5``, ``PR@5``, ..., and ``bridges@5``, ... where the
            dataset annotates bridge tables.
        records: A plain value a question: its ``index``, ``question``, ``database``, ``gold`` tables, and the
            ``ranked`` tables with scores.
        seconds: Time of ranking alone; the questions were embedded before.
        folds: Metrics of each fold, where there are folds; ``metrics`` are their means.
        spread: Standard deviation of each metric over folds.
        sets: What :class:`~joingr_pyg.evaluation.metrics.SetMetrics` says of the sets returned, where the method is
            calibrated; means over folds where there are folds.
        databases: Metrics of the questions of each database, with their number as ``questions``.
    """

    metrics: dict[str, float]
    records: list[dict[str, Any]]
    seconds: float
    folds: list[dict[str, float]] = field(default_factory=list)
    spread: dict[str, float] = field(default_factory=dict)
    sets: dict[str, float] = field(default_factory=dict)
    databases: dict[str, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of_folds(cls, tested: Sequence["Evaluation"]) -> "Evaluation":
        """What the folds of a cross-validation say together."""
        mean, spread = mean_and_spread([each.metrics for each in tested])
        return cls(
            metrics=mean,
            records=sorted((record for each in tested for record in each.records), key=itemgetter("index")),
            seconds=sum(each.seconds for each in tested),
            folds=[each.metrics for each in tested],
            spread=spread,
            sets=mean_and_spread([each.sets for each in tested])[0] if all(each.sets for each in tested) else {},
            databases=_mean_by_database([each.databases for each in tested]),
        )

    @property
    def questions_per_second(self) -> float:
        return len(self.records) / max(self.seconds, 1e-9)


def evaluate(
    retriever: Retriever,
    dataset: JoinGraphs,
    queries: Queries,
    questions: Sequence[Question] | None = None,
    setting: str = "pooled",
    ks: Sequence[int] = (5, 15),
    batch_size: int = 256,
    complete: float = 0.9,
) -> Evaluation:
    """Rank the tables for every question and count.

    Args:
        retriever: The method; it is bound to the dataset's corpus here.
        dataset: The dataset whose tables compete.
        queries: The questions as methods see them.
        questions: The same questions with their gold tables; all of the dataset's where not given.
        setting: ``"pooled"`` or ``"per_database"``.
        ks: Cut-offs; the largest is the number of tables kept a question.
        batch_size: Questions ranked at once.
        complete: Probability with which a set is to hold all tables that its question needs, where the method is
            calibrated.

    Raises:
        JoinGRError: If there is no question, or as :func:`require_protocol`.
    """
    require_protocol(setting, ks, batch_size, complete)
    questions = dataset.questions if questions is None else questions
    if not questions:
        raise JoinGRError(f"Dataset {dataset.benchmark_name!r} ({dataset.split}) has no question to evaluate.")
    # One process evaluates alone, also where several have trained.
    metrics = RetrievalMetrics(ks, sync_on_compute=False)
    bridges = BridgeRecall(ks, sync_on_compute=False)
    by_database: dict[str, tuple[RetrievalMetrics, BridgeRecall]] = {}
    sets = SetMetrics(sync_on_compute=False)
    places = max(metrics.ks) if retriever.calibration is None else max(*metrics.ks, CANDIDATES)
    retriever.eval()
    records: list[dict[str, Any]] = []
    seconds = 0.0
    with bar("Evaluating", len(questions), "question", leave=False) as shown:
        for database, rows in _pools(questions, setting):
            corpus = dataset.corpus(database)
            retriever.index(corpus)
            for chunk in rows.split(batch_size):
                asked = [questions[row] for row in chunk.tolist()]
                start = time.perf_counter()
                ranking = retriever.rank(queries[chunk], places)
                seconds += time.perf_counter() - start
                gold = gold_table_numbers(asked, corpus)
                if retriever.calibration is not None:
                    probability = retriever.needed(ranking, queries[chunk])
                    size = set_sizes(probability, complete)
                    sets.update(ranking.table[:, :CANDIDATES], size, probability, gold)
                ranking = ranking.first(max(metrics.ks))
                bridge = bridge_table_numbers(asked, corpus)
                metrics.update(ranking.table, gold)
                bridges.update(ranking.table, bridge)
                for name, rows_of in _rows_by_database(asked).items():
                    own = by_database.setdefault(
                        name, (RetrievalMetrics(ks, sync_on_compute=False), BridgeRecall(ks, sync_on_compute=False))
                    )
                    own[0].update(ranking.table[rows_of], gold[rows_of])
                    own[1].update(ranking.table[rows_of], bridge[rows_of])
                records += [
                    _record(question, *row, corpus.tables) for question, row in zip(asked, _rows(ranking), strict=True)
                ]
                shown.update(len(asked))
    records.sort(key=itemgetter("index"))
    databases = {
        name: {"questions": float(own.questions), **_values(own), **_values(own_bridges)}
        for name, (own, own_bridges) in by_database.items()
    }
    return Evaluation(
        _values(metrics) | _values(bridges),
        records,
        seconds,
        sets={} if retriever.calibration is None else _values(sets),
        databases=databases,
    )


def evaluate_folds(
    retriever: Retriever,
    dataset: JoinGraphs,
    queries: Queries,
    folds: Sequence[Sequence[int]],
    evaluate_fold: Callable[..., Evaluation] = evaluate,
    apart: bool = False,
) -> Evaluation:
    """Evaluate a method that needs no training fold by fold; it may remember the questions of the other folds.

    Args:
        retriever: The method.
        dataset: The dataset.
        queries: All of its questions.
        folds: Positions of each fold's test questions.
        evaluate_fold: :func:`evaluate` with its options filled in.
        apart: Only the tables of a fold's own databases compete.
    """
    tested = []
    every = {row for fold in folds for row in fold}
    for test in folds:
        others = sorted(every.difference(test))
        retriever.remember(queries[others], [dataset.questions[i].gold for i in others])
        questions = [dataset.questions[i] for i in test]
        pool = dataset.only({question.database for question in questions}) if apart else dataset
        tested.append(evaluate_fold(retriever, pool, queries[list(test)], questions))
    return Evaluation.of_folds(tested)


def require_protocol(setting: str, ks: Sequence[int], batch_size: int = 1, complete: float = 0.9) -> None:
    """Refuse what :func:`evaluate` could not do, before anything long is done for it.

    Raises:
        JoinGRError: If the setting does not exist, there is no cut-off or one below 1, the batch size is below 1, or
            ``complete`` is no probability.
    """
    if setting not in SETTINGS:
        raise JoinGRError(f"There is no setting {setting!r}: choose {' or '.join(map(repr, SETTINGS))}.")
    if not isinstance(ks, Sequence) or not ks or not all(isinstance(k, int) and k >= 1 for k in ks):
        raise JoinGRError(f"'ks' needs to be a list of cut-offs, each at least 1, such as [5,15] (got {ks!r}).")
    if batch_size < 1:
        raise JoinGRError(f"'batch_size' needs to be at least 1 (got {batch_size}).")
    require_complete(complete)


def require_folds(folds: int | None, divided: bool, held_out: int | None = None) -> None:
    """Refuse a cross-validation of a benchmark that comes divided into training and test, and a fold held out of none.

    Raises:
        JoinGRError: If it does and ``folds`` is a number, or ``held_out`` is one and ``folds`` is not.
    """
    if held_out is not None and folds is None:
        raise JoinGRError(
            "'fold_held_out' leaves the other folds to be cross-validated: give 'folds' too, such as folds=4."
        )
    if folds is not None and divided:
        raise JoinGRError(
            "'folds' is for a dataset without a test split, and this one has one: leave it out, or take dataset=beaver."
        )


def _pools(questions: Sequence[Question], setting: str) -> Iterator[tuple[str | None, Tensor]]:
    """Each pool, as the database it is or ``None`` for all of them, with the positions of its questions."""
    if setting == "pooled":
        yield None, torch.arange(len(questions))
        return
    for database in dict.fromkeys(question.database for question in questions):
        yield database, torch.tensor([i for i, question in enumerate(questions) if question.database == database])


def _values(metric: Metric) -> dict[str, float]:
    return {name: value.item() for name, value in metric.compute().items()}


def _rows_by_database(questions: Sequence[Question]) -> dict[str, Tensor]:
    """The positions of the questions of each database."""
    rows: dict[str, list[int]] = {}
    for row, question in enumerate(questions):
        rows.setdefault(question.database, []).append(row)
    return {database: torch.tensor(positions) for database, positions in rows.items()}


def _mean_by_database(folds: Sequence[Mapping[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """The metrics of each database over all folds, each fold counting by its number of questions."""
    means: dict[str, dict[str, float]] = {}
    for database in dict.fromkeys(chain.from_iterable(folds)):
        parts = [fold[database] for fold in folds if database in fold]
        total = sum(part["questions"] for part in parts)
        names = [name for name in parts[0] if name != "questions" and all(name in part for part in parts)]
        means[database] = {"questions": total} | {
            name: sum(part["questions"] * part[name] for part in parts) / total for name in names
        }
    return means


def _rows(ranking: Ranking) -> Iterator[tuple[list[int], list[float]]]:
    return zip(ranking.table.tolist(), ranking.score.tolist(), strict=True)


def _record(
    question: Question, tables: list[int], scores: list[float], names: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    return {
        "index": question.index,
        "question": question.text,
        "database": question.database,
        "gold": [".".join(name) for name in question.gold],
        "ranked": [
            {"table": ".".join(names[table]), "score": round(score, 6)}
            for table, score in zip(tables, scores, strict=True)
            if table >= 0
        ],
    }
