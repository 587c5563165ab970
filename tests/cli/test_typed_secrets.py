"""What is typed and secret is kept in no file of a run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra.utils import get_class

from joingr_pyg.cli.typed_secrets import typed_secrets

Command = Callable[..., Any]

SMALL = ("encoder=hashing", "encoder.dim=16")
TYPED = (
    "+my.api_key=typed-secret-1",
    "+my.database=postgresql://me:typed-secret-2@host/db",
    "+my.more={password: typed-secret-3, port: 1}",
    "+my.quoted.password='typed-secret-4, and more'",
    "+my.pin.password=9182736450",
    '+my.raw="postgresql://me:a@typed-secret-5/b@host/db"',
    '+my.query="postgresql://host/db?user=me&password=typed-secret-6"',
    '+my.dsn="host=h password=typed-secret-7 dbname=d"',
    "+my.db_pass=typed-secret-8",
    "+my.pwd=typed-secret-9",
)


def assert_clean(folder: Path) -> None:
    for path in filter(Path.is_file, folder.rglob("*")):
        content = path.read_bytes()
        assert b"typed-secret" not in content, path
        assert b"9182736450" not in content, path


def test_overrides_tell_their_secrets() -> None:
    assert typed_secrets(TYPED) == {
        *("typed-secret-4, and more", "9182736450", "a@typed-secret-5/b"),
        *(f"typed-secret-{number}" for number in (1, 2, 3, 6, 7, 8, 9)),
    }
    assert typed_secrets(["a.password=one,two", "~a.token", "model.hops=range(1,3)", "b=interval(0,1)"]) == {
        "one",
        "two",
    }


def test_a_run_keeps_none(command: Command) -> None:
    ended = command("evaluate.py", "method=vanilla", *SMALL, *TYPED)
    assert (ended.status, ended.stderr) == (0, "")
    assert_clean(ended.folder)
    assert yaml.safe_load((ended.folder / ".hydra" / "overrides.yaml").read_text())[:8] == [
        *("method=vanilla", *SMALL, "+my.api_key=***", "+my.database=postgresql://***@host/db"),
        *("+my.more={password: ***, port: 1}", "+my.quoted.password=***", "+my.pin.password=***"),
    ]
    assert "password: '***'" in (ended.folder / ".hydra" / "config.yaml").read_text()
    records = yaml.safe_load((ended.folder / ".hydra" / "hydra.yaml").read_text())["hydra"]
    assert "+my.api_key=***,+my.database=postgresql://***@host/db," in records["job"]["override_dirname"]


def test_a_sweep_of_submitit_keeps_none(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("hydra_plugins.hydra_submitit_launcher")
    swept = ("hydra/launcher=submitit_local", "hydra.launcher.timeout_min=5", f"hydra.sweep.dir={tmp_path}")
    ended = command("evaluate.py", "-m", "method=vanilla", *swept, *SMALL, *TYPED, folder=tmp_path)
    assert ended.status == 0
    assert (tmp_path / "0" / "metrics.json").is_file()
    assert list(tmp_path.glob(".submitit/*/*.out"))
    assert_clean(tmp_path)


def test_a_sentence_holds_none(command: Command) -> None:
    ended = command("evaluate.py", "method=vanilla", *SMALL, *TYPED, "dataset.test=typed-secret-1")
    assert ended.status == 2
    assert "Dataset 'demo' has no split '***'" in ended.stderr


def test_records_without_secrets_stay_as_they_are(command: Command) -> None:
    ended = command("evaluate.py", "method=vanilla", *SMALL)
    assert "root: ${paths.data}" in (ended.folder / ".hydra" / "config.yaml").read_text()
    assert "***" not in "".join(path.read_text() for path in (ended.folder / ".hydra").iterdir())


def test_a_sweep_keeps_none(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ConnectionError("postgresql://me:typed-secret-2@host/db refuses typed-secret-1")

    monkeypatch.setattr(get_class("joingr_pyg.models.baselines.bm25.BM25"), "rank", broken)
    swept = ("method=vanilla,bm25", f"hydra.sweep.dir={tmp_path}")
    ended = command("evaluate.py", "-m", *swept, *SMALL, *TYPED, folder=tmp_path)
    assert ended.status == 1
    assert (tmp_path / "0" / "metrics.json").is_file()
    assert "ConnectionError: postgresql://***@host/db refuses ***" in (tmp_path / "1" / "error.txt").read_text()
    assert "+my.api_key=***" in (tmp_path / "multirun.yaml").read_text()
    assert_clean(tmp_path)


def test_a_sweep_that_never_began_keeps_none(command: Command, tmp_path: Path) -> None:
    swept = ("method=vanilla,nowhere", f"hydra.sweep.dir={tmp_path}")
    assert command("evaluate.py", "-m", *swept, *SMALL, *TYPED, folder=tmp_path).status == 2
    assert [path.name for path in tmp_path.iterdir()] == ["multirun.yaml"]
    assert_clean(tmp_path)
