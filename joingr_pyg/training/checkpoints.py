"""Checkpoints on disk: written whole, and asked how far they came."""

from pathlib import Path
from typing import Any

import torch
from lightning.pytorch.plugins import TorchCheckpointIO

from joingr_pyg.atomic_files import atomic_write


class WholeCheckpoints(TorchCheckpointIO):
    """Writes a checkpoint beside its place and renames it.

    The trainer's own way leads over the folder for temporary files. Where that is another file system the last step is
    a copy, which leaves half a checkpoint in the place of the one before when the process is killed.
    """

    def save_checkpoint(self, checkpoint: dict[str, Any], path: str | Path, storage_options: Any = None) -> None:
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            torch.save(checkpoint, file)


def epochs_done(path: Path) -> int:
    """Epochs that were over when a checkpoint was written."""
    return int(torch.load(path, map_location="cpu", weights_only=True)["epoch"]) + 1
