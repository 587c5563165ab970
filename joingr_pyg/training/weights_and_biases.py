"""Experiment tracking with Weights & Biases, online or in local files that can be uploaded later."""

import io
import logging
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from lightning.pytorch.loggers import Logger, WandbLogger

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import JoinGraphs, Question
from joingr_pyg.errors import JoinGRError, MissingPackageError
from joingr_pyg.evaluation.evaluate import Evaluation
from joingr_pyg.models import TrainableRetriever
from joingr_pyg.runs.comparison import Row
from joingr_pyg.training.fit import Fitted
from joingr_pyg.training.processes import is_rank_zero
from joingr_pyg.training.tracking import Tracker

logger = logging.getLogger(__name__)

MAX_NAME_LENGTH = 128
"""Number of characters that W&B allows in a run's name."""


class WeightsAndBiases(Tracker):
    """Logs a training to a W&B run: config, metrics of every epoch, test results, pictures of walks, the checkpoint.

    A cross-validation makes one run per fold and a summary run. Without an API key, runs are stored offline in
    ``<run folder>/wandb`` and can be uploaded with ``wandb sync``; the user is never prompted for a key. The variable
    ``WANDB_MODE`` and W&B's own settings take precedence.

    Args:
        project: Project of the runs.
        entity: User or team. ``None`` uses W&B's settings.
        group: Group of the runs. ``None`` uses the name of the sweep, or of the run outside a sweep.
        tags: Tags of the runs.
        walks: Number of test questions whose walks are drawn. All runs on a dataset draw the same questions.

    Raises:
        MissingPackageError: If a needed package is not installed.
        JoinGRError: If ``walks`` is below 0.
    """

    def __init__(
        self,
        project: str = "joingr",
        entity: str | None = None,
        group: str | None = None,
        tags: Sequence[str] = (),
        walks: int = 4,
    ) -> None:
        for package in ("wandb", *(("matplotlib", "networkx") if walks else ())):
            if find_spec(package) is None:
                raise MissingPackageError("logger=wandb", package, "wandb")
        if walks < 0:
            raise JoinGRError(f"'logger.walks' needs to be at least 0 (got {walks}).")
        self.project = project
        self.entity = entity
        self.group = group
        self.tags = list(tags)
        self.walks = walks

    def loggers(self, save_dir: str) -> list[Logger]:
        loggers = super().loggers(save_dir)
        if is_rank_zero():
            run = self._start_run(self._fold_name(save_dir) or "train")
            loggers.append(WandbLogger(experiment=run, save_dir=save_dir, log_model=False))
        return loggers

    def log_test(
        self,
        fitted: Fitted,
        evaluation: Evaluation,
        dataset: JoinGraphs,
        queries: Queries,
        questions: Sequence[Question],
    ) -> None:
        import wandb

        run = wandb.run
        if run is None:
            return
        run.summary.update({f"test/{name}": value for name, value in evaluation.metrics.items()})
        images = [
            wandb.Image(
                _walk_image(fitted.model, dataset, queries[[position]], question),
                caption=f"Question {question.index}",
            )
            for position, question in enumerate(questions)
            if question.index in self._drawn_questions(dataset)
        ]
        if images:
            run.log({"walks": images})
        artifact = wandb.Artifact(f"{run.id}-model", type="model", metadata=dict(evaluation.metrics))
        artifact.add_file(str(fitted.checkpoint), name=fitted.checkpoint.name)
        run.log_artifact(artifact)
        if self._fold_name(fitted.checkpoint.parent):
            run.log({"questions": _question_table(evaluation.records)})
            run.finish()

    def log_comparison(self, rows: Sequence[Row], records: Sequence[dict[str, Any]]) -> None:
        import wandb

        run = wandb.run or self._start_run("summary")
        trained = rows[-1]
        run.summary.update({f"test/{name}": value for name, value in trained.metrics.items()})
        run.summary.update({f"test_spread/{name}": value for name, value in trained.spread.items()})
        run.log({"methods": _method_table(rows), "questions": _question_table(records)})
        # A point of a series each, by which charts compare runs; the summary holds the same.
        run.log({f"baseline/{row.method}/{name}": value for row in rows[:-1] for name, value in row.metrics.items()})

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        import wandb

        if wandb.run is not None:
            wandb.run.finish(exit_code=int(kind is not None))
        offline = self.experiment.folder / "wandb"
        if kind is None and is_rank_zero() and any(offline.glob("offline-run-*")):
            logger.info("The W&B run is stored offline; upload it with: wandb sync %s/offline-run-*", offline)

    def _fold_name(self, folder: str | Path) -> str:
        """The name of the fold that a folder belongs to; empty for a training outside a cross-validation."""
        return "" if Path(folder) == self.experiment.folder else Path(folder).name

    def _start_run(self, job_type: str) -> Any:
        import wandb

        # Command line, code and output are not logged: they may contain secrets that were removed from the config.
        settings = wandb.Settings(
            silent=True, console="off", disable_code=True, disable_git=True, x_disable_meta=True, init_timeout=30
        )
        wandb.setup(settings=wandb.Settings(silent=True))
        name = self.experiment.name if job_type == "train" else f"{job_type} {self.experiment.name}"
        mode = _mode()
        options: dict[str, Any] = {
            "project": self.project,
            "entity": self.entity,
            "group": self.group or self.experiment.group,
            "job_type": job_type,
            "name": name[:MAX_NAME_LENGTH],
            "tags": self.tags,
            "config": dict(self.experiment.config),
            "dir": str(self.experiment.folder),
            "settings": settings,
        }
        try:
            return wandb.init(mode=mode, **options)
        except (wandb.errors.CommError, TimeoutError) as error:
            logger.warning("W&B cannot be reached (%s): the run is stored offline.", " ".join(str(error).split()))
            return wandb.init(mode="offline", **options)

    def _drawn_questions(self, dataset: JoinGraphs) -> set[int]:
        """Indices of the questions whose walks are drawn, evenly spaced over the whole dataset."""
        count = len(dataset.questions)
        return {dataset.questions[number * count // self.walks].index for number in range(self.walks)}


def _mode() -> Any:
    """The mode of W&B's own settings, but offline instead of online when there is no API key. Never prompts."""
    import wandb

    mode = os.environ.get("WANDB_MODE") or wandb.setup().settings.mode
    if mode not in ("online", "shared") or wandb.login(prompt=False, verify=False):
        return mode
    return "offline"


def _walk_image(model: TrainableRetriever, dataset: JoinGraphs, query: Queries, question: Question) -> Any:
    from PIL import Image

    from joingr_pyg.plotting.walk import draw_walk

    file = io.BytesIO()
    draw_walk(model.index(dataset.corpus()), query, question.gold).savefig(file, format="png", dpi=110)
    return Image.open(file)


def _method_table(rows: Sequence[Row]) -> Any:
    import wandb

    names = list(dict.fromkeys(name for row in rows for name in row.metrics))
    spread = [name for name in names if any(name in row.spread for row in rows)]
    return wandb.Table(
        columns=["method", *names, *(f"± {name}" for name in spread), "questions/s"],
        data=[
            [
                row.method,
                *(row.metrics.get(name) for name in names),
                *(row.spread.get(name) for name in spread),
                row.questions_per_second,
            ]
            for row in rows
        ],
    )


def _question_table(records: Sequence[Mapping[str, Any]]) -> Any:
    import wandb

    width = max(len(record["ranked"]) for record in records)
    return wandb.Table(
        columns=["index", "question", "database", "gold", "rank of each gold table", "ranked"],
        data=[
            [
                record["index"],
                record["question"],
                record["database"],
                ", ".join(record["gold"]),
                ", ".join(_gold_ranks(record, width)),
                ", ".join(f"{hit['table']} {hit['score']:.3f}" for hit in record["ranked"]),
            ]
            for record in records
        ],
    )


def _gold_ranks(record: Mapping[str, Any], width: int) -> list[str]:
    rank = {hit["table"]: str(number) for number, hit in enumerate(record["ranked"], 1)}
    return [rank.get(table, f">{width}") for table in record["gold"]]
