"""Several processes write to one place at the same time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder

ROOT = Path(__file__).parents[2]
DDL = "CREATE TABLE a (id INT PRIMARY KEY, n TEXT); CREATE TABLE b (id INT, a_id INT REFERENCES a);"
QUESTION = "Which one?"
WRITER = f"""
import sys
from joingr_pyg import TableRetriever
from joingr_pyg.encoders import CachedEncoder, HashingEncoder

retriever = TableRetriever.from_ddl({DDL!r}, CachedEncoder(HashingEncoder(dim=16)))
retriever.remember([{QUESTION!r}], [[sys.argv[2]]])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(20):
    retriever.save(sys.argv[1])
"""


def hashing() -> CachedEncoder:
    return CachedEncoder(HashingEncoder(dim=16))


def test_a_saved_retriever_is_that_of_one_writer(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    TableRetriever.from_ddl(DDL, hashing()).remember([QUESTION], [["a"]]).save(folder)
    known = [
        TableRetriever.from_ddl(DDL, hashing()).remember([QUESTION], [[table]]).retrieve(QUESTION).to_dict()
        for table in ("a", "b")
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), table],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for table in ("a", "b")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdin is not None
        assert writer.stdout.readline() == "ready\n"
        writer.stdin.write("\n")
        writer.stdin.flush()
    read = 0
    while read < 5 or any(writer.poll() is None for writer in writers):
        assert TableRetriever.load(folder, encoder=hashing()).retrieve(QUESTION).to_dict() in known
        read += 1
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(list(folder.glob("tensors-*"))) == 1
    assert not list(folder.glob("*.partial"))


def test_a_retriever_that_is_replaced_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "saved"
    retriever = TableRetriever.from_ddl(DDL, hashing())
    retriever.save(folder)
    read = Path.read_bytes

    def replacing(path: Path) -> bytes:
        content = read(path)
        if path.name == "retriever.json" and len(retriever.model.memory) == 0:
            retriever.remember([QUESTION], [["b"]]).save(folder)
        return content

    monkeypatch.setattr(Path, "read_bytes", replacing)
    assert len(TableRetriever.load(folder, encoder=hashing()).model.memory) == 1
