"""A disk that is full or cannot be written to: one sentence, nothing half-written, and what was there stays."""

import logging
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch

from joingr_pyg import TableRetriever
from joingr_pyg.describing.answers import Answer, TableWords
from joingr_pyg.describing.words_file import WordsFile
from joingr_pyg.encoders import CachedEncoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR
from joingr_pyg.models.checkpoint import Description, load_checkpoint, save_checkpoint
from joingr_pyg.schema.names.glossary import read_words
from joingr_pyg.schema.readers.ddl import read_ddl

DDL = "CREATE TABLE a (id INT PRIMARY KEY, n TEXT); CREATE TABLE b (id INT, a_id INT REFERENCES a);"
QUESTION = "Which a has which n?"


class Disk:
    """A small disk of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        """Leave no space but for the names of files."""
        descriptor = os.open(self.folder / "filler", os.O_WRONLY | os.O_CREAT)
        with suppress(OSError):
            while os.write(descriptor, bytes(4096)):
                pass
        os.close(descriptor)

    def free(self, pages: int | None = None) -> None:
        """Make room for some pages of 4 kilobytes, or for as many as there were."""
        filler = self.folder / "filler"
        if pages is None:
            filler.unlink()
        else:
            os.truncate(filler, filler.stat().st_size - 4096 * pages)

    def read_only(self) -> None:
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)

    def files(self) -> set[str]:
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.name for path in found} - {"filler", "lock", ".lock"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only the superuser can mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "none", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def hashing(folder: Path | None = None) -> CachedEncoder:
    return CachedEncoder(HashingEncoder(dim=16), folder)


def save(folder: Path) -> Callable[[], Any]:
    """Saves a retriever that remembers more; returns how the one that is there is asked."""
    saved = folder / "saved"
    if not saved.exists():
        TableRetriever.from_ddl(DDL, hashing()).save(saved)
    else:
        TableRetriever.load(saved, encoder=hashing()).remember([QUESTION], [["b"]]).save(saved)
    return lambda: TableRetriever.load(saved, encoder=hashing()).retrieve(QUESTION).to_dict()


def checkpoint(folder: Path) -> Callable[[], Any]:
    path = folder / "best.ckpt"
    model = JoinGR(4, hidden_channels=4)
    save_checkpoint(path, model, Description(model.arguments, "hashing", "h", f"{path.exists()}", 0))
    return lambda: load_checkpoint(path)[1]


def words(folder: Path) -> Callable[[], Any]:
    path = folder / "words.json"
    file = WordsFile(read_ddl(DDL, "d"), path, "a test")
    file.add(Answer([TableWords("b" if path.exists() else "a", "things " * 50)], {}, {}))
    return lambda: read_words(path)


@pytest.mark.parametrize("write", [save, checkpoint, words])
@pytest.mark.parametrize("fault", [Disk.fill, Disk.read_only])
def test_what_was_written_before_stays(
    disk: Disk, write: Callable[[Path], Callable[[], Any]], fault: Callable[[Disk], None]
) -> None:
    read = write(disk.folder)
    before, files = read(), disk.files()
    fault(disk)
    with pytest.raises(JoinGRError, match=r"No space left on device|Read-only file system") as error:
        write(disk.folder)
    assert "\n" not in str(error.value)
    assert (read(), disk.files()) == (before, files)
    if fault is Disk.fill:
        disk.free()
        write(disk.folder)
        assert read() != before


@pytest.mark.parametrize("fault", [Disk.fill, Disk.read_only])
def test_questions_are_answered_without_a_cache(
    disk: Disk, fault: Callable[[Disk], None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("JOINGR_CACHE", str(disk.folder))
    retriever = TableRetriever.from_ddl(DDL, HashingEncoder(16))
    fault(disk)
    with caplog.at_level(logging.WARNING):
        answers = retriever.retrieve_batch([QUESTION, "Which b?"])
        retriever.retrieve("And which n?")
    assert answers == TableRetriever.from_ddl(DDL, hashing()).retrieve_batch([QUESTION, "Which b?"])
    (warning,) = caplog.messages
    assert warning.startswith("Embeddings are kept in memory only from now on: The embedding cache folder")


@pytest.mark.parametrize("fault", [Disk.fill, Disk.read_only])
def test_a_cache_that_was_asked_for_has_to_work(disk: Disk, fault: Callable[[Disk], None]) -> None:
    encoder = hashing(disk.folder)
    vectors = encoder.encode_documents(["one"])
    fault(disk)
    with pytest.raises(JoinGRError, match=r"The embedding cache folder .* cannot be used \((No space|Read-only)"):
        encoder.encode_documents(["two"])
    assert torch.equal(hashing(disk.folder).encode_documents(["one"]), vectors)


@pytest.mark.parametrize("place", ["hydra.run.dir", "paths.cache"])
@pytest.mark.parametrize("fault", [Disk.fill, Disk.read_only])
def test_a_training_ends_in_one_sentence(
    disk: Disk, fault: Callable[[Disk], None], place: str, command: Callable[..., Any]
) -> None:
    fault(disk)
    small = ("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "trainer.max_epochs=1", "baselines=[]")
    ended = command("train.py", *small, f"{place}={disk.folder / 'new'}")
    assert ended.status == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("train: ")
    assert "No space left on device" in line or "Read-only file system" in line
    assert not {name for name in disk.files() if name.endswith((".ckpt", ".partial"))}


@pytest.mark.parametrize("pages", [1, 4, 10, 14, 20])
def test_a_disk_may_become_full_in_a_training(disk: Disk, pages: int, command: Callable[..., Any]) -> None:
    disk.fill()
    disk.free(pages)
    small = ("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "trainer.max_epochs=2", "baselines=[]")
    run = disk.folder / "run"
    ended = command("train.py", *small, folder=run)
    assert ended.status == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("train: A file cannot be used (No space left on device): free space, or choose another")
    assert not {name for name in disk.files() if name.endswith(".partial")}
    for path in run.glob("*.ckpt"):
        load_checkpoint(path)
    disk.free()
    resume = [f"resume={str((run / 'last.ckpt').is_file()).lower()}"]
    again = command("train.py", *small, *resume, folder=run)
    assert (again.status, again.metrics["epochs"]) == (0, [2])
