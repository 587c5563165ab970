"""Official download sources of the benchmarks."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from joingr_pyg.download import fetch_file, fetch_zip_members
from joingr_pyg.errors import JoinGRError


@dataclass(frozen=True)
class SourceFile:
    """One file of a benchmark.

    Args:
        target: Path relative to the data folder.
        path: Path relative to the benchmark's base URL.
        member: Pattern of the file's name in the archive at ``path``. If empty, ``path`` is the file itself.
        split: The split that needs the file. If empty, all splits need it.
    """

    target: str
    path: str
    member: str = ""
    split: str = ""


@dataclass(frozen=True)
class Source:
    """The official source of a benchmark: its base URL and its files."""

    base: str
    files: tuple[SourceFile, ...]


_BEAVER = "https://raw.githubusercontent.com/peterbaile/beaver/main"

SOURCES: Mapping[str, Source] = {
    "beaver": Source(
        base=_BEAVER,
        files=(
            SourceFile("beaver/dev_dw.json", "dev_dw.json"),
            SourceFile("beaver/dev_tables.json", "dev_tables.json"),
            SourceFile("beaver/dw_join_keys.json", "dw_join_keys.json"),
        ),
    ),
    "beaver_nw": Source(
        base=_BEAVER,
        files=(
            SourceFile("beaver/dev_nw.json", "dev_nw.json"),
            SourceFile("beaver/dev_tables.json", "dev_tables.json"),
        ),
    ),
    "bird": Source(
        base="https://bird-bench.oss-cn-beijing.aliyuncs.com",
        files=(
            SourceFile("bird/dev/dev.json", "dev.zip", "dev.json", "dev"),
            SourceFile("bird/dev/dev_tables.json", "dev.zip", "dev_tables.json", "dev"),
            SourceFile("bird/train/train.json", "train.zip", "train.json", "train"),
            SourceFile("bird/train/train_tables.json", "train.zip", "train_tables.json", "train"),
        ),
    ),
    "spider": Source(
        base="https://raw.githubusercontent.com/taoyds/spider/master/evaluation_examples/examples",
        files=(
            SourceFile("spider/tables.json", "tables.json"),
            SourceFile("spider/train_spider.json", "train_spider.json", split="train"),
            SourceFile("spider/dev.json", "dev.json", split="dev"),
        ),
    ),
}
"""The official source of each benchmark, by dataset name.

BIRD's column descriptions are not included. They are CSV files in ``train_databases.zip`` and ``dev_databases.zip``,
compressed archives inside the two archives, which range requests cannot read. The readers use
``bird/column_descriptions.json`` if it is in the data folder.
"""


def fetch(benchmark: str, root: Path, *, split: str | None = None, base: str | None = None) -> tuple[Path, ...]:
    """Download the missing files of a benchmark; existing files are kept.

    If no file is missing, nothing is written and the network is not used.

    Args:
        benchmark: Name of the benchmark.
        root: The data folder.
        split: Download only the files that this split needs. The default is all files.
        base: URL to download from instead of the official one.

    Returns:
        The paths of the files, in the order of :data:`SOURCES`.

    Raises:
        JoinGRError: If the benchmark has no official source, or a missing file cannot be fetched.
    """
    if benchmark not in SOURCES:
        raise JoinGRError(f"Dataset {benchmark!r} has no official source; these have one: {', '.join(SOURCES)}.")
    source = SOURCES[benchmark]
    base = (base or source.base).rstrip("/")
    files = [file for file in source.files if split is None or file.split in ("", split)]
    members: dict[str, dict[str, Path]] = {}
    for file in files:
        if file.member:
            members.setdefault(file.path, {})[file.member] = root / file.target
        else:
            fetch_file(f"{base}/{file.path}", root / file.target)
    for path, targets in members.items():
        fetch_zip_members(f"{base}/{path}", targets)
    return tuple(root / file.target for file in files)
