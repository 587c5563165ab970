"""A run that was killed at any moment can be resumed, or started anew, and ends like an uninterrupted one."""

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from joingr_pyg.encoders import HashingEncoder
from joingr_pyg.training.module import RetrievalModule

Command = Callable[..., Any]

MOMENTS = ["embedding", "processing", "first_epoch", "third_epoch", "checkpoint", "results"]
CHUNK = 100
"""Texts embedded between two writes."""

SMALL = ("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "model.anchors=2", "model.hops=2")
DEMO = (*SMALL, "trainer.max_epochs=4", "early_stopping=3")
FOLDS = ("experiment=beaver_cv", *SMALL, "trainer.max_epochs=2", "batch_size=2", "folds=2", "ks=[1,3]")


def kill(folder: Path, moments: Sequence[str], overrides: Sequence[str]) -> Path:
    script = Path(__file__).with_name("killed_runs.py")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, str(script), str(folder), str(CHUNK), *moments, "--", *overrides],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = ended.stdout.splitlines()
    assert [line for line in lines if line.split()[0] in moments] == [f"{moment} 9" for moment in moments]
    return folder


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run killed at each moment."""
    return kill(tmp_path_factory.mktemp("killed"), MOMENTS, DEMO)


@pytest.fixture(scope="module")
def whole(command: Command) -> Any:
    """The same run, uninterrupted."""
    return command("train.py", *DEMO)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file() and path.parent.name != ".hydra"}


def logged(folder: Path) -> list[dict[str, str]]:
    with (folder / "metrics.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def same_end(run: Any, whole: Any) -> None:
    """Metrics, rankings, weights and log of two runs are the same, and nothing half-written is left."""
    assert (run.status, run.stderr) == (0, "")
    assert run.metrics["metrics"] == whole.metrics["metrics"]
    assert run.metrics["epochs"] == whole.metrics["epochs"]
    assert run.questions == whole.questions
    assert files(run.folder) == files(whole.folder)
    for path in whole.folder.rglob("*.ckpt"):
        ours, theirs = (
            torch.load(folder / path.relative_to(whole.folder), weights_only=True)["state_dict"]
            for folder in (run.folder, whole.folder)
        )
        assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def rerun(command: Command, killed: Path, moment: str, *overrides: str) -> Any:
    own = killed / f"{moment}_cache"
    cache = own if own.is_dir() else killed / "cache"
    return command("train.py", *overrides, f"paths.cache={cache}", folder=killed / moment)


def test_embedding_continues_after_the_last_texts_written(
    command: Command, killed: Path, whole: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, encoded = HashingEncoder.encode_documents, []

    def recording_encode(self: HashingEncoder, texts: Sequence[str]) -> torch.Tensor:
        encoded.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(HashingEncoder, "encode_documents", recording_encode)
    same_end(rerun(command, killed, "embedding", *DEMO), whole)
    rest = len(encoded)
    command("train.py", *DEMO, "trainer.max_epochs=1", f"paths.cache={killed}/empty")
    assert len(encoded) - rest == rest + CHUNK


def test_a_truncated_processed_file_is_made_again(command: Command, killed: Path, whole: Any) -> None:
    cache = killed / "processing_cache"
    assert len(list(cache.rglob("*.partial"))) == 1
    assert not list(cache.rglob("*.pt"))
    same_end(rerun(command, killed, "processing", *DEMO), whole)
    assert not list(cache.rglob("*.partial"))


def test_without_a_checkpoint_the_same_command_starts_anew(command: Command, killed: Path, whole: Any) -> None:
    refused = rerun(command, killed, "first_epoch", *DEMO, "resume=true")
    assert refused.status == 2
    assert "There is no checkpoint at" in refused.stderr
    run = rerun(command, killed, "first_epoch", *DEMO)
    same_end(run, whole)
    assert "Resuming" not in run.stdout


@pytest.mark.parametrize(
    ("moment", "message"),
    [
        ("third_epoch", "Resuming at epoch 3 of 4 ({}/last.ckpt)."),
        ("checkpoint", "Resuming at epoch 2 of 4 ({}/last.ckpt)."),
        ("results", "All 4 epochs are done ({}/last.ckpt)."),
    ],
)
def test_a_killed_run_resumes_at_the_recorded_epoch(
    command: Command, killed: Path, whole: Any, moment: str, message: str
) -> None:
    partial_files = list((killed / moment).glob("*.partial"))
    assert len(partial_files) == (moment == "checkpoint")
    run = rerun(command, killed, moment, *DEMO, "resume=true")
    same_end(run, whole)
    assert run.stdout.splitlines()[0] == message.format(killed / moment)
    assert logged(run.folder) == logged(whole.folder)


@pytest.mark.parametrize("moment", ["checkpoint", "results"])
def test_the_same_command_starts_anew_over_old_files(command: Command, killed: Path, whole: Any, moment: str) -> None:
    run = rerun(command, killed, moment, *DEMO)
    same_end(run, whole)
    assert "Resuming" not in run.stdout
    assert logged(run.folder) == logged(whole.folder)


def test_finished_folds_are_not_trained_again(
    command: Command, beaver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = (*FOLDS, f"paths.data={beaver}")
    kill(tmp_path, ["second_fold"], options)
    uninterrupted = command("train.py", *options)
    trained: set[tuple[str, int]] = set()
    step = RetrievalModule.training_step

    def recording_step(self: RetrievalModule, batch: Any, batch_idx: int) -> torch.Tensor:
        trained.add((Path(self.trainer.default_root_dir).name, self.current_epoch))
        return step(self, batch, batch_idx)

    monkeypatch.setattr(RetrievalModule, "training_step", recording_step)
    run = rerun(command, tmp_path, "second_fold", *options, "resume=true")
    same_end(run, uninterrupted)
    assert trained == {("fold_1", 1)}
    lines = run.stdout.splitlines()
    assert f"All 2 epochs are done ({run.folder}/fold_0/last.ckpt)." in lines
    assert f"Resuming at epoch 2 of 2 ({run.folder}/fold_1/last.ckpt)." in lines


def test_jobs_of_a_resumed_sweep_that_were_not_begun_start_anew(command: Command, tmp_path: Path) -> None:
    sweep = (f"hydra.sweep.dir={tmp_path}", "trainer.max_epochs=2")
    command("train.py", "-m", *SMALL, *sweep, "seed=0")
    (tmp_path / "0/metrics.json").unlink()
    ended = command("train.py", "-m", *SMALL, *sweep, "seed=0,1", "resume=true")
    assert ended.status == 0
    assert f"All 2 epochs are done ({tmp_path}/0/last.ckpt)." in ended.stdout.splitlines()
    assert (tmp_path / "1/metrics.json").is_file()


def test_a_run_is_not_resumed_to_fewer_epochs(command: Command, trained: Any, tmp_path: Path) -> None:
    ended = command("train.py", *SMALL, "trainer.max_epochs=1", f"resume={trained.folder / 'last.ckpt'}")
    assert ended.status == 2
    message = "was saved after epoch 2, but trainer.max_epochs=1: raise trainer.max_epochs to 2 or more."
    assert message in ended.stderr
