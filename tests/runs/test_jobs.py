import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from joingr_pyg.runs.jobs import Job, failures, jobs_table, read_job, read_jobs, write_job


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    return [
        Job("a", 0, ("seed=0", "hops=1"), "finished", seconds=1.25, metrics={"R@5": 0.1, "PR@5": 0.5}, folder=tmp_path),
        Job("a", 1, ("seed=0", "hops=2"), "skipped", metrics={"R@5": 0.1, "PR@5": 0.25}, folder=tmp_path / "1"),
        Job("a", 2, ("seed=0", "hops=0"), "failed", "Too few hops.", 0.5, folder=tmp_path / "2"),
        Job("a", 10, ("seed=0", "hops=[3]"), folder=tmp_path / "10"),
    ]


def test_records_are_read_as_they_were_written(jobs: list[Job], tmp_path: Path) -> None:
    for job in reversed(jobs):
        write_job(job)
    assert read_jobs(tmp_path) == jobs
    assert read_jobs(tmp_path, "a") == jobs
    assert read_jobs(tmp_path, "b") == []
    assert read_job(tmp_path / "1") == jobs[1]
    assert "folder" not in json.loads((tmp_path / "1/job.json").read_text())


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"overrides": 3}', '{"overrides": [], "colour": 1}'])
def test_what_is_no_record_is_none(tmp_path: Path, content: str) -> None:
    assert read_job(tmp_path) is None
    (tmp_path / "job.json").write_text(content)
    assert read_job(tmp_path) is None
    assert read_jobs(tmp_path) == []


def test_the_table_tells_what_became_of_each_job(jobs: list[Job]) -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(jobs_table(jobs))
    lines = [line.replace("│", " ").split() for line in console.export_text().splitlines()]
    assert lines[0] == ["2", "of", "4", "jobs", "have", "results"]
    assert lines[4:8] == [
        ["0", "hops=1", "finished", "0.500", "1.2"],
        ["1", "hops=2", "skipped", "0.250"],
        ["2", "hops=0", "failed", "0.5"],
        ["10", "hops=[3]", "not", "finished"],
    ]


def test_jobs_without_results_are_named(jobs: list[Job], tmp_path: Path) -> None:
    assert failures(jobs) == [
        f"Job 2 (hops=0) failed: Too few hops. Its folder: {tmp_path / '2'}",
        f"Job 10 (hops=[3]) has not finished. Its folder: {tmp_path / '10'}",
    ]
    assert failures(jobs[2:3]) == [f"Job 2 (seed=0 hops=0) failed: Too few hops. Its folder: {tmp_path / '2'}"]
