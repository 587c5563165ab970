"""The callback that ends a training as soon as a number in it is not finite."""

import math
from collections.abc import Iterable
from typing import Any

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from torch import Tensor
from torch.nn.utils import get_total_norm

from joingr_pyg.errors import JoinGRError


class FiniteCheck(Callback):
    """Ends a training whose loss, gradient or weights are infinite or not a number.

    Such a training cannot recover: Adam's averages keep what is not finite, and all later steps are lost. The check
    comes before a checkpoint is written, so checkpoints hold finite weights only.

    Raises:
        JoinGRError: From the hooks, in all processes of the training alike.
    """

    def on_before_backward(self, trainer: L.Trainer, pl_module: L.LightningModule, loss: Tensor) -> None:
        # The processes have losses of their own. One that stopped alone would leave the others waiting for it.
        if not trainer.strategy.reduce_boolean_decision(bool(loss.isfinite()), all=True):
            raise _error("the loss", trainer, pl_module)

    def on_before_optimizer_step(
        self, trainer: L.Trainer, pl_module: L.LightningModule, optimizer: torch.optim.Optimizer
    ) -> None:
        # In half precision with a scaled loss, gradients overflow now and then: the scaler leaves out such a step.
        if getattr(trainer.precision_plugin, "scaler", None) is None:
            gradients = (weight.grad for weight in pl_module.parameters() if weight.grad is not None)
            _require_finite("a gradient", gradients, trainer, pl_module)

    def on_train_batch_end(self, trainer: L.Trainer, pl_module: L.LightningModule, *_: Any) -> None:
        _require_finite("a weight", pl_module.parameters(), trainer, pl_module)

    def on_train_epoch_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        # After the validation of the epoch, whose loss is that of all processes.
        loss = trainer.callback_metrics.get("val/loss")
        if loss is not None and not loss.isfinite():
            raise _error("the validation loss", trainer, pl_module)


def _require_finite(what: str, tensors: Iterable[Tensor], trainer: L.Trainer, module: L.LightningModule) -> None:
    # The largest absolute value: a sum of squares is infinite for values that are not.
    if not get_total_norm([tensor.detach() for tensor in tensors if tensor.numel()], math.inf).isfinite():
        raise _error(what, trainer, module)


def _error(what: str, trainer: L.Trainer, module: Any) -> JoinGRError:
    epochs = f" of {trainer.max_epochs}" if trainer.max_epochs not in (None, -1) else ""
    settings = module.optimization
    rates = f"optimization.lr (now {settings.lr:g})"
    if settings.scalar_lr is not None:
        rates += f" and optimization.scalar_lr (now {settings.scalar_lr:g})"
    return JoinGRError(
        f"The training ended in epoch {trainer.current_epoch + 1}{epochs}, because {what} is not finite: lower {rates}."
    )
