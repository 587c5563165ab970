"""One training in several processes: which process logs and writes files, and how processes share batches."""

import logging
import os
from collections.abc import Iterator

import torch
from lightning.fabric.plugins.environments import SLURMEnvironment, TorchElasticEnvironment
from lightning.pytorch.utilities import rank_zero_only
from torch.utils.data import Sampler

from joingr_pyg.errors import JoinGRError


def is_rank_zero() -> bool:
    """Whether this is the process that logs and writes files. It works before a trainer exists."""
    node = os.environ.get("GROUP_RANK") or os.environ.get("NODE_RANK") or "0"
    return getattr(rank_zero_only, "rank", 0) == 0 and int(node) == 0


def silence_other_ranks() -> None:
    """Silence warnings and log messages unless this is rank zero, which logs the same ones."""
    if not is_rank_zero():
        logging.disable(logging.WARNING)


def require_startable(devices: object, nodes: int, sweep: bool, fold_workers: int) -> None:
    """Check that the trainer can start its processes in this run.

    Args:
        devices: The trainer's ``devices``.
        nodes: Number of machines.
        sweep: Whether this run is one of several jobs in the same process.
        fold_workers: Folds trained at the same time.

    Raises:
        JoinGRError: If several processes are asked for in a sweep, or together with several fold workers.
    """
    if devices in (1, "1") and nodes == 1:
        return
    if fold_workers > 1:
        raise JoinGRError(
            "'fold_workers' trains each fold in its own process, and 'trainer.devices' trains one model in several "
            "processes: leave one of them at 1."
        )
    if sweep and not (TorchElasticEnvironment.detect() or SLURMEnvironment.detect()):
        raise JoinGRError(
            "A sweep cannot start several processes per job (trainer.devices): start the sweep itself with torchrun or "
            "srun, or use a launcher that does."
        )


class SharedBatches(Sampler[list[int]]):
    """Batches of question indices that ``N`` processes share.

    Together the processes take the same batches, in the same order, as one process with a batch size ``N`` times as
    large. Each process takes every ``N``-th question of a batch. No question is repeated to fill a batch, so the last
    batch may be smaller in some processes, or empty.

    Args:
        num_questions: Number of questions.
        batch_size: Questions per batch in each process.
        rank: Rank of this process.
        num_processes: Number of processes ``N``.
        seed: Seed of the order, which changes every epoch. ``None`` keeps the questions in their order.
        views: Number of corpora (see :class:`~joingr_pyg.training.questions.QuestionViews`). Each batch is on one
            randomly drawn corpus. Question ``i`` on corpus ``v`` has index ``v * num_questions + i``.
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
        """Set the epoch, which the order depends on. The trainer calls this, also when it resumes a run."""
        self.epoch = epoch

    def __len__(self) -> int:
        return -(-self.num_questions // (self.batch_size * self.num_processes))

    def __iter__(self) -> Iterator[list[int]]:
        order = torch.arange(self.num_questions)
        if self.seed is not None:
            order = torch.randperm(self.num_questions, generator=torch.Generator().manual_seed(self.seed + self.epoch))
        for batch in order.split(self.batch_size * self.num_processes):
            # The order is random, so the first index of a batch serves as the random draw of its corpus.
            view = int(batch[0]) % self.views
            yield (view * self.num_questions + batch[self.rank :: self.num_processes]).tolist()
