"""Going on where a run ended."""

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


def require_same(checkpoint: Path, model: TrainableRetriever, dataset: JoinGraphs) -> None:
    """Refuse to go on with another model or encoder.

    Raises:
        JoinGRError: If they differ, or the file is no checkpoint.
    """
    _, description = load_checkpoint(checkpoint)
    require_encoder(description, dataset.encoder.name, dataset.encoder.identity, checkpoint)
    if description.kind != model.kind:
        raise JoinGRError(
            f"Checkpoint '{checkpoint}' is of model={description.kind}, and cannot go on with {model.kind}."
        )
    for name, value in model.arguments.items():
        if description.model.get(name) != value:
            raise JoinGRError(
                f"Checkpoint '{checkpoint}' was trained with model.{name}={description.model.get(name)}, and cannot go "
                f"on with {value}."
            )


def go_on(trainer: L.Trainer, folder: Path, checkpoint: Path) -> None:
    """Say where training goes on, and keep what ``metrics.csv`` says of the epochs before.

    Raises:
        JoinGRError: If the checkpoint is further than the last epoch.
    """
    done, epochs = epochs_done(checkpoint), trainer.max_epochs
    if epochs in (None, -1):
        logger.info("Going on from epoch %d (%s).", done + 1, checkpoint)
    elif done > epochs:
        raise JoinGRError(
            f"Checkpoint '{checkpoint}' has {done} epochs behind it, more than the {epochs} to train: "
            f"raise trainer.max_epochs to {done} or more."
        )
    elif done == epochs:
        logger.info("All %d epochs are done (%s).", epochs, checkpoint)
    else:
        logger.info("Going on from epoch %d of %d (%s).", done + 1, epochs, checkpoint)
    path = folder / "metrics.csv"
    if not trainer.is_global_zero or not path.is_file():
        return
    for log in trainer.loggers:
        if isinstance(log, CSVLogger):
            # Read before the logger deletes it, which it does when it is first used.
            rows = _rows(path, done)
            log.experiment.metrics += rows
            log.save()


def _rows(path: Path, epochs: int) -> list[dict[str, Any]]:
    """What a log says of the first epochs; a line that was cut off is one of a later epoch."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values() and row.get("epoch", "").isdigit()]
    return [{name: value for name, value in row.items() if value} for row in rows if int(row["epoch"]) < epochs]
