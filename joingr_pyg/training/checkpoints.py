"""Checkpoints on disk: atomic writes, and the number of epochs they were saved after."""

from pathlib import Path
from typing import Any

import torch
from lightning.pytorch.plugins import TorchCheckpointIO

from joingr_pyg.atomic_files import atomic_write


class AtomicCheckpoints(TorchCheckpointIO):
    """Writes checkpoints by atomic writes.

    Lightning writes to the folder for temporary files first. If that is on another file system, its last step is a
    copy, which leaves half a checkpoint in place of the previous one when the process is killed.
    """

    def save_checkpoint(self, checkpoint: dict[str, Any], path: str | Path, storage_options: Any = None) -> None:
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            torch.save(checkpoint, file)


def epochs_done(path: Path) -> int:
    """The number of epochs that a checkpoint was saved after."""
    return int(torch.load(path, map_location="cpu", weights_only=True)["epoch"]) + 1
