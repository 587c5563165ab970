"""Fitting a model: trainer, inner validation, checkpoints, resume."""

import csv
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint, Timer
from lightning.pytorch.loggers import CSVLogger, Logger
from torch.utils.data import DataLoader, DistributedSampler

from joingr_pyg.datasets import JoinGraphs, Question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.losses import TableLoss
from joingr_pyg.models import JoinGR
from joingr_pyg.models.checkpoint import Description, load_checkpoint, require_encoder
from joingr_pyg.queries import Queries
from joingr_pyg.training.checkpoints import WholeCheckpoints, epochs_done
from joingr_pyg.training.epochs import EpochBar, EpochSeed, Patience
from joingr_pyg.training.module import MONITORS, Optimization, RetrievalModule
from joingr_pyg.training.questions import QuestionSet
from joingr_pyg.training.quiet import quiet_lightning
from joingr_pyg.training.validation import Validation, split_validation

logger = logging.getLogger(__name__)

BEST = "best"
LAST = "last"


@dataclass(frozen=True)
class Fitting:
    """How a model is fitted.

    Args:
        batch_size: Questions a step.
        optimization: Optimiser and schedule.
        validation: The inner validation split.
        early_stopping: Epochs without a better validation value after which training ends; ``None`` never ends early.
        monitor: Validation value that chooses the checkpoint, such as ``"val/PR@5"``; losses are minimised.
        seed: Seed of weights, order and split.

    Raises:
        JoinGRError: If a value is out of its range.
    """

    batch_size: int = 64
    optimization: Optimization = field(default_factory=Optimization)
    validation: Validation = field(default_factory=Validation)
    early_stopping: int | None = None
    monitor: str = "val/loss"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise JoinGRError(f"'batch_size' needs to be at least 1 (got {self.batch_size}).")
        if self.monitor not in MONITORS:
            raise JoinGRError(f"There is no validation value {self.monitor!r}: choose one of {', '.join(MONITORS)}.")
        if self.early_stopping is not None and (self.early_stopping < 1 or not self.validation.fraction):
            raise JoinGRError(
                "'early_stopping' needs to be at least 1, and 'validation.fraction' above 0 "
                f"(got {self.early_stopping} and {self.validation.fraction})."
            )


@dataclass(frozen=True)
class Fitted:
    """A fitted model: its weights are those of the chosen checkpoint.

    Attributes:
        model: The model.
        checkpoint: The chosen checkpoint.
        epochs: Epochs trained, those before a restart among them.
        seconds: Time of training, that before a restart included.
    """

    model: JoinGR
    checkpoint: Path
    epochs: int
    seconds: float


class QuestionData(L.LightningDataModule):
    """Training and validation questions in batches; the order of training is drawn from the seed and the epoch."""

    def __init__(self, train: QuestionSet, validation: QuestionSet | None, batch_size: int, seed: int) -> None:
        super().__init__()
        self.train = train
        self.validation = validation
        self.batch_size = batch_size
        self.seed = seed

    def train_dataloader(self) -> DataLoader:
        # The trainer tells this sampler the epoch, so a resumed run goes on in the order of an uninterrupted one.
        trainer = cast(L.Trainer, self.trainer)
        order: DistributedSampler = DistributedSampler(
            self.train, trainer.world_size, trainer.global_rank, seed=self.seed
        )
        # A generator of its own, since the loader draws from one whenever it starts.
        generator = torch.Generator().manual_seed(self.seed)
        return DataLoader(self.train, self.batch_size, sampler=order, collate_fn=_identity, generator=generator)

    def val_dataloader(self) -> DataLoader | list[DataLoader]:
        if self.validation is None:
            return []
        return DataLoader(self.validation, self.batch_size, collate_fn=_identity)


def fit(
    make_model: Callable[..., JoinGR],
    dataset: JoinGraphs,
    loss: TableLoss,
    make_trainer: Callable[..., L.Trainer],
    make_logger: Callable[..., Logger],
    folder: Path,
    fitting: Fitting,
    questions: Sequence[Question] | None = None,
    queries: Queries | None = None,
    resume: Path | None = None,
) -> Fitted:
    """Train a model on a dataset's questions.

    Args:
        make_model: Makes the model when given ``channels``.
        dataset: The dataset; all of its tables are candidates.
        loss: The objective.
        make_trainer: Makes the trainer when given ``callbacks``, ``logger`` and ``default_root_dir``.
        make_logger: Makes the logger when given ``save_dir``.
        folder: Where checkpoints go.
        fitting: How to fit.
        questions: The questions to learn from; all of the dataset's where not given.
        queries: The same as the model sees them.
        resume: Checkpoint to go on from.

    Raises:
        JoinGRError: If there is nothing to learn from, no epoch to train, or the checkpoint to go on from is none, one
            of another encoder or model, or further than the last epoch.
    """
    questions = dataset.questions if questions is None else questions
    queries = dataset.encode_questions() if queries is None else queries
    if not questions:
        raise JoinGRError(f"Dataset {dataset.benchmark_name!r} ({dataset.split}) has no question to learn from.")
    if loss.target == "edge" and not any(question.gold_joins for question in questions):
        raise JoinGRError(
            f"Dataset {dataset.benchmark_name!r} annotates no gold joins, which loss=edge learns from: use loss=table, "
            "or dataset=beaver."
        )
    L.seed_everything(fitting.seed, workers=True, verbose=False)
    model = make_model(channels=queries.vector.size(1)).index(dataset.corpus())
    if resume is not None:
        _require_same(resume, model, dataset)
    train, held_out = split_validation(questions, fitting.validation, fitting.seed)
    data = QuestionData(
        QuestionSet(model, [questions[i] for i in train], queries[train]),
        QuestionSet(model, [questions[i] for i in held_out], queries[held_out]) if held_out else None,
        fitting.batch_size,
        fitting.seed,
    )
    description = Description(
        model.arguments, dataset.encoder.name, dataset.encoder.identity, dataset.benchmark_name, fitting.seed
    )
    module = RetrievalModule(model, loss, fitting.optimization, bool(held_out), described=asdict(description))
    timer = Timer()
    with quiet_lightning():
        trainer = make_trainer(
            callbacks=[timer, *_callbacks(folder, fitting, bool(held_out))],
            logger=make_logger(save_dir=str(folder)),
            default_root_dir=str(folder),
            enable_progress_bar=False,
        )
        trainer.strategy.checkpoint_io = WholeCheckpoints()
        if resume is not None:
            _go_on(trainer, folder, resume)
        trainer.fit(module, data, ckpt_path=resume, weights_only=True)
    chosen = folder / f"{BEST if held_out else LAST}.ckpt"
    if not chosen.is_file():
        raise JoinGRError(f"No epoch was trained, so there is no checkpoint '{chosen}': raise trainer.max_epochs.")
    best, _ = load_checkpoint(chosen)
    return Fitted(best, chosen, trainer.current_epoch, timer.time_elapsed())


def _require_same(resume: Path, model: JoinGR, dataset: JoinGraphs) -> None:
    _, description = load_checkpoint(resume)
    require_encoder(description, dataset.encoder.name, dataset.encoder.identity, resume)
    for name, value in model.arguments.items():
        if description.model.get(name) != value:
            raise JoinGRError(
                f"Checkpoint '{resume}' was trained with model.{name}={description.model.get(name)}, and cannot go on "
                f"with {value}."
            )


def _go_on(trainer: L.Trainer, folder: Path, resume: Path) -> None:
    """Say where training goes on, and keep what was logged up to there."""
    done, epochs = epochs_done(resume), trainer.max_epochs
    if epochs in (None, -1):
        logger.info("Going on from epoch %d (%s).", done + 1, resume)
    elif done > epochs:
        raise JoinGRError(
            f"Checkpoint '{resume}' has {done} epochs behind it, more than the {epochs} to train: "
            f"raise trainer.max_epochs to {done} or more."
        )
    elif done == epochs:
        logger.info("All %d epochs are done (%s).", epochs, resume)
    else:
        logger.info("Going on from epoch %d of %d (%s).", done + 1, epochs, resume)
    for log in trainer.loggers:
        path = folder / "metrics.csv"
        if trainer.is_global_zero and isinstance(log, CSVLogger) and path.is_file():
            # Read before the logger deletes it, which it does when it is first used.
            rows = _rows(path, done)
            log.experiment.metrics += rows
            log.save()


def _rows(path: Path, epochs: int) -> list[dict[str, Any]]:
    """What a log says of the first epochs; a line that was cut off is one of a later epoch."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values() and row.get("epoch", "").isdigit()]
    return [{name: value for name, value in row.items() if value} for row in rows if int(row["epoch"]) < epochs]


def _callbacks(folder: Path, fitting: Fitting, validate: bool) -> list[Callback]:
    callbacks: list[Callback] = [EpochSeed(fitting.seed), EpochBar()]
    # Names without '=': Hydra would need them quoted. Written when the epoch is over, its scheduler step included.
    checkpoint = partial(ModelCheckpoint, folder, save_on_train_epoch_end=True, enable_version_counter=False)
    if validate:
        mode = "min" if fitting.monitor.endswith("loss") else "max"
        if fitting.early_stopping is not None:
            callbacks.append(Patience(fitting.monitor, mode=mode, patience=fitting.early_stopping))
        callbacks.append(checkpoint(filename=BEST, monitor=fitting.monitor, mode=mode))
    # A callback of its own, and the last: `save_last` writes nothing in an epoch that is not the best.
    return [*callbacks, checkpoint(filename=LAST)]


def _identity(batch: object) -> object:
    return batch
