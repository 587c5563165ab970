"""Downloads one file, with resume."""

import glob
import hashlib
from functools import partial
from pathlib import Path

from joingr_pyg.download.place import copy, install, locked
from joingr_pyg.download.remote import ATTEMPTS, PAUSE, NoRangesError, client, open_ranges, with_retries


def fetch_file(
    url: str, target: Path, *, sha256: str | None = None, attempts: int = ATTEMPTS, pause: float = PAUSE
) -> Path:
    """Download one file, unless the target exists.

    An interrupted download leaves a ``.part`` file next to the target. The next download continues it if the server
    still reports the same length and the same ``ETag`` or ``Last-Modified``; otherwise it starts again. The target is
    created only after the length, the digest if given, and for ``.json`` files the syntax were checked. Two runs at
    once download it once.

    Args:
        url: The remote file.
        target: Path of the local file; missing folders are created.
        sha256: Expected hexadecimal digest.
        attempts: Maximum number of attempts.
        pause: Seconds before the second attempt; they double with each further attempt.

    Returns:
        The target.

    Raises:
        JoinGRError: If the file cannot be downloaded, fails a check, or cannot be written.
    """
    if not target.exists():
        with_retries(partial(_download, url, target, sha256), f"'{url}'", f"'{target}'", attempts, pause)
    return target


def _download(url: str, target: Path, sha256: str | None) -> None:
    with locked(target.parent):
        if target.exists():
            return
        info = client().info(url)
        size = info["size"]
        version = info.get("ETag") or info.get("Last-Modified")
        # The version is part of the name, so that the part of an old version is never continued.
        stamp = hashlib.sha256(f"{version} {size}".encode()).hexdigest()[:12]
        part = target.with_name(f"{target.name}.{stamp}.part")
        for other in target.parent.glob(f"{glob.escape(target.name)}.*.part"):
            if other != part or version is None:
                other.unlink()
        try:
            _continue(url, part, size)
        except NoRangesError as error:
            part.unlink()
            raise ConnectionError("the server cannot resume") from error
        if size is not None and (received := part.stat().st_size) != size:
            raise ConnectionError(f"{received} of {size} bytes were received")
        install(part, target, sha256)


def _continue(url: str, part: Path, size: int | None) -> None:
    """Append the missing bytes to ``part``: as one stream from the start, or by range requests from its end."""
    start = part.stat().st_size if part.exists() else 0
    remote = open_ranges(url, size, "none") if start and size else client().open(url, block_size=0, size=size)
    with remote as source, part.open("ab") as sink:
        source.seek(start)
        copy(source, sink, part.name, size, start)
