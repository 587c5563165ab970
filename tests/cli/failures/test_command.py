"""``joingr failures`` on a small cross-validation."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from joingr_pyg.cli.main import main

Command = Callable[..., Any]
Capture = pytest.CaptureFixture[str]

QUICK = (
    *("encoder=hashing", "encoder.dim=16", "model.hidden_channels=8", "model.anchors=1", "model.hops=2"),
    *("trainer.max_epochs=1", "ks=[1,3]"),
)


@pytest.fixture(scope="module")
def crossed(command: Command, beaver: Path) -> Any:
    return command("train.py", "experiment=beaver_cv", *QUICK, "folds=2", f"paths.data={beaver}")


def missed(questions: list[dict[str, Any]], k: int) -> list[tuple[int, str]]:
    return [
        (record["index"], table)
        for record in questions
        for table in sorted(set(record["gold"]) - {hit["table"] for hit in record["ranked"][:k]})
    ]


def test_every_missed_table_has_a_reason(crossed: Any, tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("matplotlib")
    assert main(["failures", str(crossed.folder), "--k", "3", "--write", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    with (tmp_path / "failures.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = missed(crossed.questions, 3)
    assert sorted((int(row["index"]), row["missed"]) for row in rows) == sorted(expected)
    assert all(row["reason"] for row in rows)
    assert f"{len({index for index, _ in expected})} of 8 questions miss a gold table at 3" in " ".join(shown.split())
    page = (tmp_path / "failures.md").read_text()
    assert sum(line.startswith(tuple(f"| {index} |" for index, _ in expected)) for line in page.splitlines()) >= len(
        rows
    )
    assert (tmp_path / "failures.png").read_bytes().startswith(b"\x89PNG")


def test_the_folder_may_have_moved(crossed: Any, tmp_path: Path, capsys: Capture) -> None:
    moved = copytree(crossed.folder, tmp_path / "moved")
    metrics = json.loads((moved / "metrics.json").read_text())
    metrics["checkpoints"] = [path.replace(str(crossed.folder), "/gone") for path in metrics["checkpoints"]]
    (moved / "metrics.json").write_text(json.dumps(metrics))
    assert main(["failures", str(moved), "--k", "3"]) == 0
    assert "shared out at hop 1" in capsys.readouterr().out


def test_what_was_trained_elsewhere_is_told_of_too(
    command: Command, trained: Any, beaver: Path, capsys: Capture
) -> None:
    small = ("encoder=hashing", "encoder.dim=16", f"paths.data={beaver}")
    ended = command("evaluate.py", f"checkpoint={trained.folder / 'best.ckpt'}", "dataset=beaver", *small)
    assert main(["failures", str(ended.folder), "--k", "1"]) == 0
    missing = len({index for index, _ in missed(ended.questions, 1)})
    assert f"{missing} of 8 questions" in " ".join(capsys.readouterr().out.split())


def test_without_a_checkpoint_there_is_nothing_to_tell(command: Command, capsys: Capture) -> None:
    ended = command("evaluate.py", "method=vanilla", "encoder=hashing", "encoder.dim=16")
    capsys.readouterr()
    assert main(["failures", str(ended.folder)]) == 2
    assert "has no checkpoint" in capsys.readouterr().err


def test_a_run_makes_nothing_but_parts_of_this_package(crossed: Any, tmp_path: Path, capsys: Capture) -> None:
    moved = copytree(crossed.folder, tmp_path / "moved")
    metrics = json.loads((moved / "metrics.json").read_text())
    metrics["config"]["encoder"] = {"_target_": "os.system", "command": "true"}
    (moved / "metrics.json").write_text(json.dumps(metrics))
    assert main(["failures", str(moved), "--k", "3"]) == 2
    assert "'os.system', which is not a class of this package" in capsys.readouterr().err


def test_no_more_tables_are_asked_for_than_were_kept(crossed: Any, capsys: Capture) -> None:
    assert main(["failures", str(crossed.folder)]) == 2
    assert "kept 3 tables a question: take no more than that, not 15" in capsys.readouterr().err
