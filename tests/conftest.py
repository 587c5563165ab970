"""Fixtures every test may use."""

import json
import logging
import os
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

# Two test processes share two cores: threads of their own would wait for each other. Read when torch is loaded.
os.environ["OMP_NUM_THREADS"] = os.environ.get("OMP_NUM_THREADS", "1")

import hypothesis
import torch
from torch.nn.functional import normalize

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.encoders import CachedEncoder, HashingEncoder

# No test depends on the speed of the machine.
hypothesis.settings.register_profile("any_speed", deadline=None)
hypothesis.settings.load_profile("any_speed")

pytest_plugins = ["tests.chat_server", "tests.finished_runs", "tests.servers", "tests.tiny_models"]

MakeCorpus = Callable[..., Corpus]

ROOT = Path(__file__).parents[1]

TABLES = {
    "PERSON": ["PERSON_KEY", "FULL_NAME", "OFFICE_PHONE"],
    "ROOM": ["ROOM_KEY", "BUILDING_KEY", "FLOOR"],
    "BUILDING": ["BUILDING_KEY", "BUILDING_NAME", "SITE"],
    "ASSIGNMENT": ["PERSON_KEY", "ROOM_KEY", "START_DATE"],
    "COURSE": ["COURSE_KEY", "TITLE"],
    "ENROLMENT": ["COURSE_KEY", "PERSON_KEY", "GRADE"],
}

JOINS = [
    ["ASSIGNMENT.PERSON_KEY", "PERSON.PERSON_KEY"],
    ["ASSIGNMENT.ROOM_KEY", "ROOM.ROOM_KEY"],
    ["ROOM.BUILDING_KEY", "BUILDING.BUILDING_KEY"],
    ["ENROLMENT.PERSON_KEY", "PERSON.PERSON_KEY"],
    ["ENROLMENT.COURSE_KEY", "COURSE.COURSE_KEY"],
]

QUESTIONS: list[tuple[str, list[str], list[int]]] = [
    ("Which people have an office in the library building?", ["PERSON", "ASSIGNMENT", "ROOM", "BUILDING"], [0, 1, 2]),
    ("Which people have an office in the chemistry building?", ["PERSON", "ASSIGNMENT", "ROOM", "BUILDING"], [0, 1, 2]),
    ("What is the office phone of Ada Lovelace?", ["PERSON"], []),
    ("How many rooms does each floor have?", ["ROOM"], []),
    ("Which grade did each person get in the course on algebra?", ["PERSON", "ENROLMENT", "COURSE"], [3, 4]),
    ("Which grade did each person get in the course on logic?", ["PERSON", "ENROLMENT", "COURSE"], [3, 4]),
    ("On which site does the tower stand?", ["BUILDING"], []),
    ("When was room 101 assigned?", ["ASSIGNMENT", "ROOM"], [1]),
]
"""Text, gold tables and gold joins, as positions in :data:`JOINS`; 0 and 1, and 4 and 5, are paraphrases."""


@pytest.fixture(scope="session", autouse=True)
def cache_of_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache folder is a temporary one, also in the processes that tests start."""
    folder = tmp_path_factory.mktemp("user_cache")
    with patch.dict(os.environ, {"JOINGR_CACHE": str(folder)}):
        yield folder


@pytest.fixture(scope="session")
def benchmarks() -> Path:
    """The folder with the real benchmarks, or a skip where it is not there."""
    root = os.environ.get("JOINGR_DATA")
    if not root or not Path(root).is_dir():
        pytest.skip("the real benchmarks are not here: set JOINGR_DATA to their folder")
    return Path(root)


@pytest.fixture(scope="session")
def encoder() -> CachedEncoder:
    """An encoder without a model that embeds every text once."""
    return CachedEncoder(HashingEncoder(dim=64))


@pytest.fixture(scope="session")
def make_corpus() -> MakeCorpus:
    """Makes a corpus from the vectors of each table's columns and the numbers of the columns that each join joins.

    Tables are named ``t0``, ``t1``, ... of database ``db``, and all columns ``c0``, ``c1``, ...
    """

    def make(
        tables: Sequence[Sequence[Sequence[float]]],
        joins: Sequence[tuple[int, int]] = (),
        confidence: Sequence[float] | None = None,
    ) -> Corpus:
        x = torch.tensor([column for table in tables for column in table])
        owner = torch.tensor([number for number, table in enumerate(tables) for _ in table])
        return Corpus(
            tables=tuple(("db", f"t{number}") for number in range(len(tables))),
            columns=tuple(f"c{number}" for number in range(len(x))),
            x=x,
            owner=owner,
            join_index=torch.tensor(joins, dtype=torch.long).reshape(-1, 2).t(),
            edge_attr=torch.nn.functional.one_hot(torch.arange(len(joins)) % x.size(1), x.size(1)).float(),
            edge_weight=torch.ones(len(joins)) if confidence is None else torch.tensor(confidence),
            table_x=normalize(x.new_zeros(len(tables), x.size(1)).index_add(0, owner, x)),
            summary_x=normalize(x.new_zeros(len(tables), x.size(1)).index_add(0, owner, x)),
            titles=tuple(f"t{number}" for number in range(len(tables))),
            documents=tuple(f"t{number}" for number in range(len(tables))),
            summaries=tuple(f"t{number}" for number in range(len(tables))),
        )

    return make


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    status: int
    stdout: str
    stderr: str
    folder: Path

    @property
    def metrics(self) -> dict[str, Any]:
        return json.loads((self.folder / "metrics.json").read_text(encoding="utf-8"))

    @property
    def questions(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


@contextmanager
def as_it_was() -> Iterator[None]:
    """Put back what a command sets for the process it expects to own."""
    root, threads = logging.getLogger(), torch.get_num_threads()
    handlers, level = root.handlers[:], root.level
    torch.set_num_threads(1)
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        torch.use_deterministic_algorithms(False)
        torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Ended]:
    """``command("train.py", "dataset=demo", ...)`` runs a command as ``python train.py dataset=demo ...`` does."""
    cache, nothing = tmp_path_factory.mktemp("cache"), tmp_path_factory.mktemp("nothing")

    def run(script: str, *overrides: str, folder: Path | None = None) -> Ended:
        folder = folder or tmp_path_factory.mktemp("run")
        given = [override.partition("=")[0] for override in overrides]
        places = {"hydra.run.dir": folder, "paths.cache": cache, "paths.data": nothing}
        arguments = [*overrides, *(f"{key}={path}" for key, path in places.items() if key not in given)]
        stdout, stderr = StringIO(), StringIO()
        status: Any = 0
        with (
            as_it_was(),
            redirect_stdout(stdout),
            redirect_stderr(stderr),
            patch.object(sys, "argv", [script, *arguments]),
        ):
            try:
                runpy.run_path(str(ROOT / script), run_name="__main__")
            except SystemExit as end:
                status = end.code
        return Ended(status, stdout.getvalue(), stderr.getvalue(), folder)

    return run


@pytest.fixture(scope="session")
def trained(command: Callable[..., Ended]) -> Ended:
    """A model trained and tested on the demo dataset."""
    small = ("encoder.dim=16", "model.hidden_channels=8", "model.anchors=2", "model.hops=2")
    return command("train.py", "encoder=hashing", *small, "trainer.max_epochs=2")


@pytest.fixture(scope="session")
def beaver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a BEAVER of one database, eight questions, and a ninth on a database that is not there."""
    root = tmp_path_factory.mktemp("data")
    tables = {
        f"dw#sep#{name}": {"column_names_original": columns, "column_types": ["VARCHAR2"] * len(columns)}
        for name, columns in TABLES.items()
    }
    questions = [
        {
            "question": text,
            "db_id": "dw",
            "sql": f"SELECT * FROM {', '.join(gold)}",
            "gold_tables": [f"dw#sep#{table}" for table in gold],
            "join_keys": [JOINS[join] for join in joins],
        }
        for text, gold, joins in QUESTIONS
    ]
    questions.append({"question": "Which key?", "db_id": "dwh", "sql": "SELECT 1 FROM PERSON"})
    (root / "beaver").mkdir()
    for name, content in {"dev_tables": tables, "dw_join_keys": JOINS, "dev_dw": questions}.items():
        (root / "beaver" / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return root
