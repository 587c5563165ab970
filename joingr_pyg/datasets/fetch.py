"""Fetching benchmark files: one file with resume, or single members out of a large remote zip."""

import glob
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import ZipFile

from filelock import FileLock
from tqdm import tqdm

from joingr_pyg.datasets.remote import BLOCK, NoRanges, Unusable, client, persistently, ranges

ATTEMPTS = 4
"""Tries of a fetch, the first one included."""

PAUSE = 0.5
"""Seconds before the second try; they double with each further one."""


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


def fetch_zip_members(
    url: str, members: Mapping[str, Path], *, attempts: int = ATTEMPTS, pause: float = PAUSE
) -> tuple[Path, ...]:
    """Fetch single members of a remote zip over HTTP ranges, those that are not there.

    The archive is never downloaded: its directory and the members themselves are all that is read. Members inside a
    compressed archive within the archive cannot be reached this way.

    Args:
        url: The remote archive.
        members: Where each member goes, by a pattern that matches the end of its path in the archive
            (``"dev.json"``, ``"train/*.json"``); each must match one member.
        attempts: How often to try in all.
        pause: Seconds before the second attempt; they double with each further one.

    Returns:
        The targets in the order given.

    Raises:
        JoinGRError: If the server is out of reach or serves no ranges, a pattern matches no member or several, a
            member fails its checksum or is no JSON where its target ends in ``.json``, or the target cannot be
            written.
    """
    missing = {pattern: target for pattern, target in members.items() if not target.exists()}
    if missing:
        folder = Path(os.path.commonpath([target.parent for target in missing.values()]))
        names = ", ".join(f"'{pattern}'" for pattern in missing)
        work = partial(_extract, url, missing, folder)
        persistently(work, f"{names} of '{url}'", f"'{folder}'", attempts, pause)
    return tuple(members.values())


def _download(url: str, target: Path, sha256: str | None) -> None:
    with _alone_in(target.parent):
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
        except NoRanges as error:
            part.unlink()
            raise ConnectionError("the server cannot resume") from error
        if size is not None and part.stat().st_size != size:
            raise ConnectionError(f"{part.stat().st_size} of {size} bytes came")
        _install(part, target, sha256)


def _continue(url: str, part: Path, size: int | None) -> None:
    """Append to ``part`` what it lacks: in one stream from the start, in ranges from anywhere else."""
    start = part.stat().st_size if part.exists() else 0
    remote = ranges(url, size, "none") if start and size else client().open(url, block_size=0, size=size)
    with remote as source, part.open("ab") as sink, _bar(part.name, size, start) as bar:
        source.seek(start)
        _copy(source, sink, bar)


def _extract(url: str, members: Mapping[str, Path], folder: Path) -> None:
    with _alone_in(folder):
        missing = {pattern: target for pattern, target in members.items() if not target.exists()}
        if not missing:
            return
        info = client().info(url)
        if not info["size"] or not info.get("partial", True):
            raise NoRanges
        with ranges(url, info["size"], "blockcache") as file, ZipFile(file) as archive:
            for pattern, target in missing.items():
                member = archive.getinfo(_match(archive, pattern))
                target.parent.mkdir(parents=True, exist_ok=True)
                part = target.with_name(f"{target.name}.part")
                with archive.open(member) as source, part.open("wb") as sink:
                    with _bar(target.name, member.file_size, 0) as bar:
                        _copy(source, sink, bar)
                _install(part, target, None)


def _match(archive: ZipFile, pattern: str) -> str:
    # Archives packed on a Mac carry a shadow of every file.
    names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
    matching = [name for name in names if PurePosixPath(name).match(pattern)]
    if len(matching) != 1:
        found = ", ".join(map(repr, matching or names[:10]))
        raise Unusable(f"{len(matching)} members of the archive match '{pattern}' (it has {found})")
    return matching[0]


def _install(part: Path, target: Path, sha256: str | None) -> None:
    """Check ``part`` and put it in the place of ``target``; a part that fails is deleted."""
    try:
        content = part.read_bytes()
        if sha256 is not None and (digest := hashlib.sha256(content).hexdigest()) != sha256.lower():
            raise Unusable(f"its sha256 is {digest}, not {sha256.lower()}")
        if target.suffix == ".json":
            json.loads(content)
    except Unusable:
        part.unlink()
        raise
    except ValueError as error:
        part.unlink()
        raise Unusable(f"what came is no JSON ({error})") from error
    os.replace(part, target)


def _copy(source: IO[bytes], sink: IO[bytes], bar: "tqdm[None]") -> None:
    while chunk := source.read(BLOCK):
        sink.write(chunk)
        bar.update(len(chunk))


def _bar(name: str, size: int | None, done: int) -> "tqdm[None]":
    # disable=None shows the bar on a terminal only.
    return tqdm(desc=name, total=size, initial=done, unit="B", unit_scale=True, leave=False, disable=None)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other runs from fetching into ``folder``; it is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".fetch.lock"):
        yield
