"""Fetching single members of a large remote zip."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from joingr_pyg.download.place import alone_in, copy, install
from joingr_pyg.download.remote import ATTEMPTS, PAUSE, NoRangesError, UnusableError, client, persistently, ranges


def fetch_zip_members(
    url: str, members: Mapping[str, Path], *, attempts: int = ATTEMPTS, pause: float = PAUSE
) -> tuple[Path, ...]:
    """Fetch single members of a remote zip over HTTP ranges, those that are not there.

    The archive is never downloaded: its directory and the members themselves are all that is read. Members of a
    compressed archive within the archive cannot be reached this way. Each member's checksum is tested before it
    takes its place, and its syntax where its target ends in ``.json``. Two runs at once fetch it once.

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
            member fails a check, or a target cannot be written.
    """
    missing = {pattern: target for pattern, target in members.items() if not target.exists()}
    if missing:
        folder = Path(os.path.commonpath([target.parent for target in missing.values()]))
        names = ", ".join(f"'{pattern}'" for pattern in missing)
        work = partial(_extract, url, missing, folder)
        persistently(work, f"{names} of '{url}'", f"'{folder}'", attempts, pause)
    return tuple(members.values())


def _extract(url: str, members: Mapping[str, Path], folder: Path) -> None:
    with alone_in(folder):
        missing = {pattern: target for pattern, target in members.items() if not target.exists()}
        if not missing:
            return
        size = client().info(url)["size"]
        if size is None:
            raise NoRangesError
        with ranges(url, size, "blockcache") as file, ZipFile(file) as archive:
            for pattern, target in missing.items():
                member = archive.getinfo(_match(archive, pattern))
                target.parent.mkdir(parents=True, exist_ok=True)
                part = target.with_name(f"{target.name}.part")
                with archive.open(member) as source, part.open("wb") as sink:
                    copy(source, sink, target.name, member.file_size)
                install(part, target)


def _match(archive: ZipFile, pattern: str) -> str:
    # Archives packed on a Mac carry a shadow of every file.
    names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
    matching = [name for name in names if PurePosixPath(name).match(pattern)]
    if len(matching) != 1:
        found = ", ".join(map(repr, matching or names[:10]))
        raise UnusableError(f"{len(matching)} members of the archive match '{pattern}' (it has {found})")
    return matching[0]
