"""Indexes of files that were asked before, so that the next question to the same files need not wait for reading them.

They lie in the user's cache folder, for this user alone, and hold what a folder of ``joingr index`` holds: the schema
and its vectors, never a row. A live database has none, because its schema may change at any time.
"""

import json
import logging
import os
import shutil
import sqlite3
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import joingr_pyg
from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.encoders.cache import default_cache_folder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.retrieval import TableRetriever
from joingr_pyg.schema.readers.live.address import open_sqlite

KEPT = 32
"""Indexes that are kept; those used longest ago are removed first."""

KEPT_BYTES = 500_000_000
"""Size that they have together at most, but for the latest one."""

READING_OPTIONS = ("dialect", "include", "exclude", "views", "infer_joins")
"""The options of a command that change how a schema is read, beside the files of words and joins."""

INDEX, WARNINGS = "index", "warnings.json"
"""What the folder of a kept index holds: a saved retriever, and what the user was warned of when it was made."""

SECONDS = 5.0
"""How long a lock of an SQLite database is waited for."""

logger = logging.getLogger(__name__)


def kept_or_made(
    arguments: Namespace, files: Sequence[Path], make: Callable[[], TableRetriever], *, sqlite: bool = False
) -> TableRetriever:
    """The retriever of some files: from its kept index, or made and kept.

    An index that is damaged, or that cannot be written, is no error: the retriever is made anew.

    Args:
        arguments: The arguments of a command, whose options and files of words and joins count.
        files: The files.
        make: Makes the retriever where no index is kept.
        sqlite: Whether they are SQLite databases, not SQL scripts.

    Raises:
        JoinGRError: As ``make``.
    """
    try:
        folder = default_cache_folder() / "indexes" / _key(arguments, files, sqlite)
    except (OSError, sqlite3.Error):  # What makes the retriever says what is wrong with a file.
        return make()
    with suppress(JoinGRError, OSError, ValueError):
        retriever = TableRetriever.load(folder / INDEX)
        for warning in json.loads((folder / WARNINGS).read_bytes()):
            logger.warning("%s", warning)
        os.utime(folder)
        return retriever
    with _warnings() as warned:
        retriever = make()
    try:
        _write(folder, retriever, warned)
    except (JoinGRError, OSError) as error:
        logger.info("The index is not kept: %s", error)
    return retriever


def _key(arguments: Namespace, files: Sequence[Path], sqlite: bool) -> str:
    """A digest of everything that the index depends on.

    Raises:
        OSError: If a file cannot be read.
        sqlite3.Error: If an SQLite database cannot be read.
    """
    others = [path for path in (arguments.words, arguments.joins) if path is not None]
    content = _schema_digest if sqlite else _digest
    parts = {
        "package": _package_state(),
        # A database is named after its first file.
        "files": [(path.name, content(path)) for path in files],
        "others": [_digest(path) for path in others],
        "options": {name: getattr(arguments, name) for name in (*READING_OPTIONS, "words", "joins")},
    }
    return sha256(json.dumps(parts, default=str).encode()).hexdigest()[:32]


def _package_state() -> list[Any]:
    """The version of the package, and its files: the encoder, the model and the readers are theirs."""
    root = Path(joingr_pyg.__file__).parent
    files = (path for path in root.rglob("*") if path.suffix in (".py", ".json", ".safetensors"))
    states = sorted((str(path.relative_to(root)), path.stat()) for path in files)
    return [joingr_pyg.__version__, [(name, state.st_size, state.st_mtime_ns) for name, state in states]]


def _digest(path: Path) -> str:
    """A digest of a file's content."""
    if not path.is_file():
        raise FileNotFoundError(path)  # What comes through a pipe can be read only once.
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _schema_digest(path: Path) -> str:
    """A digest of the schema of an SQLite database, which may be large and whose rows do not count."""
    with closing(open_sqlite(path, SECONDS)) as database:
        statements = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid").fetchall()
    return sha256(json.dumps(statements).encode()).hexdigest()


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Note what is warned of while a schema is read; it is shown all the same."""
    noted: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: noted.append(record.getMessage())  # type: ignore[method-assign]
    readers = [logging.getLogger("joingr_pyg.schema"), logging.getLogger("joingr_pyg.retrieval")]
    for reader in readers:
        reader.addHandler(handler)
    try:
        yield noted
    finally:
        for reader in readers:
            reader.removeHandler(handler)


def _write(folder: Path, retriever: TableRetriever, warned: Sequence[str]) -> None:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)  # A damaged one.
    folder.mkdir(mode=0o700, exist_ok=True)
    with atomic_write(folder / WARNINGS) as file:
        file.write(json.dumps(warned).encode())
    retriever.save(folder / INDEX)
    _remove_oldest(folder.parent)


def _remove_oldest(parent: Path) -> None:
    # Another process may do the same at the same time.
    with suppress(OSError):
        folders = sorted(parent.iterdir(), key=lambda folder: -folder.stat().st_mtime)
        size = 0
        for number, folder in enumerate(folders):
            size += sum(path.stat().st_size for path in folder.rglob("*"))
            if number and (number >= KEPT or size > KEPT_BYTES):
                shutil.rmtree(folder, ignore_errors=True)
