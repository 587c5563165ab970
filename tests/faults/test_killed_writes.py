"""A process may be killed at any of its writes: files hold what they held before or what was to be written."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from joingr_pyg import TableRetriever
from joingr_pyg.models import JoinGR
from joingr_pyg.models.checkpoint import Description, load_checkpoint, save_checkpoint
from joingr_pyg.schema.names.glossary import read_words
from joingr_pyg.text.value_index import ValueIndex
from tests.faults.killed_writes import COLUMN, DDL, OPERATIONS, TEXTS, hashing

ROOT = Path(__file__).parents[2]
QUESTION = "Which one?"


def before_save(folder: Path) -> None:
    TableRetriever.from_ddl(DDL, hashing()).save(folder)


def after_save(folder: Path) -> str:
    answer = TableRetriever.load(folder, encoder=hashing()).retrieve(QUESTION).to_dict()
    expected = TableRetriever.from_ddl(DDL, hashing())
    for state in ("old", "new", "new"):  # The same again remembers the question once more.
        if answer == expected.retrieve(QUESTION).to_dict():
            return state
        expected.remember([QUESTION], [["b"]])
    return "neither"


def before_cache(folder: Path) -> None:
    folder.mkdir()


def after_cache(folder: Path) -> str:
    held = hashing(folder)._cache
    held.refresh()
    count = len(held._vectors)
    assert count in (0, 10, 20, 30, 40)
    assert torch.equal(hashing(folder).encode_documents(TEXTS), hashing().encode_documents(TEXTS))
    return "new" if count == 40 else "old"


def before_words(folder: Path) -> None:
    folder.mkdir()
    (folder / "words.json").write_text(json.dumps({"provenance": "people", "tables": {"b": "kept"}}))


def after_words(folder: Path) -> str:
    tables = read_words(folder / "words.json").tables
    assert tables["b"] == "kept"
    return "new" if tables.get("a") == "things that are new" else "old"


def before_checkpoint(folder: Path) -> None:
    folder.mkdir()
    model = JoinGR(4, hidden_channels=4)
    save_checkpoint(folder / "best.ckpt", model, Description(model.arguments, "hashing", "hashing:4", "old", 0))


def after_checkpoint(folder: Path) -> str:
    return load_checkpoint(folder / "best.ckpt")[1].dataset


def before_values(folder: Path) -> None:
    folder.mkdir()
    ValueIndex.write(folder / "values.sqlite", [(COLUMN, ["old one"])])


def after_values(folder: Path) -> str:
    (match,) = ValueIndex(folder / "values.sqlite").matches("Where is the New One or the Old One?")
    return match.value.split()[0].lower()


def before_results(folder: Path) -> None:
    folder.mkdir()
    (folder / "metrics.json").write_text('{"metrics": {"R@5": 0.1}}')
    (folder / "questions.jsonl").write_text('{"question": "old"}\n')


def after_results(folder: Path) -> str:
    metric = json.loads((folder / "metrics.json").read_text())["metrics"]["R@5"]
    (line,) = (folder / "questions.jsonl").read_text().splitlines()
    assert (metric, json.loads(line)["question"]) in [(0.1, "old"), (0.5, "old"), (0.5, "new")]
    return json.loads(line)["question"]


BEFORE: dict[str, Callable[[Path], None]] = {
    name: globals()[f"before_{name}"] for name in ("save", "cache", "words", "checkpoint", "values", "results")
}
AFTER: dict[str, Callable[[Path], str]] = {name: globals()[f"after_{name}"] for name in BEFORE}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_was_there_or_what_was_to_be_written(operation: str, tmp_path: Path) -> None:
    BEFORE[operation](tmp_path / "before")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.faults.killed_writes", operation, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    statuses = [int(line.split()[1]) for line in ended.stdout.splitlines()]
    killed = len(statuses) - 1
    assert statuses == [9] * killed + [0]
    assert killed >= 2
    for step in range(len(statuses)):
        copy = tmp_path / str(step)
        state = AFTER[operation](copy)
        assert state in ("old", "new")
        # The same again, by a process that nobody kills.
        OPERATIONS[operation](copy)
        assert AFTER[operation](copy) == "new"
        if operation in ("save", "cache"):
            assert not list(copy.rglob("*.partial"))
    assert AFTER[operation](tmp_path / str(killed)) == "new"
