"""Evaluation of a retriever on a benchmark, over all of its tables or within each question's database."""

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
from joingr_pyg.models.calibration import require_complete, set_sizes
from joingr_pyg.progress import bar

SETTINGS = ("pooled", "per_database")
"""Candidates of a question: ``pooled``, all tables of the split; ``per_database``, only those of its database."""


@dataclass(frozen=True)
class Evaluation:
    """Metrics of one method on one set of questions.

    Attributes:
        metrics: Means over the questions, with keys ``P@5``, ``R@5``, ``PR@5``, ..., and ``bridges@5``, ... if the
            dataset annotates bridge tables. In a cross-validation, means over folds.
        records: One dictionary per question: its ``index``, ``question``, ``database``, ``gold`` tables, and ``ranked``
            tables with scores.
        seconds: Time of ranking, without embedding the questions and without loading compiled code.
        folds: Metrics of each fold of a cross-validation.
        spread: Standard deviation of each metric over folds.
        sets: :class:`~joingr_pyg.evaluation.metrics.SetMetrics` of the returned sets, if the method is calibrated. In a
            cross-validation, means over folds.
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
    def of_folds(cls, folds: Sequence["Evaluation"]) -> "Evaluation":
        """Combine the evaluations of the folds of a cross-validation."""
        mean, spread = mean_and_spread([fold.metrics for fold in folds])
        return cls(
            metrics=mean,
            records=sorted((record for fold in folds for record in fold.records), key=itemgetter("index")),
            seconds=sum(fold.seconds for fold in folds),
            folds=[fold.metrics for fold in folds],
            spread=spread,
            sets=mean_and_spread([fold.sets for fold in folds])[0] if all(fold.sets for fold in folds) else {},
            databases=_mean_by_database([fold.databases for fold in folds]),
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
    """Rank the tables for questions and compute metrics.

    Args:
        retriever: The method. It is bound to the dataset's corpus.
        dataset: The dataset whose tables are the candidates.
        queries: The embedded questions.
        questions: The same questions with their gold tables. The default is all questions of the dataset.
        setting: ``"pooled"`` or ``"per_database"``.
        ks: Cut-offs. Records contain as many tables as the largest cut-off.
        batch_size: Questions ranked at once.
        complete: Required probability that a returned set contains all gold tables, if the method is calibrated.

    Returns:
        Metrics and records.

    Raises:
        JoinGRError: If there is no question, or as :func:`require_protocol`.
    """
    require_protocol(setting, ks, batch_size, complete)
    questions = dataset.questions if questions is None else questions
    if not questions:
        raise JoinGRError(f"Dataset {dataset.benchmark_name!r} ({dataset.split}) has no questions to evaluate.")
    # Only rank zero evaluates, so metrics must not wait for other processes.
    metrics = RetrievalMetrics(ks, sync_on_compute=False)
    bridges = BridgeRecall(ks, sync_on_compute=False)
    by_database: dict[str, tuple[RetrievalMetrics, BridgeRecall]] = {}
    sets = SetMetrics(sync_on_compute=False)
    ranked = max(metrics.ks) if retriever.calibration is None else max(*metrics.ks, retriever.largest_set)
    retriever.eval()
    records: list[dict[str, Any]] = []
    seconds = 0.0
    with bar("Evaluating", len(questions), "question", leave=False) as shown:
        for number, (database, rows) in enumerate(_pools(questions, setting)):
            corpus = dataset.corpus(database)
            retriever.index(corpus)
            if number == 0:
                retriever.warm_up(queries[rows[:1]])
            for chunk in rows.split(batch_size):
                batch = [questions[row] for row in chunk.tolist()]
                start = time.perf_counter()
                ranking = retriever.rank(queries[chunk], ranked)
                seconds += time.perf_counter() - start
                gold = gold_table_numbers(batch, corpus)
                if retriever.calibration is not None:
                    probability = retriever.needed(ranking, queries[chunk])
                    size = set_sizes(probability, complete)
                    sets.update(ranking.table[:, : retriever.largest_set], size, probability, gold)
                ranking = ranking.first(max(metrics.ks))
                bridge = bridge_table_numbers(batch, corpus)
                metrics.update(ranking.table, gold)
                bridges.update(ranking.table, bridge)
                for name, members in _rows_by_database(batch).items():
                    database_metrics, database_bridges = by_database.setdefault(
                        name, (RetrievalMetrics(ks, sync_on_compute=False), BridgeRecall(ks, sync_on_compute=False))
                    )
                    database_metrics.update(ranking.table[members], gold[members])
                    database_bridges.update(ranking.table[members], bridge[members])
                records += [
                    _record(question, *row, corpus.tables) for question, row in zip(batch, _rows(ranking), strict=True)
                ]
                shown.update(len(batch))
    records.sort(key=itemgetter("index"))
    databases = {
        name: {"questions": float(of_questions.questions), **_values(of_questions), **_values(of_bridges)}
        for name, (of_questions, of_bridges) in by_database.items()
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
    separate_databases: bool = False,
) -> Evaluation:
    """Evaluate a method without training fold by fold. The method may remember the questions of the other folds.

    Args:
        retriever: The method.
        dataset: The dataset.
        queries: All of its questions, embedded.
        folds: Positions of each fold's test questions.
        evaluate_fold: :func:`evaluate` with its options filled in.
        separate_databases: Whether only tables of the databases of a fold's questions are candidates.

    Returns:
        Means over folds, and the records of all folds.
    """
    evaluations = []
    used = {row for fold in folds for row in fold}
    for test in folds:
        others = sorted(used.difference(test))
        retriever.remember(queries[others], [dataset.questions[i].gold for i in others])
        questions = [dataset.questions[i] for i in test]
        pool = dataset.only({question.database for question in questions}) if separate_databases else dataset
        evaluations.append(evaluate_fold(retriever, pool, queries[list(test)], questions))
    return Evaluation.of_folds(evaluations)


def require_protocol(setting: str, ks: Sequence[int], batch_size: int = 1, complete: float = 0.9) -> None:
    """Check the arguments of :func:`evaluate`, so that errors are reported before long computations.

    Raises:
        JoinGRError: If the setting does not exist, there is no cut-off or one below 1, the batch size is below 1, or
            ``complete`` is not a probability.
    """
    if setting not in SETTINGS:
        raise JoinGRError(f"There is no setting {setting!r}: choose {' or '.join(map(repr, SETTINGS))}.")
    if not isinstance(ks, Sequence) or not ks or not all(isinstance(k, int) and k >= 1 for k in ks):
        raise JoinGRError(f"'ks' needs to be a list of cut-offs, each at least 1, such as [5,15] (got {ks!r}).")
    if batch_size < 1:
        raise JoinGRError(f"'batch_size' needs to be at least 1 (got {batch_size}).")
    require_complete(complete)


def require_folds(folds: int | None, has_test_split: bool, held_out: int | None = None) -> None:
    """Check the settings of a cross-validation.

    Args:
        folds: Number of folds, if any.
        has_test_split: Whether the dataset has a test split.
        held_out: Number of the outer fold to hold out, if any.

    Raises:
        JoinGRError: If ``folds`` is given for a dataset with a test split, or ``held_out`` is given without ``folds``.
    """
    if held_out is not None and folds is None:
        raise JoinGRError("'fold_held_out' needs the number of inner folds: give 'folds' too, such as folds=4.")
    if folds is not None and has_test_split:
        raise JoinGRError(
            "'folds' is for a dataset without a test split, and this dataset has one: leave it out, or use "
            "dataset=beaver."
        )


def _pools(questions: Sequence[Question], setting: str) -> Iterator[tuple[str | None, Tensor]]:
    """The database of each pool (``None`` for all databases), and the positions of its questions."""
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
    """The metrics of each database as means over folds, weighted by the number of questions."""
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
