"""Logs of offline W&B runs, read back from their files."""

import csv
import json
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("wandb")
pytest.importorskip("matplotlib")

import wandb
from PIL import Image
from wandb.proto.wandb_internal_pb2 import Record

from joingr_pyg.errors import JoinGRError
from joingr_pyg.training import weights_and_biases as module
from joingr_pyg.training.weights_and_biases import WeightsAndBiases

Command = Callable[..., Any]

SMALL = ("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "model.anchors=2", "model.hops=2")
QUICK = (*SMALL, "trainer.max_epochs=2", "logger=wandb", "progress=false")
SECRET, LOGIN = "correct-horse-battery", "reader:hunter2-hunter2"
METRICS = ["P@5", "R@5", "PR@5", "P@15", "R@15", "PR@15"]


@pytest.fixture(autouse=True)
def _nobody_logged_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A home folder without an API key, and no network."""
    wandb.teardown()  # A process reads W&B's settings once.
    for name in ("WANDB_MODE", "WANDB_API_KEY", "WANDB_IDENTITY_TOKEN_FILE", "WANDB_RUN_GROUP", "WANDB_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NETRC", str(tmp_path / "home/.netrc"))
    monkeypatch.setenv("WANDB_DATA_DIR", str(tmp_path / "staging"))
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WANDB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
    yield
    wandb.teardown()


def records(path: Path) -> Iterator[Record]:
    """The records of a run's file: LevelDB's log format with a header of its own."""
    content, position, partial_record = path.read_bytes(), 7, b""
    while position < len(content):
        left = 32768 - position % 32768
        if left < 7:
            position += left
            continue
        _, length, kind = struct.unpack_from("<IHB", content, position)
        partial_record += content[position + 7 : position + 7 + length]
        position += 7 + length
        if kind in (1, 4):  # A complete record, or its last part.
            yield Record.FromString(partial_record)
            partial_record = b""


def nested(items: Iterable[Any]) -> dict[str, Any]:
    """A nested dictionary of logged values; a later value of a key replaces an earlier one."""
    values: dict[str, Any] = {}
    for item in items:
        *above, last = item.nested_key or [item.key]
        inner = values
        for key in above:
            inner = inner.setdefault(key, {})
        inner[last] = json.loads(item.value_json)
    return values


class LoggedRun:
    """One offline run."""

    def __init__(self, path: Path) -> None:
        self.folder = path.parent
        self.records = list(records(path))
        (self.run,) = [record.run for record in self._with("run")][:1]
        self.config = {entry.key: json.loads(entry.value_json) for entry in self.run.config.update}
        self.history = [nested(record.history.item) for record in self._with("history")]
        self.summary = nested(item for record in self._with("summary") for item in record.summary.update)
        artifacts = [record.artifact for record in self._with("artifact")]
        artifacts += [record.request.log_artifact.artifact for record in self._with("request")]
        # W&B also stores each table as an artifact.
        self.models = [artifact for artifact in artifacts if artifact.type == "model"]
        self.exit = [record.exit.exit_code for record in self._with("exit")]

    def _with(self, field: str) -> list[Record]:
        return [record for record in self.records if record.HasField(field)]

    def values(self, name: str) -> list[Any]:
        return [row[name] for row in self.history if name in row]

    def table(self, name: str) -> list[dict[str, Any]]:
        (value,) = self.values(name)
        stored = json.loads((self.folder / "files" / value["path"]).read_text())
        return [dict(zip(stored["columns"], row, strict=True)) for row in stored["data"]]


def logged_runs(folder: Path) -> dict[str, LoggedRun]:
    """The offline runs of a folder by job type."""
    wandb.teardown()  # A run's file may be written some time after the run has ended.
    runs = [LoggedRun(path) for path in folder.glob("wandb/offline-run-*/run-*.wandb")]
    return {logged.run.job_type: logged for logged in runs}


@pytest.fixture
def ran(command: Command, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("WAREHOUSE_PASSWORD", SECRET)
    secrets = ("+warehouse.pass=${oc.env:WAREHOUSE_PASSWORD}", f"+warehouse.url='postgres://{LOGIN}@host/db'")
    return command("train.py", *QUICK, *secrets)


def test_an_offline_run_logs_everything_but_secrets(ran: Any) -> None:
    assert (ran.status, ran.stderr) == (0, "")
    upload = f"wandb sync {ran.folder}/wandb/offline-run-*"
    assert ran.stdout.splitlines()[-1] == f"The W&B run is stored offline; upload it with: {upload}"
    assert (ran.folder / "metrics.csv").is_file()
    runs = logged_runs(ran.folder)
    assert list(runs) == ["train"]
    train = runs["train"]
    assert (train.run.project, train.run.display_name, train.run.run_group) == (
        *("joingr", ran.folder.name, ran.folder.name),
    )
    assert train.exit == [0]
    # Config.
    assert train.config["model"]["anchors"] == 2
    assert train.config["dataset"]["train"] == "train"
    assert train.config["warehouse"] == {"pass": "***", "url": "postgres://***@host/db"}
    # Each epoch, as metrics.csv has it.
    assert train.values("epoch") == [0, 0, 1, 1]
    assert len(train.values("train/loss")) == len(train.values("val/loss")) == 2
    with (ran.folder / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    for name in ("train/loss", "val/loss", "val/PR@15"):
        assert train.values(name) == pytest.approx([float(row[name]) for row in rows if row[name]])
    for name in ("train/lr", "decay/hop_1", "decay/hop_2"):
        assert len(train.values(name)) == 2
        assert train.values(name) == pytest.approx([float(row[name]) for row in rows if row[name]])
    assert train.values("train/lr") == pytest.approx([0.001, 0.001])
    for name, metrics in ran.metrics["baselines"].items():
        for metric, value in metrics.items():
            assert train.values(f"baseline/{name}/{metric}") == [pytest.approx(value)]
    # Results.
    results = ran.metrics
    assert {name: train.summary[f"test/{name}"] for name in METRICS} == pytest.approx(results["metrics"])
    methods = {row.pop("method"): row for row in train.table("methods")}
    assert list(methods) == ["vanilla", "heuristic", "joingr"]
    assert {name: methods["joingr"][name] for name in METRICS} == pytest.approx(results["metrics"])
    assert {name: methods["vanilla"][name] for name in METRICS} == pytest.approx(results["baselines"]["vanilla"])
    assert methods["joingr"]["questions/s"] > 0
    questions = train.table("questions")
    assert [row["question"] for row in questions] == [record["question"] for record in ran.questions]
    # Walks of fixed questions.
    (walks,) = train.values("walks")
    assert walks["captions"] == ["Question 0", "Question 45", "Question 90", "Question 135"]
    for name in walks["filenames"]:
        picture = Image.open(train.folder / "files" / name)
        assert picture.size[0] > 1000
        assert len(set(picture.convert("L").resize((60, 40)).tobytes())) > 5
    # The checkpoint.
    (artifact,) = train.models
    assert artifact.name == f"{train.run.run_id}-model"
    (entry,) = [content for content in artifact.manifest.contents if content.path == "best.ckpt"]
    assert entry.size == (ran.folder / "best.ckpt").stat().st_size
    # Secrets.
    for path in ran.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert SECRET.encode() not in content, path
            assert LOGIN.partition(":")[2].encode() not in content, path


def test_a_question_lists_the_ranks_of_its_gold_tables() -> None:
    record = {
        "gold": ["a.x", "a.y", "a.z"],
        "ranked": [{"table": "a.y", "score": 2.0}, {"table": "b.q", "score": 1.0}, {"table": "a.x", "score": 0.5}],
    }
    assert module._gold_ranks(record, 3) == ["3", "1", ">3"]


def test_a_cross_validation_makes_one_run_per_fold_and_a_summary_run(command: Command, beaver: Path) -> None:
    options = ("experiment=beaver_cv", *QUICK, "folds=2", "ks=[1,3]", f"paths.data={beaver}", "logger.group=mine")
    ended = command("train.py", *options)
    assert (ended.status, ended.stderr) == (0, "")
    runs = logged_runs(ended.folder)
    assert sorted(runs) == ["fold_0", "fold_1", "summary"]
    assert {logged.run.run_group for logged in runs.values()} == {"mine"}
    results = ended.metrics
    captions: list[str] = []
    for number in (0, 1):
        fold = runs[f"fold_{number}"]
        assert len(fold.values("train/loss")) == 2
        assert fold.summary["test/R@3"] == pytest.approx(results["folds"][number]["R@3"])
        (artifact,) = fold.models
        assert [content.path for content in artifact.manifest.contents] == ["last.ckpt"]
        captions += [caption for walks in fold.values("walks") for caption in walks["captions"]]
    # Each question is drawn by the model that was not trained on it.
    assert sorted(captions) == ["Question 0", "Question 2", "Question 4", "Question 6"]
    summary = runs["summary"]
    assert summary.summary["test/R@3"] == pytest.approx(results["metrics"]["R@3"])
    assert summary.summary["test_spread/R@3"] == pytest.approx(results["spread"]["R@3"])
    assert [row["index"] for row in summary.table("questions")] == list(range(8))
    assert summary.table("methods")[-1]["± R@3"] == pytest.approx(results["spread"]["R@3"])


def test_a_sweep_is_a_group(command: Command, tmp_path: Path) -> None:
    sweep = tmp_path / "anchors"
    options = [option for option in QUICK if "anchors" not in option]
    ended = command("train.py", "-m", *options, "logger.walks=0", "model.anchors=1,3", f"hydra.sweep.dir={sweep}")
    assert ended.status == 0
    runs = [logged_runs(sweep / job)["train"] for job in ("0", "1")]
    assert [logged.run.run_group for logged in runs] == ["anchors"] * 2
    assert [logged.config["model"]["anchors"] for logged in runs] == [1, 3]
    for number, logged in enumerate(runs):
        assert logged.run.display_name.startswith(f"{number} encoder=hashing ")
        assert logged.run.display_name.endswith(f" model.anchors={(1, 3)[number]}")
        assert "paths" not in logged.run.display_name
        assert logged.values("walks") == []


def test_a_failed_run_is_finished_as_failed(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.WeightsAndBiases, "log_test", lambda *_: 1 / 0)
    ended = command("train.py", *QUICK)
    assert ended.status == 1
    assert wandb.run is None
    assert logged_runs(ended.folder)["train"].exit == [1]


def test_the_user_s_mode_takes_precedence(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "disabled")
    ended = command("train.py", *QUICK)
    assert (ended.status, ended.stderr) == (0, "")
    assert not list(ended.folder.glob("wandb/*run*"))
    assert "wandb sync" not in ended.stdout


def test_a_run_is_stored_offline_if_the_server_cannot_be_reached(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    init, modes = wandb.init, []

    def fail_online(mode: str, **options: Any) -> Any:
        modes.append(mode)
        if mode == "online":
            raise wandb.errors.CommError("no route to\nhost")
        return init(mode=mode, **options)

    monkeypatch.setattr(wandb, "init", fail_online)
    monkeypatch.setattr(wandb, "login", lambda **_: True)
    ended = command("train.py", *QUICK, "logger.walks=0")
    assert ended.status == 0
    assert modes == ["online", "offline"]
    assert "W&B cannot be reached (no route to host): the run is stored offline." in ended.stdout
    assert list(logged_runs(ended.folder)) == ["train"]


@pytest.mark.parametrize("package", ["wandb", "matplotlib"])
def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == package else object())
    with pytest.raises(JoinGRError, match=rf"logger=wandb needs '{package}'.* 'joingr-pyg\[wandb\]'"):
        WeightsAndBiases()


def test_a_negative_number_of_walks_is_refused() -> None:
    with pytest.raises(JoinGRError, match=r"'logger.walks' needs to be at least 0 \(got -1\)"):
        WeightsAndBiases(walks=-1)
