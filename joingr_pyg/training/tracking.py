"""Experiment tracking: logs training metrics, test results and the comparison of methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lightning.pytorch.loggers import CSVLogger, Logger

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import JoinGraphs, Question
from joingr_pyg.evaluation.evaluate import Evaluation
from joingr_pyg.runs.comparison import Row
from joingr_pyg.training.fit import Fitted


@dataclass(frozen=True)
class Experiment:
    """The identity of an experiment.

    Args:
        folder: The run's folder.
        name: Name of the run.
        group: Name of the sweep that the run belongs to, or the run's own name.
        config: Its config in plain values, without secrets.
    """

    folder: Path
    name: str
    group: str
    config: Mapping[str, Any] = field(default_factory=dict)


class Tracker:
    """Logs the metrics of every epoch to ``metrics.csv``. Subclasses also log them elsewhere.

    A tracker is a context manager; the experiment runs inside the context.
    """

    experiment: Experiment

    def start(self, experiment: Experiment) -> Self:
        """Set the experiment to track."""
        self.experiment = experiment
        return self

    def loggers(self, save_dir: str) -> list[Logger]:
        """The Lightning loggers of one training, which write to ``save_dir``."""
        return [CSVLogger(save_dir, name=None, version="")]

    def log_test(
        self,
        fitted: Fitted,
        evaluation: Evaluation,
        dataset: JoinGraphs,
        queries: Queries,
        questions: Sequence[Question],
    ) -> None:
        """Log the test results of a trained model. Called in the process that trained it.

        Args:
            fitted: The trained model.
            evaluation: Its test results.
            dataset: The test dataset.
            queries: The embedded test questions.
            questions: The same questions with their gold tables.
        """

    def log_comparison(self, rows: Sequence[Row], records: Sequence[dict[str, Any]]) -> None:
        """Log the comparison of methods and one record per test question, at the end of the experiment."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Finish tracking, also when the experiment failed."""
