"""Files that are there whole or not at all, whenever the process that writes them ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Write a file under a partial name, on the same file system, and rename it once it is complete and on the disk.

    Args:
        path: Where the file goes; its folder exists. What is there stays until the new file is complete.
    """
    partial = path.with_name(f"{path.name}.{uuid4().hex}.partial")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def remove_partial(folder: Path, name: str = "") -> None:
    """Remove what a killed process was writing in ``folder`` and below; nobody else may be writing there.

    Args:
        folder: The folder, which may be missing.
        name: Name of the file it was to become; any where not given.
    """
    for left_over in folder.rglob(f"{name}*.partial"):
        left_over.unlink(missing_ok=True)
