"""The Lightning data module of training and validation questions."""

from collections.abc import Sequence
from typing import cast

import lightning as L
import torch
from torch.utils.data import DataLoader

from joingr_pyg.training.processes import SharedBatches
from joingr_pyg.training.questions import QuestionSet, QuestionViews


class QuestionData(L.LightningDataModule):
    """Training and validation questions in batches. The processes of one training share each batch.

    Args:
        train: The training questions on each of their corpora.
        validation: The validation questions, if any.
        batch_size: Questions per batch in each process.
        seed: Seed of the order of training questions.
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
        batches = SharedBatches(
            len(questions), self.batch_size, trainer.global_rank, trainer.world_size, seed, len(questions.views)
        )
        # DataLoader draws a number whenever it starts; with its own generator the global random state is not touched.
        generator = torch.Generator().manual_seed(self.seed)
        # The sampler yields whole batches of indices, so the loader must not batch again.
        return DataLoader(questions, batch_size=None, sampler=batches, collate_fn=_identity, generator=generator)


def _identity(batch: object) -> object:
    return batch
