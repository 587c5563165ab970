"""One training in several processes: which rank logs and writes files, and the questions of each rank."""

import logging
import os
from collections.abc import Iterator

import torch
from lightning.fabric.plugins.environments import SLURMEnvironment, TorchElasticEnvironment
from lightning.pytorch.utilities import rank_zero_only
from torch.utils.data import Sampler

from joingr_pyg.errors import JoinGRError


def is_rank_zero() -> bool:
    """Whether this process has rank zero, which logs and writes files; works before there is a trainer."""
    node = os.environ.get("GROUP_RANK") or os.environ.get("NODE_RANK") or "0"
    return getattr(rank_zero_only, "rank", 0) == 0 and int(node) == 0


def silence_other_ranks() -> None:
    """Disable warnings in all ranks but rank zero, which logs the same warnings."""
    if not is_rank_zero():
        logging.disable(logging.WARNING)


def require_startable(devices: object, nodes: int, sweep: bool, fold_workers: int) -> None:
    """Refuse several processes where the trainer cannot start them, or would start them twice.

    Args:
        devices: The ``devices`` argument of the trainer.
        nodes: Number of machines.
        sweep: Whether this run is a job of a multirun.
        fold_workers: Folds trained at the same time.

    Raises:
        JoinGRError: If the trainer cannot start them.
    """
    if devices in (1, "1") and nodes == 1:
        return
    if fold_workers > 1:
        raise JoinGRError(
            "'fold_workers' trains several folds at once and 'trainer.devices' one model in several processes: "
            "set one of them to 1."
        )
    if sweep and not (TorchElasticEnvironment.detect() or SLURMEnvironment.detect()):
        raise JoinGRError(
            "A sweep cannot start several processes for a job (trainer.devices): start the sweep itself by torchrun or "
            "srun, or use a launcher that starts them."
        )


class SharedBatches(Sampler[list[int]]):
    """Batches of questions, divided among ``N`` processes.

    Together, the processes take the batches that one process with an ``N`` times larger batch size would take, in the
    same order. Every process takes every ``N``-th question of such a batch. No question is repeated to fill the last
    batch, which may therefore be smaller in some processes, or empty.

    Args:
        num_questions: Number of questions.
        batch_size: Questions a process takes at once.
        rank: Number of this process.
        num_processes: Number of processes ``N``.
        seed: Seed of the order, which changes from epoch to epoch; ``None`` keeps the order of the questions.
        views: Number of corpora that the questions are asked of. A batch has questions of one corpus, drawn at random.
            Question ``i`` of corpus ``v`` has the number ``v * num_questions + i``.
    """

    def __init__(
        self,
        num_questions: int,
        batch_size: int,
        rank: int = 0,
        num_processes: int = 1,
        seed: int | None = None,
        views: int = 1,
    ) -> None:
        self.num_questions = num_questions
        self.batch_size = batch_size
        self.rank = rank
        self.num_processes = num_processes
        self.seed = seed
        self.views = views
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, as the trainer does, so that a resumed run has the order of an uninterrupted one."""
        self.epoch = epoch

    def __len__(self) -> int:
        return -(-self.num_questions // (self.batch_size * self.num_processes))

    def __iter__(self) -> Iterator[list[int]]:
        order = torch.arange(self.num_questions)
        if self.seed is not None:
            order = torch.randperm(self.num_questions, generator=torch.Generator().manual_seed(self.seed + self.epoch))
        for batch in order.split(self.batch_size * self.num_processes):
            # The first of a batch in random order is a random number.
            view = int(batch[0]) % self.views
            yield (view * self.num_questions + batch[self.rank :: self.num_processes]).tolist()
