"""Training one model: trainer, inner validation, checkpoints, resume, calibration."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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
from joingr_pyg.training.calibration import calibrate_on, cross_fit, needs_cross_fitting
from joingr_pyg.training.checkpoints import AtomicCheckpointIO, epochs_done
from joingr_pyg.training.compiling import warn_of_compiling
from joingr_pyg.training.data import QuestionData
from joingr_pyg.training.epochs import EpochBar, EpochSeed, Patience
from joingr_pyg.training.finite import FiniteCheck
from joingr_pyg.training.losses import TableLoss
from joingr_pyg.training.module import MONITORS, Optimization, RetrievalModule
from joingr_pyg.training.questions import QuestionSet
from joingr_pyg.training.quiet import quiet_lightning
from joingr_pyg.training.resume import require_same_model, restore_progress
from joingr_pyg.training.validation import Validation, split_validation
from joingr_pyg.training.warehouses import Warehouses

BEST = "best"
LAST = "last"


@dataclass(frozen=True)
class Fitting:
    """The settings of a training.

    Args:
        batch_size: Questions per step in each process.
        optimization: Optimiser and schedule.
        validation: The inner validation split.
        early_stopping: Training stops after this many epochs without a better ``monitor`` value. ``None`` disables it.
        monitor: Validation metric that selects the best checkpoint, such as ``"val/PR@5"``. Losses are minimised,
            other metrics maximised.
        seed: Seed of weights, order of questions and validation split.
        remember: Whether a model with a memory keeps the training questions.
        compile: Compile the walk with ``torch.compile``, which takes minutes: for long runs on a GPU.

    Raises:
        JoinGRError: If a value is out of range.
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
            raise JoinGRError(f"There is no validation metric {self.monitor!r}: choose one of {', '.join(MONITORS)}.")
        if self.early_stopping is not None and (self.early_stopping < 1 or not self.validation.fraction):
            raise JoinGRError(
                "'early_stopping' needs to be at least 1, and 'validation.fraction' above 0 "
                f"(got {self.early_stopping} and {self.validation.fraction})."
            )


@dataclass(frozen=True)
class Fitted:
    """A trained model.

    Attributes:
        model: The model with the weights of the selected checkpoint.
        checkpoint: The selected checkpoint.
        epochs: Epochs trained, including those before a resume.
        kept_epoch: The epoch of the selected checkpoint, counted from 1.
        seconds: Training time in seconds, including the time before a resume but not the time of calibration.
    """

    model: TrainableRetriever
    checkpoint: Path
    epochs: int
    kept_epoch: int
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

    The selected model is calibrated on the validation questions. Without validation questions it is calibrated on the
    training questions. If they are few, and the trainer uses a single device, calibration is cross-fitted
    (:func:`~joingr_pyg.training.calibration.cross_fit`). Otherwise it is fitted to the model's own rankings of its
    training questions, which are better than those of new questions.

    With several processes, each optimiser step is the one that a single process would take with all their batches as
    one.

    Args:
        make_model: Makes the model when given ``channels``.
        dataset: The dataset; all of its tables are candidates.
        loss: The objective.
        make_trainer: Makes the trainer when given ``callbacks``, ``logger`` and ``default_root_dir``.
        make_logger: Makes the logger or loggers when given ``save_dir``.
        folder: Folder for checkpoints.
        fitting: The settings.
        questions: The questions to train on. The default is all questions of the dataset.
        queries: The same questions, embedded.
        resume: Checkpoint to resume from.
        warehouses: Merged databases that replace the dataset's corpus in about half of the batches, drawn at random.

    Returns:
        The trained model in the process of rank zero, ``None`` in the others.

    Raises:
        JoinGRError: If the trainer cannot be made on this machine, there is no question or no epoch to train on,
            ``resume`` is not a checkpoint, its encoder or model differs, or it was saved after the last epoch, or a
            loss, gradient or weight is not finite.
    """
    questions = dataset.questions if questions is None else questions
    queries = dataset.encode_questions() if queries is None else queries
    if not questions:
        raise JoinGRError(f"Dataset {dataset.benchmark_name!r} ({dataset.split}) has no questions to train on.")
    if loss.target == "edge" and not any(question.gold_joins for question in questions):
        raise JoinGRError(
            f"loss=edge needs gold joins, and dataset {dataset.benchmark_name!r} annotates no gold joins: use "
            "loss=table, or dataset=beaver."
        )
    L.seed_everything(fitting.seed, workers=True, verbose=False)
    model = make_model(channels=queries.vector.size(1)).index(dataset.corpus())
    if fitting.compile:
        # Only the walk is compiled: its plan is computed outside of tensor code, once per batch.
        model.walk.propagate = torch.compile(model.walk.propagate, dynamic=True)  # type: ignore[method-assign]
    if resume is not None:
        require_same_model(resume, model, dataset)
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
    other_views = [view.model for view in views[1:]]
    module = RetrievalModule(model, loss, fitting.optimization, bool(held_out), asdict(description), other_views)
    with quiet_lightning():
        try:
            timer = Timer(_longest(make_trainer))
            trainer = make_trainer(
                callbacks=[timer, *_callbacks(folder, fitting, bool(held_out))],
                logger=make_logger(save_dir=str(folder)),
                default_root_dir=str(folder),
                enable_progress_bar=False,
                use_distributed_sampler=False,  # Lightning's sampler repeats questions to fill batches.
            )
        except (MisconfigurationException, ValueError, TypeError) as error:
            reason = " ".join(str(error).split())
            raise JoinGRError(f"The trainer cannot run on this machine: {reason} (see the keys trainer.*)") from error
        if fitting.compile:
            steps = -(-len(train) // (fitting.batch_size * trainer.world_size))
            warn_of_compiling(trainer.strategy.root_device, steps * (trainer.max_epochs or -1))
        trainer.strategy.checkpoint_io = AtomicCheckpointIO()
        if resume is not None:
            restore_progress(trainer, folder, resume)
        trainer.fit(module, data, ckpt_path=resume, weights_only=True)
    if not trainer.is_global_zero:
        return None
    selected = folder / f"{BEST if held_out else LAST}.ckpt"
    if not selected.is_file():
        raise JoinGRError(
            f"No epoch was trained, so there is no checkpoint '{selected}': raise trainer.max_epochs, or the time or "
            "steps that the trainer may take."
        )
    best, _ = load_checkpoint(selected)
    best.index(dataset.corpus())
    rows = held_out or train
    calibration_queries, calibration_questions = queries[rows], [questions[i] for i in rows]
    if not held_out and needs_cross_fitting(trainer, len(train)):
        train_fold_model = partial(
            _train_fold_model,
            make_model=make_model,
            dataset=dataset,
            loss=loss,
            make_trainer=make_trainer,
            folder=folder,
            fitting=fitting,
            epochs=trainer.current_epoch,
            warehouses=warehouses,
        )
        best.calibration = cross_fit(train_fold_model, calibration_queries, calibration_questions, fitting.seed)
    else:
        best.calibration = calibrate_on(best, calibration_queries, calibration_questions)
    keep_calibration(selected, best.calibration)
    return Fitted(best, selected, trainer.current_epoch, epochs_done(selected), timer.time_elapsed())


def _longest(make_trainer: Callable[..., L.Trainer]) -> Any:
    """The time that a training may take, which Lightning reads from its own timer alone if a trainer has one."""
    longest = getattr(make_trainer, "keywords", {}).get("max_time")
    return dict(longest) if isinstance(longest, Mapping) else longest


def _train_fold_model(
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
    """Train a model for :func:`cross_fit`: no files, no output, and the global random state is not changed."""
    with isolate_rng(), quiet_lightning():
        L.seed_everything(fitting.seed, workers=True, verbose=False)
        model = make_model(channels=queries.vector.size(1)).index(dataset.corpus())
        views = _views(model, dataset, questions, queries, fitting.remember, warehouses)
        data = QuestionData([view.questions for view in views], None, fitting.batch_size, fitting.seed)
        trainer = make_trainer(
            callbacks=[EpochSeed(fitting.seed), FiniteCheck()],
            logger=False,
            profiler=None,
            enable_checkpointing=False,
            enable_progress_bar=False,
            default_root_dir=str(folder),
            max_epochs=epochs,
        )
        other_views = [view.model for view in views[1:]]
        trainer.fit(RetrievalModule(model, loss, fitting.optimization, validate=False, other_views=other_views), data)
    return model


class _View(NamedTuple):
    """A model bound to a corpus, and the questions on that corpus."""

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
    """The training questions on the dataset's corpus, which the model is bound to, and on the warehouses if given."""
    bound = [(model, questions)]
    if warehouses is not None:
        corpus, renamed_questions = warehouses.merge(dataset, questions)
        bound.append((model.bound_to(corpus), renamed_questions))
    if remember:
        for bound_model, its_questions in bound:
            bound_model.remember(queries, [question.gold for question in its_questions])
    return [
        _View(bound_model, QuestionSet(bound_model, its_questions, queries)) for bound_model, its_questions in bound
    ]


def _callbacks(folder: Path, fitting: Fitting, validate: bool) -> list[Callback]:
    callbacks: list[Callback] = [EpochSeed(fitting.seed), EpochBar(), FiniteCheck()]
    # File names have no '=', which would need quotes in Hydra overrides. Checkpoints are written at the end of an
    # epoch, after the step of the learning-rate scheduler.
    checkpoint = partial(ModelCheckpoint, folder, save_on_train_epoch_end=True, enable_version_counter=False)
    if validate:
        mode = "min" if fitting.monitor.endswith("loss") else "max"
        if fitting.early_stopping is not None:
            callbacks.append(Patience(fitting.monitor, mode=mode, patience=fitting.early_stopping))
        callbacks.append(checkpoint(filename=BEST, monitor=fitting.monitor, mode=mode))
    # A separate callback, since `save_last` writes nothing in an epoch that is not the best.
    return [*callbacks, checkpoint(filename=LAST)]
