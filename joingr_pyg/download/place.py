"""Putting what was fetched in its place: one run at a time, checked, and in one step."""

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
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other runs from fetching into ``folder``; it is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".fetch.lock"):
        yield


def copy(source: IO[bytes], sink: IO[bytes], name: str, size: int | None, done: int = 0) -> None:
    """Copy ``source`` to its end, with a progress bar on a terminal.

    Args:
        source: What is read.
        sink: What is written.
        name: Title of the bar.
        size: Bytes in all, where known.
        done: Bytes that an earlier run left.
    """
    with bar(name, size, "B", initial=done, unit_scale=True, leave=False) as shown:
        while chunk := source.read(BLOCK):
            sink.write(chunk)
            shown.update(len(chunk))


def install(part: Path, target: Path, sha256: str | None = None) -> None:
    """Check ``part`` and put it in the place of ``target``.

    Args:
        part: The whole content, in the folder of the target; it is deleted where it fails.
        target: Where it goes; a name that ends in ``.json`` demands JSON.
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
        raise UnusableError(f"what came is no JSON ({error})") from error
    os.replace(part, target)
