"""The Lightning module that trains a retriever (section 3.2.5, Appendix B)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import lightning as L
import torch
from lightning.pytorch.utilities.types import OptimizerLRSchedulerConfig
from torch import Tensor
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torchmetrics import MeanMetric

from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.metrics import RetrievalMetrics
from joingr_pyg.models import TrainableRetriever
from joingr_pyg.training.losses import TableLoss
from joingr_pyg.training.questions import QuestionBatch

KS = (5, 15)
"""Cut-offs of the validation metrics."""

MONITORS = ("val/loss", *(f"val/{name}@{k}" for k in KS for name in ("P", "R", "PR")))
"""Validation metrics that can select the best checkpoint."""


@dataclass(frozen=True)
class Optimization:
    """Adam with a learning rate that halves on a plateau (Appendix B).

    Args:
        lr: Learning rate.
        weight_decay: Weight decay.
        factor: Factor of the learning rate on a plateau.
        patience: Epochs without improvement before the learning rate is multiplied by ``factor``.
        scalar_lr: Learning rate of scalar and vector parameters, which then have no weight decay. ``None`` treats all
            parameters alike.

    Raises:
        JoinGRError: If a value is out of range.
    """

    lr: float = 1e-3
    weight_decay: float = 1e-4
    factor: float = 0.5
    patience: int = 3
    scalar_lr: float | None = None

    def __post_init__(self) -> None:
        for name, value, valid, requirement in (
            ("lr", self.lr, self.lr > 0, "above 0"),
            ("weight_decay", self.weight_decay, self.weight_decay >= 0, "at least 0"),
            ("factor", self.factor, 0 < self.factor < 1, "between 0 and 1"),
            ("patience", self.patience, self.patience >= 0, "at least 0"),
            ("scalar_lr", self.scalar_lr, self.scalar_lr is None or self.scalar_lr > 0, "above 0"),
        ):
            if not valid:
                raise JoinGRError(f"'optimization.{name}' needs to be {requirement} (got {value}).")


class RetrievalModule(L.LightningModule):
    """Trains a model bound to its corpus, on batches of questions.

    Args:
        model: The model.
        loss: The objective, on tables or on edges.
        optimization: Optimiser and schedule.
        validate: Whether there are validation questions. If so the schedule follows the validation loss, otherwise
            the training loss.
        description: Plain values stored in the checkpoint: the model's arguments, its encoder, its dataset.
        other_views: The same model bound to further corpora, for the batches of further views.
    """

    def __init__(
        self,
        model: TrainableRetriever,
        loss: TableLoss,
        optimization: Optimization,
        validate: bool,
        description: dict[str, Any] | None = None,
        other_views: Sequence[TrainableRetriever] = (),
    ) -> None:
        super().__init__()
        self.model = model
        self._views = (model, *other_views)  # A tuple, so that torch registers the shared weights once.
        self.loss = loss
        self.optimization = optimization
        self.scheduled_metric = "val/loss" if validate else "train/loss"
        self.description = description or {}
        self.metrics = RetrievalMetrics(KS)
        # MeanMetric rather than Lightning's own mean over batches, which rounds the number of questions when there are
        # several processes. A NaN loss stays NaN; nan_strategy="disable" would keep it too, but ignores the weights.
        self.train_loss = MeanMetric(nan_strategy=math.nan)
        self.val_loss = MeanMetric(nan_strategy=math.nan)

    def training_step(self, batch: QuestionBatch, batch_idx: int) -> Tensor:
        loss, _ = self._loss(batch)
        self.train_loss.update(loss.detach(), len(batch.query))
        self.log("train/loss", self.train_loss, on_step=False, on_epoch=True)
        return loss * self._weight(len(batch.query))

    def validation_step(self, batch: QuestionBatch, batch_idx: int) -> None:
        loss, scores = self._loss(batch)
        self.val_loss.update(loss, len(batch.query))
        self.log("val/loss", self.val_loss, on_epoch=True)
        self.metrics.update(self.model.ranking(scores, batch.evidence, max(self.metrics.ks)).table, batch.gold)

    def on_validation_epoch_end(self) -> None:
        self.log_dict({f"val/{name}": value.float() for name, value in self.metrics.compute().items()})
        self.metrics.reset()

    def configure_optimizers(self) -> OptimizerLRSchedulerConfig:
        settings = self.optimization
        trainable = [parameter for parameter in self.parameters() if parameter.requires_grad]
        if settings.scalar_lr is None:
            groups: list[dict[str, Any]] = [{"params": trainable}]
        else:
            groups = [
                {"params": [parameter for parameter in trainable if parameter.dim() >= 2]},
                {
                    "params": [parameter for parameter in trainable if parameter.dim() < 2],
                    "lr": settings.scalar_lr,
                    "weight_decay": 0.0,
                },
            ]
        optimizer = torch.optim.Adam(groups, lr=settings.lr, weight_decay=settings.weight_decay)
        self.scheduler = ReduceLROnPlateau(optimizer, factor=settings.factor, patience=settings.patience)
        # Not strict: an epoch may end without its metric.
        scheduler: Any = {"scheduler": self.scheduler, "monitor": self.scheduled_metric, "strict": False}
        return {"optimizer": optimizer, "lr_scheduler": scheduler}

    def on_train_epoch_end(self) -> None:
        self.log("train/lr", self.scheduler.optimizer.param_groups[0]["lr"])
        for name, parameter in self.model.named_parameters():
            if name.endswith("decay_logit") and parameter.requires_grad:
                decays = parameter.detach().float().sigmoid().tolist()
                self.log_dict({f"decay/hop_{hop}": decay for hop, decay in enumerate(decays, 1)})
        # A trainer that stops within an epoch, or validates every second one, has no new metric to go by.
        metric = self.trainer.callback_metrics.get(self.scheduled_metric)
        if metric is not None:
            self.scheduler.step(metric.item())

    def lr_scheduler_step(self, scheduler: Any, metric: Any) -> None:
        """Do nothing: :meth:`on_train_epoch_end` steps the scheduler.

        The trainer would step it after the epoch's checkpoint is written, so a resumed run would miss the step.
        """

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["joingr"] = self.description

    def _weight(self, questions: int) -> float:
        """The weight ``processes * questions / total questions`` of this process's loss.

        Gradients are averaged over processes; with this weight the average is one over questions.
        """
        trainer = self.trainer
        if trainer.world_size == 1:
            return 1.0
        total = trainer.strategy.reduce(torch.tensor(float(questions), device=self.device), reduce_op="sum")
        return trainer.world_size * questions / float(total)

    def _loss(self, batch: QuestionBatch) -> tuple[Tensor, Tensor]:
        model = self._views[batch.view]
        output = model(batch.query, batch.evidence)
        scores = model.scores(output, batch.evidence)
        if self.loss.target == "edge":
            return self.loss(output.edge_deposits(), batch.gold_edges, batch.own_edges), scores
        return self.loss(scores, batch.gold_tables, batch.own_tables), scores
