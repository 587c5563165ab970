"""Checkpoint files of a training: atomic writes, and the number of epochs done."""

from pathlib import Path
from typing import Any

import torch
from lightning.pytorch.plugins import TorchCheckpointIO

from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.tensor_files import read_tensor_file


class AtomicCheckpointIO(TorchCheckpointIO):
    """Writes checkpoints with :func:`~joingr_pyg.atomic_files.atomic_write`.

    Lightning writes to the folder for temporary files first. If that is on another file system, the last step is a
    copy, and a process killed during it leaves half a checkpoint in place of the previous one.
    """

    def save_checkpoint(self, checkpoint: dict[str, Any], path: str | Path, storage_options: Any = None) -> None:
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            torch.save(checkpoint, file)


def epochs_done(path: Path) -> int:
    """Number of finished epochs when a checkpoint was written."""
    return int(read_tensor_file(path)["epoch"]) + 1
