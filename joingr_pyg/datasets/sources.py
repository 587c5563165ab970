"""Where the benchmarks officially live, and how to get what is missing of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from joingr_pyg.download import fetch_file, fetch_zip_members
from joingr_pyg.errors import JoinGRError


@dataclass(frozen=True)
class SourceFile:
    """One file of a benchmark.

    Args:
        target: Path below the data folder.
        path: Path below the benchmark's base URL.
        member: Pattern of the file's name within the archive at ``path``; empty where ``path`` is the file itself.
        split: The split that needs it; empty where all do.
    """

    target: str
    path: str
    member: str = ""
    split: str = ""


@dataclass(frozen=True)
class Source:
    """Where a benchmark officially lives: its base URL and its files."""

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
"""The official source of each benchmark, by the name of its dataset.

BIRD's column descriptions are not among them: they are CSV files in ``train_databases.zip`` and
``dev_databases.zip``, which lie compressed within the two archives, where ranges do not reach. The readers use
``bird/column_descriptions.json`` where it lies beside the data.
"""


def fetch(benchmark: str, root: Path, *, split: str | None = None, base: str | None = None) -> tuple[Path, ...]:
    """Get what is missing of a benchmark and leave what is there.

    Nothing is written, and the network not touched, where every file is there already.

    Args:
        benchmark: Name of the benchmark.
        root: The data folder.
        split: Only the files that this split needs; all of them by default.
        base: URL to fetch from instead of the official one.

    Returns:
        The files, all of them present, in the order of :data:`SOURCES`.

    Raises:
        JoinGRError: If the benchmark has no official source, or a missing file cannot be fetched.
    """
    if benchmark not in SOURCES:
        raise JoinGRError(f"There is no official source of {benchmark!r}; there is one of {', '.join(SOURCES)}.")
    source = SOURCES[benchmark]
    base = (base or source.base).rstrip("/")
    files = [file for file in source.files if split is None or file.split in ("", split)]
    members: dict[str, dict[str, Path]] = {}
    for file in files:
        if file.member:
            members.setdefault(file.path, {})[file.member] = root / file.target
        else:
            fetch_file(f"{base}/{file.path}", root / file.target)
    for path, wanted in members.items():
        fetch_zip_members(f"{base}/{path}", wanted)
    return tuple(root / file.target for file in files)
