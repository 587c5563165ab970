"""Resuming an interrupted training from a checkpoint."""

import csv
import logging
from pathlib import Path
from typing import Any

import lightning as L
from lightning.pytorch.loggers import CSVLogger

from joingr_pyg.datasets import JoinGraphs
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import TrainableRetriever
from joingr_pyg.models.checkpoint import load_checkpoint, require_encoder
from joingr_pyg.training.checkpoints import epochs_done

logger = logging.getLogger(__name__)


def require_same_model(checkpoint: Path, model: TrainableRetriever, dataset: JoinGraphs) -> None:
    """Check that a checkpoint holds the same model, trained with the same encoder.

    Raises:
        JoinGRError: If the file is not a checkpoint, or its encoder or model differs.
    """
    _, description = load_checkpoint(checkpoint)
    require_encoder(description, dataset.encoder.name, dataset.encoder.identity, checkpoint)
    if description.kind != model.kind:
        raise JoinGRError(
            f"Checkpoint '{checkpoint}' holds model={description.kind} and cannot be resumed with model={model.kind}."
        )
    for name, value in model.arguments.items():
        if description.model.get(name) != value:
            raise JoinGRError(
                f"Checkpoint '{checkpoint}' was trained with model.{name}={description.model.get(name)} and cannot be "
                f"resumed with model.{name}={value}."
            )


def restore_progress(trainer: L.Trainer, folder: Path, checkpoint: Path) -> None:
    """Log the epoch at which training resumes, and restore the rows of ``metrics.csv`` of earlier epochs.

    Raises:
        JoinGRError: If the checkpoint was saved after more epochs than the trainer's ``max_epochs``.
    """
    done, epochs = epochs_done(checkpoint), trainer.max_epochs
    if epochs in (None, -1):
        logger.info("Resuming at epoch %d (%s).", done + 1, checkpoint)
    elif done > epochs:
        raise JoinGRError(
            f"Checkpoint '{checkpoint}' was saved after epoch {done}, but trainer.max_epochs={epochs}: "
            f"raise trainer.max_epochs to {done} or more."
        )
    elif done == epochs:
        logger.info("All %d epochs are done (%s).", epochs, checkpoint)
    else:
        logger.info("Resuming at epoch %d of %d (%s).", done + 1, epochs, checkpoint)
    path = folder / "metrics.csv"
    if not trainer.is_global_zero or not path.is_file():
        return
    for csv_logger in trainer.loggers:
        if isinstance(csv_logger, CSVLogger):
            # The rows are read first: the logger deletes the file when its ``experiment`` is first used.
            rows = _rows(path, done)
            csv_logger.experiment.metrics += rows
            csv_logger.save()


def _rows(path: Path, epochs: int) -> list[dict[str, Any]]:
    """The rows of the first ``epochs`` epochs in a ``metrics.csv``; an incomplete last line is ignored."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values() and row.get("epoch", "").isdigit()]
    return [{name: value for name, value in row.items() if value} for row in rows if int(row["epoch"]) < epochs]
