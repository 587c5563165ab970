"""A run of the walk benchmark on the bundled demo, small enough to say only that it works."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FIELDS = {"dataset", "method", "mode", "batch", "threads", "questions_per_s", "ratio_to_literal", "peak_mb"}


def run(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / "walk.py"), *arguments],
        env={"JOINGR_CACHE": str(cache), "PATH": "", "HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_rows(tmp_path: Path) -> None:
    file = tmp_path / "walk.json"
    options = ["--datasets", "demo", "--batches", "1", "3", "--rounds", "1", "--threads", "1", "--json", str(file)]
    result = run(*options, "--methods", "literal", "joinwalk", cache=tmp_path)
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())["rows"]
    assert all(set(row) == FIELDS for row in rows)
    cells = [(row["mode"], row["batch"], row["method"]) for row in rows]
    assert cells == [
        (mode, batch, method) for mode in ("eval", "train") for batch in (1, 3) for method in ("literal", "joinwalk")
    ]
    assert {(row["dataset"], row["threads"]) for row in rows} == {("demo", 1)}
    speed = {cell: row["questions_per_s"] for cell, row in zip(cells, rows, strict=True)}
    for row in rows:
        own, yardstick = speed[row["mode"], row["batch"], row["method"]], speed[row["mode"], row["batch"], "literal"]
        assert row["ratio_to_literal"] == pytest.approx(own / yardstick)
        assert row["peak_mb"] is None or row["peak_mb"] >= 0
    assert speed["eval", 1, "literal"] > 0
    assert "x literal" in result.stdout


def test_retrieval_with_both_models(tmp_path: Path) -> None:
    file = tmp_path / "walk.json"
    options = ["--datasets", "demo", "--batches", "2", "--rounds", "1", "--threads", "1", "--json", str(file)]
    methods = ["retriever", "retriever_plus", "retriever_plus_new"]
    result = run(*options, "--methods", *methods, cache=tmp_path)
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())["rows"]
    assert [(row["mode"], row["method"]) for row in rows] == [("eval", method) for method in methods]
    assert all(set(row) == FIELDS and row["questions_per_s"] > 0 for row in rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--datasets", "beaver"], "walk.py: Dataset 'beaver' is read from the folder that the environment variable"),
        (["--datasets", "demo", "--json", "nowhere/walk.json"], "walk.py: The folder 'nowhere' of the file to write"),
        (["--rounds", "0"], "needs to be a whole number of at least 1 (got '0')"),
        (["--methods", "magic"], "invalid choice: 'magic'"),
    ],
)
def test_bad_options(tmp_path: Path, options: list[str], message: str) -> None:
    result = run(*options, cache=tmp_path)
    assert result.returncode != 0
    assert message in result.stderr
    assert "Traceback" not in result.stderr
