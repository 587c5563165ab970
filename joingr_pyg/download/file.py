"""Fetching one file, with resume."""

import glob
import hashlib
from functools import partial
from pathlib import Path

from joingr_pyg.download.place import alone_in, copy, install
from joingr_pyg.download.remote import ATTEMPTS, PAUSE, NoRangesError, client, persistently, ranges


def fetch_file(
    url: str, target: Path, *, sha256: str | None = None, attempts: int = ATTEMPTS, pause: float = PAUSE
) -> Path:
    """Fetch one file, unless it is there.

    A fetch that breaks off leaves a ``.part`` file beside the target. The next one goes on from its end while the
    server still names the same length and the same ``ETag`` or ``Last-Modified``; otherwise it starts again. The
    target appears only when it is whole: its length, its digest where given, and its syntax where it ends in
    ``.json`` are checked first. Two runs at once fetch it once.

    Args:
        url: The remote file.
        target: Where it goes; missing folders are made.
        sha256: Expected hexadecimal digest.
        attempts: How often to try in all.
        pause: Seconds before the second attempt; they double with each further one.

    Returns:
        The target.

    Raises:
        JoinGRError: If the file cannot be fetched, is not the one expected, or cannot be written.
    """
    if not target.exists():
        persistently(partial(_download, url, target, sha256), f"'{url}'", f"'{target}'", attempts, pause)
    return target


def _download(url: str, target: Path, sha256: str | None) -> None:
    with alone_in(target.parent):
        if target.exists():
            return
        info = client().info(url)
        size = info["size"]
        version = info.get("ETag") or info.get("Last-Modified")
        # The version is part of the name, so that a changed file never continues an old part.
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
        if size is not None and (came := part.stat().st_size) != size:
            raise ConnectionError(f"{came} of {size} bytes came")
        install(part, target, sha256)


def _continue(url: str, part: Path, size: int | None) -> None:
    """Append to ``part`` what it lacks: in one stream from the start, in ranges from anywhere else."""
    start = part.stat().st_size if part.exists() else 0
    remote = ranges(url, size, "none") if start and size else client().open(url, block_size=0, size=size)
    with remote as source, part.open("ab") as sink:
        source.seek(start)
        copy(source, sink, part.name, size, start)
