"""Writing downloads: one run at a time, checked, and moved to their target atomically."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from filelock import FileLock

from joingr_pyg.download.remote import BLOCK, UnusableError
from joingr_pyg.progress import bar


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a lock on ``folder``, so that other runs do not download into it. The folder is created if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".fetch.lock"):
        yield


def copy(source: IO[bytes], sink: IO[bytes], name: str, size: int | None, done: int = 0) -> None:
    """Copy the rest of ``source`` to ``sink``, with a progress bar on a terminal.

    Args:
        source: File to read.
        sink: File to write.
        name: Title of the bar.
        size: Total number of bytes, if known.
        done: Number of bytes that an earlier run has downloaded.
    """
    with bar(name, size, "B", initial=done, unit_scale=True, leave=False) as shown:
        while chunk := source.read(BLOCK):
            sink.write(chunk)
            shown.update(len(chunk))


def install(part: Path, target: Path, sha256: str | None = None) -> None:
    """Check ``part`` and rename it to ``target``.

    Args:
        part: The complete file, in the folder of the target. It is deleted if it fails a check.
        target: The new path. If its name ends in ``.json``, the content must be valid JSON.
        sha256: Expected hexadecimal digest.

    Raises:
        UnusableError: If the content fails a check.
    """
    content = part.read_bytes()
    try:
        if sha256 is not None and (digest := hashlib.sha256(content).hexdigest()) != sha256.lower():
            raise UnusableError(f"its sha256 is {digest}, not {sha256.lower()}")
        if target.suffix == ".json":
            json.loads(content)
    except UnusableError:
        part.unlink()
        raise
    except ValueError as error:
        part.unlink()
        raise UnusableError(f"the received file is not JSON ({error})") from error
    os.replace(part, target)
