"""Logging of an experiment while it runs, and of its results at the end."""

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
    """Description of an experiment, for trackers.

    Args:
        folder: The run's folder.
        name: Name of the run.
        group: What it is compared with: the sweep it belongs to, or itself.
        config: Its config in plain values, without secrets.
    """

    folder: Path
    name: str
    group: str
    config: Mapping[str, Any] = field(default_factory=dict)


class Tracker:
    """Writes the values of every epoch to ``metrics.csv``. Subclasses log to other places too.

    It is used as a context, which an experiment begins and ends in.
    """

    experiment: Experiment

    def of(self, experiment: Experiment) -> Self:
        """Take up an experiment."""
        self.experiment = experiment
        return self

    def loggers(self, save_dir: str) -> list[Logger]:
        """The loggers of one training, whose files go to ``save_dir``."""
        return [CSVLogger(save_dir, name=None, version="")]

    def tested(
        self,
        fitted: Fitted,
        evaluation: Evaluation,
        dataset: JoinGraphs,
        queries: Queries,
        questions: Sequence[Question],
    ) -> None:
        """Log the test of a trained model; called in the process that trained it."""

    def compared(self, rows: Sequence[Row], records: Sequence[dict[str, Any]]) -> None:
        """Log the table of methods and the ranking of each question at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End, whether well or not."""
