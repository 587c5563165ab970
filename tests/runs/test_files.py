import json
import os
from pathlib import Path
from typing import Any

import pytest

from joingr_pyg.runs.files import effective, flat, training_of, write_metrics, write_questions, write_text


def test_metrics_are_readable_json_in_a_new_folder(tmp_path: Path) -> None:
    metrics = {"dataset": "demo", "metrics": {"P@5": 0.25}, "note": "名"}
    path = write_metrics(tmp_path / "a" / "b", metrics)
    assert path == tmp_path / "a" / "b" / "metrics.json"
    assert json.loads(path.read_text(encoding="utf-8")) == metrics
    assert list(json.loads(path.read_text(encoding="utf-8"))) == ["dataset", "metrics", "note"]
    assert "名" in path.read_text(encoding="utf-8")


def test_a_config_without_what_changes_no_result() -> None:
    config = {"model": {"hops": 2, "sizes": (1, 2)}, "resume": True, "paths": {"cache": "a"}, "progress": False}
    assert effective(config) == {"model": {"hops": 2, "sizes": [1, 2]}}
    assert dict(flat(effective(config))) == {"model.hops": 2, "model.sizes": [1, 2]}


def test_what_was_known_of_the_schemas_is_said_once_and_of_earlier_runs_too() -> None:
    usual = {"words": "none", "cryptic_names": False, "expand_names": False}
    earlier = {"dataset": {"source": {"strict": False}, "train": "dev"}}
    assert effective(earlier) == {"dataset": {"source": {"strict": False}, "train": "dev", **usual}}
    plain = {"dataset": {"source": {"strict": False, "words": "none"}, "train": "dev", "words": "none"}}
    assert effective(plain) == effective(earlier)
    apart = {"dataset": {"source": {"strict": False, "words": "full"}, "train": "dev", "words": "none"}}
    assert effective(apart)["dataset"] == {"source": {"strict": False}, "train": "dev", **usual, "words": "full"}
    assert earlier == {"dataset": {"source": {"strict": False}, "train": "dev"}}


def test_questions_are_a_line_each_whatever_they_hold(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"index": 0, "question": "two\nlines\u2028and more"},
        {"index": 1, "question": '"名"', "ranked": [{"table": "a.b", "score": -0.5}]},
    ]
    path = write_questions(tmp_path, iter(records))
    assert path.name == "questions.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    assert [json.loads(line) for line in lines[:-1]] == records
    assert lines[-1] == ""
    assert write_questions(tmp_path, []).read_text() == ""


def test_a_checkpoint_knows_the_command_of_its_training(tmp_path: Path) -> None:
    write_metrics(tmp_path / "run", {"overrides": ["dataset=bird", "seed=1"]})
    for place in ("best.ckpt", "fold_2/last.ckpt"):
        assert training_of(tmp_path / "run" / place) == {"overrides": ["dataset=bird", "seed=1"]}
    assert training_of(tmp_path / "elsewhere" / "best.ckpt") == {}
    write_metrics(tmp_path / "older", {"metrics": {}})
    assert training_of(tmp_path / "older" / "best.ckpt") == {}


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "x" * 10_000)
    write_text(tmp_path / "a.txt", "short")
    assert (tmp_path / "a.txt").read_text() == "short"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text(tmp_path / "a.txt", "old")

    def fail(number: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_text(tmp_path / "a.txt", "new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.txt", b"old")]


def test_others_may_read_the_results(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        assert write_metrics(tmp_path, {}).stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)
