"""Kills a process at each of its writes: ``killed_writes.py OPERATION FOLDER``.

``FOLDER/before`` holds what is there before the operation. For each step of the operation that changes the disk, a copy
``FOLDER/0``, ``FOLDER/1``, ... is changed by a fork that dies right before that step; what it was writing is cut in
half. The last copy is that of an operation that came to its end.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from joingr_pyg import TableRetriever
from joingr_pyg.describing.answers import Answer, TableWords
from joingr_pyg.describing.words_file import WordsFile
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.models.checkpoint import load_checkpoint, save_checkpoint
from joingr_pyg.runs.files import write_metrics, write_questions
from joingr_pyg.schema.readers.ddl import read_ddl
from joingr_pyg.text.value_index import ValueColumn, ValueIndex

DDL = "CREATE TABLE a (id INT PRIMARY KEY, n TEXT); CREATE TABLE b (id INT, a_id INT REFERENCES a);"
TEXTS = [f"text {number}" for number in range(40)]
COLUMN = ValueColumn("d", "a", "n")
STEPS = ("fsync", "replace", "rename", "unlink", "mkdir")
"""Functions of ``os`` that change the disk, or make sure of it."""


def hashing(folder: Path | None = None) -> CachedEncoder:
    return CachedEncoder(HashingEncoder(dim=16), folder, chunk_size=10)


def save(folder: Path) -> None:
    TableRetriever.load(folder, encoder=hashing()).remember(["Which one?"], [["b"]]).save(folder)


def cache(folder: Path) -> None:
    hashing(folder).encode_documents(TEXTS)


def words(folder: Path) -> None:
    WordsFile(read_ddl(DDL, "d"), folder / "words.json", "a test").add(
        Answer([TableWords("a", "things that are new", {}, {})], {}, {})
    )


def checkpoint(folder: Path) -> None:
    model, description = load_checkpoint(folder / "best.ckpt")
    save_checkpoint(folder / "best.ckpt", model, type(description)(**{**vars(description), "dataset": "new"}))


def values(folder: Path) -> None:
    ValueIndex.write(folder / "values.sqlite", [(COLUMN, ["new one", "newer one"])])


def results(folder: Path) -> None:
    write_metrics(folder, {"metrics": {"R@5": 0.5}})
    write_questions(folder, [{"question": "new"}])


OPERATIONS: dict[str, Callable[[Path], None]] = {
    function.__name__: function for function in (save, cache, words, checkpoint, values, results)
}


def die_at(step: int) -> None:
    """Die right before a step that changes the disk, the first of which is 0."""
    left = step

    def dying(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            if not left:
                if name == "fsync":
                    os.ftruncate(arguments[0], os.fstat(arguments[0]).st_size // 2)
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return function(*arguments, **options)

        return call

    for name in STEPS:
        setattr(os, name, dying(name, getattr(os, name)))


def main(operation: str, folder: Path) -> None:
    step, status = 0, int(signal.SIGKILL)
    while status == signal.SIGKILL:
        copy = folder / str(step)
        shutil.copytree(folder / "before", copy)
        process = os.fork()
        if process == 0:
            die_at(step)
            OPERATIONS[operation](copy)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        print(step, status, flush=True)
        step += 1


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
