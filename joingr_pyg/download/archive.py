"""Downloads single members of a large remote zip archive."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from joingr_pyg.download.place import copy, install, locked
from joingr_pyg.download.remote import ATTEMPTS, PAUSE, NoRangesError, UnusableError, client, open_ranges, with_retries


def fetch_zip_members(
    url: str, members: Mapping[str, Path], *, attempts: int = ATTEMPTS, pause: float = PAUSE
) -> tuple[Path, ...]:
    """Download missing members of a remote zip archive with HTTP range requests.

    Only the directory of the archive and the members are read, not the whole archive. Members of a compressed archive
    inside the archive cannot be read this way. The checksum of each member is verified, and a target that ends in
    ``.json`` must be valid JSON. Two runs at once download it once.

    Args:
        url: The remote archive.
        members: The target path of each member. A member is given by a pattern that matches the end of its path in the
            archive (``"dev.json"``, ``"train/*.json"``); each pattern must match one member.
        attempts: Maximum number of attempts.
        pause: Seconds before the second attempt; they double with each further attempt.

    Returns:
        The targets in the given order.

    Raises:
        JoinGRError: If the server cannot be reached or does not support ranges, a pattern does not match exactly one
            member, a member fails a check, or a target cannot be written.
    """
    missing = {pattern: target for pattern, target in members.items() if not target.exists()}
    if missing:
        folder = Path(os.path.commonpath([target.parent for target in missing.values()]))
        names = ", ".join(f"'{pattern}'" for pattern in missing)
        extract = partial(_extract, url, missing, folder)
        with_retries(extract, f"{names} of '{url}'", f"'{folder}'", attempts, pause)
    return tuple(members.values())


def _extract(url: str, members: Mapping[str, Path], folder: Path) -> None:
    with locked(folder):
        missing = {pattern: target for pattern, target in members.items() if not target.exists()}
        if not missing:
            return
        size = client().info(url)["size"]
        if size is None:
            raise NoRangesError
        with open_ranges(url, size, "blockcache") as file, ZipFile(file) as archive:
            for pattern, target in missing.items():
                member = archive.getinfo(_match(archive, pattern))
                target.parent.mkdir(parents=True, exist_ok=True)
                part = target.with_name(f"{target.name}.part")
                with archive.open(member) as source, part.open("wb") as sink:
                    copy(source, sink, target.name, member.file_size)
                install(part, target)


def _match(archive: ZipFile, pattern: str) -> str:
    # Archives made on macOS have a metadata file for each file.
    names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
    matching = [name for name in names if PurePosixPath(name).match(pattern)]
    if len(matching) != 1:
        examples = ", ".join(map(repr, matching or names[:10]))
        raise UnusableError(f"{len(matching)} members of the archive match '{pattern}' (it has {examples})")
    return matching[0]
