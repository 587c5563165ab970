"""Fitting a model: trainer, inner validation, checkpoints, resume."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import lightning as L
import torch
from lightning.fabric.utilities.exceptions import MisconfigurationException
from lightning.pytorch.callbacks import Callback, ModelCheckpoint, Timer
from lightning.pytorch.loggers import Logger
from lightning.pytorch.utilities.seed import isolate_rng

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import JoinGraphs, Question
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import TrainableRetriever
from joingr_pyg.models.checkpoint import Description, keep_calibration, load_checkpoint
from joingr_pyg.training.calibration import calibrate_on, calls_for_cross_fitting, cross_fit
from joingr_pyg.training.checkpoints import AtomicCheckpoints
from joingr_pyg.training.data import QuestionData
from joingr_pyg.training.epochs import EpochBar, EpochSeed, Patience
from joingr_pyg.training.losses import TableLoss
from joingr_pyg.training.module import MONITORS, Optimization, RetrievalModule
from joingr_pyg.training.questions import QuestionSet
from joingr_pyg.training.quiet import quiet_lightning
from joingr_pyg.training.resume import require_same, restore_progress
from joingr_pyg.training.validation import Validation, split_validation
from joingr_pyg.training.warehouses import Warehouses

BEST = "best"
LAST = "last"


@dataclass(frozen=True)
class Fitting:
    """How a model is fitted.

    Args:
        batch_size: Questions of a training step in every process.
        optimization: Optimiser and schedule.
        validation: The inner validation split.
        early_stopping: Epochs without a better validation value after which training ends; ``None`` never ends early.
        monitor: Validation value that chooses the checkpoint, such as ``"val/PR@5"``; losses are minimised.
        seed: Seed of weights, order and split.
        remember: Whether the model keeps the training questions in its memory, if it has one.
        compile: Compile the walk with ``torch.compile``, which takes a while at the first step.

    Raises:
        JoinGRError: If a value is out of its range.
    """

    batch_size: int = 64
    optimization: Optimization = field(default_factory=Optimization)
    validation: Validation = field(default_factory=Validation)
    early_stopping: int | None = None
    monitor: str = "val/loss"
    seed: int = 0
    compile: bool = False
    remember: bool = True

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
        seconds: Time of training, that before a restart included and that of the calibration not.
    """

    model: TrainableRetriever
    checkpoint: Path
    epochs: int
    seconds: float


def fit(
    make_model: Callable[..., TrainableRetriever],
    dataset: JoinGraphs,
    loss: TableLoss,
    make_trainer: Callable[..., L.Trainer],
    make_logger: Callable[..., Logger | list[Logger]],
    folder: Path,
    fitting: Fitting,
    questions: Sequence[Question] | None = None,
    queries: Queries | None = None,
    resume: Path | None = None,
    warehouses: Warehouses | None = None,
) -> Fitted | None:
    """Train a model on a dataset's questions.

    The chosen model is calibrated on the validation questions. Without validation questions, it is calibrated on the
    training questions. If they are few and the trainer uses a single device, other models rank them, which were trained
    in the same way on the other training questions (:func:`~joingr_pyg.training.calibration.cross_fit`). Otherwise the
    model itself ranks them, although it has learned from them.

    Several processes of one trainer take the same steps as one process whose batch size is the sum of theirs.

    Args:
        make_model: Makes the model when given ``channels``.
        dataset: The dataset; all of its tables are candidates.
        loss: The objective.
        make_trainer: Makes the trainer when given ``callbacks``, ``logger`` and ``default_root_dir``.
        make_logger: Makes the logger or loggers when given ``save_dir``.
        folder: Where checkpoints go.
        fitting: How to fit.
        questions: The questions to learn from; all of the dataset's where not given.
        queries: The same as the model sees them.
        resume: Checkpoint to resume from.
        warehouses: Databases that half of the batches, drawn at random, are asked of instead.

    Returns:
        The fitted model in rank zero of a training, ``None`` in other ranks.

    Raises:
        JoinGRError: If the trainer cannot be made on this machine, there is no question to learn from, no epoch to
            train, or ``resume`` is not a checkpoint, its encoder or model differs, or it was saved after more epochs
            than the trainer is to run.
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
    if fitting.compile:
        # Only the walk: the plan of a batch is made by NumPy.
        model.walk.propagate = torch.compile(model.walk.propagate, dynamic=True)  # type: ignore[method-assign]
    if resume is not None:
        require_same(resume, model, dataset)
    train, held_out = split_validation(questions, fitting.validation, fitting.seed)
    views = _views(model, dataset, [questions[i] for i in train], queries[train], fitting.remember, warehouses)
    data = QuestionData(
        [view.questions for view in views],
        QuestionSet(model, [questions[i] for i in held_out], queries[held_out]) if held_out else None,
        fitting.batch_size,
        fitting.seed,
    )
    description = Description(
        model.arguments,
        dataset.encoder.name,
        dataset.encoder.identity,
        dataset.benchmark_name,
        fitting.seed,
        model.kind,
    )
    others = [view.model for view in views[1:]]
    module = RetrievalModule(model, loss, fitting.optimization, bool(held_out), asdict(description), others)
    timer = Timer()
    with quiet_lightning():
        try:
            trainer = make_trainer(
                callbacks=[timer, *_callbacks(folder, fitting, bool(held_out))],
                logger=make_logger(save_dir=str(folder)),
                default_root_dir=str(folder),
                enable_progress_bar=False,
                use_distributed_sampler=False,  # It would repeat questions to fill batches up.
            )
        except MisconfigurationException as error:
            raise JoinGRError(f"The trainer cannot be made on this machine: {error}") from error
        trainer.strategy.checkpoint_io = AtomicCheckpoints()
        if resume is not None:
            restore_progress(trainer, folder, resume)
        trainer.fit(module, data, ckpt_path=resume, weights_only=True)
    if not trainer.is_global_zero:
        return None
    chosen = folder / f"{BEST if held_out else LAST}.ckpt"
    if not chosen.is_file():
        raise JoinGRError(f"No epoch was trained, so there is no checkpoint '{chosen}': raise trainer.max_epochs.")
    best, _ = load_checkpoint(chosen)
    best.index(dataset.corpus())
    rows = held_out or train
    answered = queries[rows], [questions[i] for i in rows]
    if not held_out and calls_for_cross_fitting(trainer, len(train)):
        again = partial(
            _train_again,
            make_model=make_model,
            dataset=dataset,
            loss=loss,
            make_trainer=make_trainer,
            folder=folder,
            fitting=fitting,
            epochs=trainer.current_epoch,
            warehouses=warehouses,
        )
        best.calibration = cross_fit(again, *answered, fitting.seed)
    else:
        best.calibration = calibrate_on(best, *answered)
    keep_calibration(chosen, best.calibration)
    return Fitted(best, chosen, trainer.current_epoch, timer.time_elapsed())


def _train_again(
    queries: Queries,
    questions: Sequence[Question],
    make_model: Callable[..., TrainableRetriever],
    dataset: JoinGraphs,
    loss: TableLoss,
    make_trainer: Callable[..., L.Trainer],
    folder: Path,
    fitting: Fitting,
    epochs: int,
    warehouses: Warehouses | None,
) -> TrainableRetriever:
    """Train a model on other questions in the same way, without files, messages or a change of random state."""
    with isolate_rng(), quiet_lightning():
        L.seed_everything(fitting.seed, workers=True, verbose=False)
        model = make_model(channels=queries.vector.size(1)).index(dataset.corpus())
        views = _views(model, dataset, questions, queries, fitting.remember, warehouses)
        data = QuestionData([view.questions for view in views], None, fitting.batch_size, fitting.seed)
        trainer = make_trainer(
            callbacks=[EpochSeed(fitting.seed)],
            logger=False,
            profiler=None,
            enable_checkpointing=False,
            enable_progress_bar=False,
            default_root_dir=str(folder),
            max_epochs=epochs,
        )
        others = [view.model for view in views[1:]]
        trainer.fit(RetrievalModule(model, loss, fitting.optimization, validate=False, others=others), data)
    return model


class _View(NamedTuple):
    """A model bound to a corpus, and the questions asked of it."""

    model: TrainableRetriever
    questions: QuestionSet


def _views(
    model: TrainableRetriever,
    dataset: JoinGraphs,
    questions: Sequence[Question],
    queries: Queries,
    remember: bool,
    warehouses: Warehouses | None,
) -> list[_View]:
    """The training questions on the dataset's corpus, which the model is bound to, and on warehouses if given."""
    bound_models = [(model, questions)]
    if warehouses is not None:
        corpus, renamed = warehouses.ask(dataset, questions)
        bound_models.append((model.bound_to(corpus), renamed))
    if remember:
        for bound, some in bound_models:
            bound.remember(queries, [question.gold for question in some])
    return [_View(bound, QuestionSet(bound, some, queries)) for bound, some in bound_models]


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
