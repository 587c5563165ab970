"""One training in several processes: who speaks and writes, and which questions each of them takes."""

import logging
import os
from collections.abc import Iterator

import torch
from lightning.fabric.plugins.environments import SLURMEnvironment, TorchElasticEnvironment
from lightning.pytorch.utilities import rank_zero_only
from torch.utils.data import Sampler

from joingr_pyg.errors import JoinGRError


def is_first() -> bool:
    """Whether this is the process that speaks and writes files; known before there is a trainer."""
    node = os.environ.get("GROUP_RANK") or os.environ.get("NODE_RANK") or "0"
    return getattr(rank_zero_only, "rank", 0) == 0 and int(node) == 0


def leave_speaking_to_the_first() -> None:
    """Silence the warnings of every other process: the first gives the same."""
    if not is_first():
        logging.disable(logging.WARNING)


def require_startable(devices: object, nodes: int, sweep: bool, fold_workers: int) -> None:
    """Refuse several processes where the trainer could not start them, or would start them twice.

    Args:
        devices: What the trainer is given as ``devices``.
        nodes: Number of machines.
        sweep: Whether this is one of many jobs of one process.
        fold_workers: Folds trained at the same time.

    Raises:
        JoinGRError: If it could not.
    """
    if devices in (1, "1") and nodes == 1:
        return
    if fold_workers > 1:
        raise JoinGRError(
            "'fold_workers' trains folds in processes of their own and 'trainer.devices' one model in several: "
            "leave one of them at 1."
        )
    if sweep and not (TorchElasticEnvironment.detect() or SLURMEnvironment.detect()):
        raise JoinGRError(
            "A sweep cannot start several processes a job (trainer.devices): start the sweep itself by torchrun or "
            "srun, or take a launcher that does."
        )


class SharedBatches(Sampler[list[int]]):
    """Batches of questions that ``N`` processes share.

    A batch is what one process with a batch size ``N`` times as large would take, in the same order; each process
    takes every ``N``-th question of it. No question is repeated to fill a batch up, so the last one may be smaller in
    some processes, or empty.

    Args:
        num_questions: Number of questions.
        batch_size: Questions a process takes at once.
        rank: Number of this process.
        num_processes: Number of processes ``N``.
        seed: Seed of the order, which is another one each epoch; ``None`` keeps the questions as they are.
        views: Number of corpora that the questions are asked of. Each batch is of one, drawn with its order: question
            ``i`` of corpus ``v`` is named ``v * num_questions + i``.
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
        """The trainer tells the epoch, so a resumed run goes on in the order of an uninterrupted one."""
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
