"""Questions in batches, as a trainer takes them."""

from collections.abc import Sequence
from typing import cast

import lightning as L
import torch
from torch.utils.data import DataLoader

from joingr_pyg.training.processes import SharedBatches
from joingr_pyg.training.questions import QuestionSet, QuestionViews


class QuestionData(L.LightningDataModule):
    """Training and validation questions in batches, each of which the processes of the training share.

    Args:
        train: The training questions on each of the corpora that they are asked of.
        validation: The validation questions.
        batch_size: Questions a process takes at once.
        seed: Seed of their order.
    """

    def __init__(
        self, train: Sequence[QuestionSet], validation: QuestionSet | None, batch_size: int, seed: int
    ) -> None:
        super().__init__()
        self.train = QuestionViews(train)
        self.validation = validation
        self.batch_size = batch_size
        self.seed = seed

    def train_dataloader(self) -> DataLoader:
        return self._loader(self.train, self.seed)

    def val_dataloader(self) -> DataLoader | list[DataLoader]:
        return [] if self.validation is None else self._loader(QuestionViews([self.validation]), None)

    def _loader(self, questions: QuestionViews, seed: int | None) -> DataLoader:
        trainer = cast(L.Trainer, self.trainer)
        shared = trainer.global_rank, trainer.world_size
        batches = SharedBatches(len(questions), self.batch_size, *shared, seed, len(questions.views))
        # A generator of its own, since the loader draws from one whenever it starts.
        generator = torch.Generator().manual_seed(self.seed)
        # The sampler names whole batches, and the questions come as one.
        return DataLoader(questions, batch_size=None, sampler=batches, collate_fn=_identity, generator=generator)


def _identity(batch: object) -> object:
    return batch
