"""Callbacks of the epoch loop: random seeds, the progress bar, early stopping."""

import lightning as L
import numpy as np
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping

from joingr_pyg.progress import bar, progress


class EpochSeed(Callback):
    """Seeds each epoch by its number, so that a resumed run draws the same random numbers as an uninterrupted one.

    Each process of a training has its own random numbers for dropout.

    Args:
        seed: The run's seed.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def on_train_epoch_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        # A SeedSequence rather than a sum: epoch 1 of seed 0 must differ from epoch 0 of seed 1.
        rank = [trainer.global_rank] if trainer.global_rank else []
        state = np.random.SeedSequence([self.seed, trainer.current_epoch, *rank]).generate_state(1)
        torch.manual_seed(int(state[0]))


class Patience(EarlyStopping):
    """Early stopping that also stops at once when a run that it had stopped is resumed."""

    def on_train_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        trainer.should_stop = trainer.should_stop or self.wait_count >= self.patience


class EpochBar(Callback):
    """A progress bar of epochs with rate and remaining time, shown only on a terminal."""

    def on_train_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        epochs = None if trainer.max_epochs in (None, -1) else trainer.max_epochs
        with progress(trainer.is_global_zero):
            self._bar = bar("Training", epochs, "epoch", initial=trainer.current_epoch)

    def on_train_epoch_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        losses = {name: f"{value:.4f}" for name, value in trainer.callback_metrics.items() if name.endswith("loss")}
        self._bar.set_postfix(losses, refresh=False)
        self._bar.update()

    def on_train_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        self._bar.close()
