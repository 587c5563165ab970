import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEYS = {"tables", "columns", "build_s", "walk_ms", "question_ms", "exact_question_ms", "anchor_recall", "peak_gb"}


def test_a_tiny_run_writes_its_rows_and_the_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows_file, figure = tmp_path / "rows.json", tmp_path / "scale.png"
    command = [sys.executable, "benchmarks/scale.py", "--tables", "30", "90", "--questions", "3", "--threads", "1"]
    command += ["--answered-tables", "40", "--plus-tables", "30", "--memory-tables", "30"]
    run = subprocess.run(
        [*command, "--json", str(rows_file), "--plot", str(figure)], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "From 30 to 30 tables, a walk's time grows" in run.stdout
    report = json.loads(rows_file.read_text())
    rows = report["rows"]
    kinds = [(row["model"], row["storage"], row["actors"], row["tables"]) for row in rows]
    assert kinds == [("joingr", "memory", 0, 30), ("joingr_plus", "memory", 0, 30), ("joingr", "disk", 0, 90)]
    for row in rows:
        keys = KEYS if row["storage"] == "memory" else KEYS - {"exact_question_ms"} | {"open_s"}
        assert row.keys() >= keys
        assert all(row[key] > 0 for key in keys)
        # Fewer clusters than an index looks into: nothing is missed.
        assert row["anchor_recall"] == 1
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert [(row["model"], row["tables"]) for row in report["answers"]] == [("joingr_plus", 40), ("joingr", 40)]
    for row in report["answers"]:
        assert row["ratio"] == row["retrieve_ms"] / row["rank_ms"] > 0
