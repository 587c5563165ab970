import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_two_at_once_get_what_one_gets(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    if not Path("/proc/self/status").is_file():
        pytest.skip("memory is read from /proc, which is not here")
    command = [sys.executable, "benchmarks/load.py", "--encoder", "hashing", "--questions", "40", "--at-once", "2"]
    run = subprocess.run(
        [*command, "--json", str(tmp_path / "load.json")],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    report = json.loads((tmp_path / "load.json").read_text())
    assert [row["way"] for row in report["rows"]] == ["threads", "processes", "http", "stdio"]
    for row in report["rows"]:
        assert (row["questions"], row["wrong"]) == (40, 0)
        assert 0 < row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"] <= row["most_ms"]
        assert len(row["memory_mb"]) == 2
