"""Logging to Weights & Biases, online or into files that are uploaded later."""

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

LONGEST_NAME = 128
"""Characters of a run's name that W&B takes."""


class WeightsAndBiases(Tracker):
    """Makes a W&B run of a training: its config, the values of every epoch, results, pictures and the checkpoint.

    A cross-validation becomes a run a fold and one that sums them up. Without a key, and without asking for one, runs
    are kept in ``<run folder>/wandb``, which ``wandb sync`` sends. ``WANDB_MODE`` and W&B's own settings decide first.

    Args:
        project: Project of the runs.
        entity: User or team; ``None`` leaves it to W&B's settings.
        group: Group of the runs; ``None`` takes the sweep's name, or the run's own.
        tags: Tags of the runs.
        walks: Number of test questions whose walks are drawn, the same in each run on a dataset.

    Raises:
        MissingPackageError: If a package it needs is not installed.
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
            run = self._begin(self._part(save_dir) or "train")
            loggers.append(WandbLogger(experiment=run, save_dir=save_dir, log_model=False))
        return loggers

    def tested(
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
            wandb.Image(_drawn(fitted.model, dataset, queries[[place]], question), caption=f"Question {question.index}")
            for place, question in enumerate(questions)
            if question.index in self._fixed(dataset)
        ]
        if images:
            run.log({"walks": images})
        artifact = wandb.Artifact(f"{run.id}-model", type="model", metadata=dict(evaluation.metrics))
        artifact.add_file(str(fitted.checkpoint), name=fitted.checkpoint.name)
        run.log_artifact(artifact)
        if self._part(fitted.checkpoint.parent):
            run.log({"questions": _questions(evaluation.records)})
            run.finish()

    def compared(self, rows: Sequence[Row], records: Sequence[dict[str, Any]]) -> None:
        import wandb

        run = wandb.run or self._begin("summary")
        trained = rows[-1]
        run.summary.update({f"test/{name}": value for name, value in trained.metrics.items()})
        run.summary.update({f"test_spread/{name}": value for name, value in trained.spread.items()})
        run.log({"methods": _methods(rows), "questions": _questions(records)})

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        import wandb

        if wandb.run is not None:
            wandb.run.finish(exit_code=int(kind is not None))
        kept = self.experiment.folder / "wandb"
        if kind is None and is_rank_zero() and any(kept.glob("offline-run-*")):
            logger.info("Upload this run to W&B with: wandb sync %s/offline-run-*", kept)

    def _part(self, folder: str | Path) -> str:
        """The name of a fold; nothing where the whole experiment is one training."""
        return "" if Path(folder) == self.experiment.folder else Path(folder).name

    def _begin(self, job_type: str) -> Any:
        import wandb

        # The command line, the code and the output may hold what the config was cleared of.
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
            "name": name[:LONGEST_NAME],
            "tags": self.tags,
            "config": dict(self.experiment.config),
            "dir": str(self.experiment.folder),
            "settings": settings,
        }
        try:
            return wandb.init(mode=mode, **options)
        except (wandb.errors.CommError, TimeoutError) as error:
            logger.warning("W&B cannot be reached (%s): the run is kept offline.", " ".join(str(error).split()))
            return wandb.init(mode="offline", **options)

    def _fixed(self, dataset: JoinGraphs) -> set[int]:
        """Questions spread over the dataset, whatever part of it a fold tests."""
        count = len(dataset.questions)
        return {dataset.questions[number * count // self.walks].index for number in range(self.walks)}


def _mode() -> Any:
    """The mode of W&B's own settings; offline where that would be online but there is no key."""
    import wandb

    mode = os.environ.get("WANDB_MODE") or wandb.setup().settings.mode
    if mode not in ("online", "shared") or wandb.login(prompt=False, verify=False):
        return mode
    return "offline"


def _drawn(model: TrainableRetriever, dataset: JoinGraphs, query: Queries, question: Question) -> Any:
    from PIL import Image

    from joingr_pyg.plotting.walk import draw_walk

    file = io.BytesIO()
    draw_walk(model.index(dataset.corpus()), query, question.gold).savefig(file, format="png", dpi=110)
    return Image.open(file)


def _methods(rows: Sequence[Row]) -> Any:
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


def _questions(records: Sequence[Mapping[str, Any]]) -> Any:
    import wandb

    width = max(len(record["ranked"]) for record in records)
    return wandb.Table(
        columns=["index", "question", "database", "gold", "place of each gold", "ranked"],
        data=[
            [
                record["index"],
                record["question"],
                record["database"],
                ", ".join(record["gold"]),
                ", ".join(_places(record, width)),
                ", ".join(f"{hit['table']} {hit['score']:.3f}" for hit in record["ranked"]),
            ]
            for record in records
        ],
    )


def _places(record: Mapping[str, Any], width: int) -> list[str]:
    place = {hit["table"]: str(number) for number, hit in enumerate(record["ranked"], 1)}
    return [place.get(table, f">{width}") for table in record["gold"]]
