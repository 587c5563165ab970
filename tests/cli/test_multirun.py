"""Sweeps, as a person starts them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import get_class

from joingr_pyg.cli import multirun

Command = Callable[..., Any]

SMALL = ("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "trainer.max_epochs=1")


def sweep(command: Command, folder: Path, *overrides: str) -> Any:
    return command("train.py", "-m", *SMALL, f"hydra.sweep.dir={folder}", *overrides, folder=folder)


def said(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "job.json").read_text(encoding="utf-8"))


def test_a_failing_job_fails_alone_and_is_named_at_the_end(command: Command, tmp_path: Path) -> None:
    ended = sweep(command, tmp_path, "model.anchors=0,2", "model.hops=1,2")
    assert ended.status == 1
    assert [(tmp_path / number / "metrics.json").is_file() for number in "0123"] == [False, False, True, True]
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-3:-1] == [
        f"train: Job {number} (model.anchors=0 model.hops={hops}) failed: "
        "'model.anchors' needs to be a whole number, at least 1 (got 0). "
        f"Its folder: {tmp_path / str(number)}"
        for number, hops in ((0, 1), (1, 2))
    ]
    assert f"hydra.sweep.dir={tmp_path} runs only jobs without results." in ended.stderr.splitlines()[-1]
    assert "ended early" not in ended.stderr
    assert "2 of 4 jobs have results" in ended.stdout
    failed, finished = said(tmp_path / "0"), said(tmp_path / "2")
    assert (failed["status"], failed["reason"]) == (
        "failed",
        "'model.anchors' needs to be a whole number, at least 1 (got 0).",
    )
    assert {*SMALL, "model.anchors=0", "model.hops=1"} <= set(failed["overrides"])
    assert finished["status"] == "finished"
    assert finished["metrics"] == json.loads((tmp_path / "2/metrics.json").read_text())["metrics"]
    assert not (tmp_path / "0/error.txt").exists()


def test_the_flag_of_a_sweep_may_stand_anywhere(command: Command, tmp_path: Path) -> None:
    ended = command("train.py", *SMALL, "-m", "seed=abc", f"hydra.sweep.dir={tmp_path}", folder=tmp_path)
    assert "Job 0 failed: 'seed' needs to be a whole number from 0 to" in ended.stderr


def test_a_bug_in_one_job_leaves_its_traceback_in_the_folder(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = get_class("joingr_pyg.models.JoinGR")
    evidence = model.evidence

    def broken(self: Any, *given: Any) -> Any:
        return {}["gone"] if self.anchors == 3 else evidence(self, *given)

    monkeypatch.setattr(model, "evidence", broken)
    ended = sweep(command, tmp_path, "model.anchors=3,2")
    assert ended.status == 1
    reason = "'gone' (KeyError, see error.txt)."
    assert f"train: Job 0 (model.anchors=3) failed: {reason} Its folder: {tmp_path / '0'}" in ended.stderr
    assert "KeyError: 'gone'" in (tmp_path / "0/error.txt").read_text()
    assert (said(tmp_path / "0")["reason"], said(tmp_path / "1")["status"]) == (reason, "finished")

    monkeypatch.undo()
    again = sweep(command, tmp_path, "model.anchors=3,2")
    assert (again.status, again.stderr) == (0, "")
    assert not (tmp_path / "0/error.txt").exists()
    assert f"Job 1 finished before and is skipped: its results are in {tmp_path / '1'}" in again.stdout


def test_a_repeated_sweep_runs_only_what_has_no_results(command: Command, tmp_path: Path) -> None:
    first = sweep(command, tmp_path, "model.hops=1,2", "model.anchors=2")
    assert first.status == 0
    before = {number: (tmp_path / number / "metrics.json").read_bytes() for number in "01"}
    (tmp_path / "1/metrics.json").unlink()
    again = sweep(command, tmp_path, "model.hops=1,2,3", "model.anchors=2")
    assert (again.status, again.stderr) == (0, "")
    assert [said(tmp_path / number)["status"] for number in "012"] == ["skipped", "finished", "finished"]
    assert (tmp_path / "0/metrics.json").read_bytes() == before["0"]
    metrics = [json.loads(content)["metrics"] for content in (before["1"], (tmp_path / "1/metrics.json").read_bytes())]
    assert metrics[0] == metrics[1]


def test_results_of_another_configuration_are_kept(command: Command, tmp_path: Path) -> None:
    sweep(command, tmp_path, "model.hops=1", "model.anchors=2", "progress=false")
    assert sweep(command, tmp_path, "model.hops=1", "model.anchors=2").status == 0
    before = (tmp_path / "0/metrics.json").read_bytes()
    ended = sweep(command, tmp_path, "model.hops=1", "model.anchors=3")
    assert ended.status == 1
    assert (
        f"'{tmp_path / '0'}' holds the results of another configuration, which differs in model.anchors: "
        "choose another folder with hydra.sweep.dir=<folder>."
    ) in ended.stderr
    assert (tmp_path / "0/metrics.json").read_bytes() == before
    (tmp_path / "0/metrics.json").write_text("{}")
    assert "was not written by this command" in sweep(command, tmp_path, "model.hops=1", "model.anchors=3").stderr


def test_a_sweep_that_is_interrupted_tells_how_far_it_got(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = get_class("joingr_pyg.models.JoinGR")
    told: list[str] = []
    monkeypatch.setattr(multirun, "report", lambda command, sentence: told.append(sentence))

    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(model, "evidence", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sweep(command, tmp_path, "model.anchors=2,3")
    assert said(tmp_path / "0")["status"] == "running"
    assert not (tmp_path / "1").exists()
    assert told[0].startswith("Job 0 (")
    assert "has not finished." in told[0]
    assert told[1] == "The sweep ended early: jobs that the table does not list have not begun."


def test_evaluations_are_swept_alike(command: Command, tmp_path: Path) -> None:
    given = ("-m", "encoder=hashing", "method=heuristic", "method.hops=2,0", f"hydra.sweep.dir={tmp_path}")
    ended = command("evaluate.py", *given, folder=tmp_path)
    assert ended.status == 1
    assert (
        "evaluate: Job 1 (method.hops=0) failed: 'method.hops' needs to be a whole number, at least 1 (got 0)."
        in ended.stderr
    )
    assert said(tmp_path / "0")["status"] == "finished"


COUNTING = """
import os
from joingr_pyg.encoders import HashingEncoder

class CountingEncoder(HashingEncoder):
    def _noted(self, kind, texts):
        with open(os.environ["COUNTED"], "a", encoding="utf-8") as file:
            file.writelines(f"{os.getpid()} {kind} {text!r}\\n" for text in texts)

    def encode_queries(self, texts):
        self._noted("query", texts)
        return super().encode_queries(texts)

    def encode_documents(self, texts):
        self._noted("document", texts)
        return super().encode_documents(texts)
"""


def test_two_processes_of_a_sweep_embed_each_text_once(tmp_path: Path) -> None:
    """With joblib, and a failing job among them."""
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    root = Path(__file__).parents[2]
    (tmp_path / "counting_encoder.py").write_text(COUNTING)
    environment = {
        **os.environ,
        "COUNTED": str(tmp_path / "counted"),
        "JOINGR_CACHE": str(tmp_path / "cache"),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(root)]),
    }
    options = ("encoder._target_=counting_encoder.CountingEncoder", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2")
    given = (*SMALL, *options, "model.anchors=1,2,0", "hydra.sweep.dir=swept")
    ended = subprocess.run(
        [sys.executable, str(root / "train.py"), "-m", *given],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1
    assert (
        "train: Job 2 (model.anchors=0) failed: 'model.anchors' needs to be a whole number, at least 1 (got 0)."
        in ended.stderr
    )
    assert [said(tmp_path / "swept" / number)["status"] for number in "012"] == ["finished", "finished", "failed"]
    encoded = [line.partition(" ")[2] for line in (tmp_path / "counted").read_text(encoding="utf-8").splitlines()]
    assert len(encoded) > 500
    assert len(set(encoded)) == len(encoded)


def test_a_search_maximises_and_goes_on_over_a_failed_trial(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    options = ("hydra/sweeper=search", "hydra.sweeper.n_trials=4", "hydra.sweeper.sampler.seed=1")
    ended = sweep(command, tmp_path, *options, "model.anchors=range(0,2)", "model.hops=1")
    status = [said(tmp_path / number)["status"] for number in "0123"]
    assert ended.status == 1
    assert set(status) == {"finished", "failed"}
    best = max(list(said(tmp_path / number)["metrics"].values() or [0])[-1] for number in "0123")
    (results,) = tmp_path.glob("optimization_results.yaml")
    assert f"best_value: {best}" in results.read_text()


def test_a_search_goes_on_where_it_ended(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    search = ("hydra/sweeper=search", "model.anchors=range(1,9)", "model.hops=1,2")
    assert sweep(command, tmp_path, *search, "hydra.sweeper.n_trials=2").status == 0
    before = [said(tmp_path / number)["overrides"] for number in "01"]
    assert sweep(command, tmp_path, *search, "hydra.sweeper.n_trials=3").status == 0
    after = [said(tmp_path / number) for number in "012"]
    assert [job["status"] for job in after] == ["skipped", "skipped", "finished"]
    assert [job["overrides"] for job in after[:2]] == before


def test_a_search_never_prefers_a_training_that_diverged(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    options = ("hydra/sweeper=search", "hydra.sweeper.n_trials=4", "hydra.sweeper.sampler.seed=1")
    ended = sweep(command, tmp_path, *options, "optimization.lr=choice(1e-3,1e30)", "model.hops=1")
    jobs = {number: said(tmp_path / number) for number in "0123"}
    assert ended.status == 1
    assert {job["status"] for job in jobs.values()} == {"finished", "failed"}
    for job in jobs.values():
        assert (job["status"] == "failed") == ("optimization.lr=1e+30" in job["overrides"])
        assert ("is not finite" in job["reason"]) == (job["status"] == "failed")
    assert "optimization.lr: 0.001" in (tmp_path / "optimization_results.yaml").read_text()


def test_a_search_without_a_finished_trial_says_so(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    ended = sweep(command, tmp_path, "hydra/sweeper=search", "hydra.sweeper.n_trials=2", "model.anchors=range(-2,0)")
    assert ended.status == 1
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "optimization_results.yaml").exists()


def test_a_study_in_a_file_goes_on(command: Command, tmp_path: Path) -> None:
    """The same command with one trial more: what is finished stays so, and one job is added."""
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    study = (f"hydra.sweeper.storage=sqlite:///{tmp_path / 'study.db'}", "hydra.sweeper.study_name=k1")
    given = ("-m", "encoder=hashing", "method=bm25", "method.k1=interval(0.5,2)", "hydra/sweeper=search", *study)
    folder = tmp_path / "swept"

    def run(trials: int) -> Any:
        options = (f"hydra.sweeper.n_trials={trials}", "hydra.sweeper.sampler.seed=null", f"hydra.sweep.dir={folder}")
        return command("evaluate.py", *given, *options, folder=folder)

    assert run(2).status == 0
    before = [said(folder / number) for number in "01"]
    again = run(3)
    assert (again.status, again.stderr) == (0, "")
    assert [said(folder / number) for number in "01"] == before
    assert said(folder / "2")["status"] == "finished"
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("overrides", "parts"),
    [
        (["hydra/launcher=slurm"], ["'srun'", "login node"]),
        (["hydra/sweeper=optuna"], ["hydra/sweeper=search", "hydra.sweeper.direction=maximize"]),
    ],
)
def test_what_cannot_begin_is_refused_in_one_sentence(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overrides: list[str], parts: list[str]
) -> None:
    pytest.importorskip("hydra_plugins.hydra_submitit_launcher")
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = sweep(command, tmp_path / "swept", *overrides, "model.anchors=2,3")
    assert ended.status == 2
    (sentence,) = ended.stderr.splitlines()
    assert all(part in sentence for part in ["train: ", *parts])
    assert not (tmp_path / "swept").exists()


@pytest.mark.parametrize(("launcher", "extra"), [("ray", "ray"), ("slurm", "sweep")])
def test_a_launcher_that_is_not_installed_says_how_to(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launcher: str, extra: str
) -> None:
    monkeypatch.setattr(multirun, "find_spec", lambda name: None if "ray" in name or "submitit" in name else name)
    ended = sweep(command, tmp_path, f"hydra/launcher={launcher}", "model.anchors=2,3")
    assert ended.status == 2
    assert f"train: hydra/launcher={launcher} needs " in ended.stderr
    assert f"'joingr-pyg[{extra}]'" in ended.stderr


def test_an_unknown_launcher_says_how_to_get_more(command: Command, tmp_path: Path) -> None:
    ended = sweep(command, tmp_path, "hydra/launcher=nothing", "model.anchors=2,3")
    assert ended.status == 2
    assert all(name in ended.stderr for name in ("basic", "ray", "slurm"))
    assert ended.stderr.splitlines()[-1].endswith("pip install 'joingr-pyg[sweep]'.")
