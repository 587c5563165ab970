"""Atomic writes: a file is complete or absent, even if the process is killed while writing."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Write to a temporary file in the same folder, and rename it to ``path`` once it is complete and on disk.

    Args:
        path: Path of the file; its folder must exist. An existing file is replaced only by a complete new one.
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
    """Remove temporary files that killed processes left in ``folder`` and below. No process may be writing there.

    Args:
        folder: The folder; it may be missing.
        name: Name of the file whose temporary files are removed. The default is all files.
    """
    for partial in folder.rglob(f"{name}*.partial"):
        partial.unlink(missing_ok=True)
