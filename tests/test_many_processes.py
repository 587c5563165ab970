"""Two processes on one machine train what one process trains with twice the batch size."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.training.validation import Validation, split_validation

Command = Callable[..., Any]

TESTS = Path(__file__).parent
SMALL = ("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "model.anchors=2", "model.hops=2")
# Dropout is off: it is the one thing that each process draws from its own random numbers.
OPTIONS = (*SMALL, "model.dropout=0", "trainer.max_epochs=2", "validation.fraction=0.12", "optimization.lr=0.01")
BATCH = 15
RENDEZVOUS = {"MASTER_ADDR", "MASTER_PORT", "NODE_RANK", "LOCAL_RANK", "WORLD_SIZE", "RANK", "GROUP_RANK"}
TWO = ("trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu")


@dataclass(frozen=True)
class Run:
    status: int
    stdout: str
    stderr: str
    folder: Path
    notes: list[str]


def start(folder: Path, *overrides: str, launcher: tuple[str, ...] = ()) -> Run:
    notes = folder.with_suffix(".notes")
    # Trainers of other tests leave ranks and ports in the environment, as if a launcher had started this process.
    rest = {name: value for name, value in os.environ.items() if name not in RENDEZVOUS}
    environment = {**rest, "NOTES": str(notes), "OMP_NUM_THREADS": "1", "JOINGR_CACHE": f"{folder}_cache"}
    environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    command = [*launcher, str(TESTS.parent / "train.py"), *overrides, f"hydra.run.dir={folder}"]
    ended = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, timeout=300)
    return Run(
        ended.returncode, ended.stdout, ended.stderr, folder, notes.read_text().splitlines() if notes.exists() else []
    )


@pytest.fixture(scope="module")
def one(command: Command) -> Any:
    return command("train.py", *OPTIONS, f"batch_size={2 * BATCH}")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Run:
    noting = "encoder._target_=noting_encoder.NotingEncoder"
    return start(tmp_path_factory.mktemp("two") / "run", *OPTIONS, *TWO, noting, f"batch_size={BATCH}")


def logged(folder: Path) -> list[dict[str, float]]:
    with (folder / "metrics.csv").open(newline="") as file:
        return [{name: float(value) for name, value in row.items() if value} for row in csv.DictReader(file)]


def test_the_batches_are_uneven() -> None:
    """The last batch of training is one question, for the first process alone; that of validation is 15 and 14."""
    train, held_out = split_validation(read_demo("train").questions, Validation(0.12, "question"), seed=0)
    assert (len(train) % (2 * BATCH), len(held_out)) == (1, 29)


def test_two_processes_print_the_output_of_one(one: Any, two: Run) -> None:
    assert (two.status, two.stderr) == (0, "")
    without_speed = slice(0, -2)  # Speed is the last column; the frame's right border follows it.
    ours, theirs = (run.stdout.splitlines() for run in (two, one))
    assert len(ours) == len(theirs)
    assert [line.split("│")[without_speed] for line in ours[:-1]] == [
        line.split("│")[without_speed] for line in theirs[:-1]
    ]
    assert ours[-1] == f"Results in {two.folder}"


def test_one_process_writes_the_files_and_embeds_the_texts(one: Any, two: Run) -> None:
    ours, theirs = (
        sorted(str(path.relative_to(run.folder)) for path in run.folder.rglob("*") if path.is_file())
        for run in (two, one)
    )
    assert ours == theirs
    assert (two.folder / "train.log").read_text() == ""
    assert {line.split()[0] for line in two.notes} == {"0"}
    cache = Path(f"{two.folder}_cache")
    assert len(list(cache.rglob("*.pt"))) == 2
    assert not list(cache.rglob("*.partial"))


def test_every_question_counts_once(one: Any, two: Run) -> None:
    """In the values of every epoch."""
    ours, theirs = logged(two.folder), logged(one.folder)
    assert len(ours) == len(theirs) == 4
    for row, expected in zip(ours, theirs, strict=True):
        assert row == pytest.approx(expected, rel=1e-5)


def test_the_weights_are_those_of_one_process(one: Any, two: Run) -> None:
    for name in ("best.ckpt", "last.ckpt"):
        ours, theirs = (torch.load(run.folder / name, weights_only=True) for run in (two, one))
        assert ours["epoch"] == theirs["epoch"]
        assert ours["global_step"] == theirs["global_step"]
        for key, value in theirs["state_dict"].items():
            # Sums over questions have another order, and Adam divides small gradients by small numbers.
            torch.testing.assert_close(ours["state_dict"][key], value, atol=1e-5, rtol=1e-4)
        assert ours["joingr"] == theirs["joingr"]


def test_the_results_are_those_of_one_process(one: Any, two: Run) -> None:
    ours, theirs = json.loads((two.folder / "metrics.json").read_text()), one.metrics
    assert ours["metrics"] == pytest.approx(theirs["metrics"])
    assert ours["baselines"] == theirs["baselines"]


def test_a_sweep_does_not_start_processes(command: Command, tmp_path: Path) -> None:
    ended = command("train.py", "-m", *SMALL, *TWO, "seed=0,1", f"hydra.sweep.dir={tmp_path}")
    assert ended.status == 1
    assert "Job 0 failed: A sweep cannot start several processes per job" in ended.stderr


def test_a_missing_gpu_is_reported_in_one_sentence(command: Command) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    ended = command("train.py", *SMALL, "trainer=gpu")
    assert ended.status == 2
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith("train: The trainer cannot run on this machine: ")
