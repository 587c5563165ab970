"""The record of each job of a sweep, and the table that is printed when the sweep ends."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.table import Table

from joingr_pyg.runs.files import write_text
from joingr_pyg.terminal import cell

JOB = "job.json"
ERROR = "error.txt"

RUNNING, FINISHED, SKIPPED, FAILED = "running", "finished", "skipped", "failed"


@dataclass(frozen=True)
class Job:
    """One job of a sweep, as ``job.json`` in its folder records it.

    Args:
        sweep: Identity of the sweep; a repeated sweep is another.
        number: The job's number in the sweep.
        overrides: The job's overrides, such as ``model.hops=3``.
        status: ``"running"``, ``"finished"``, ``"skipped"`` or ``"failed"``.
        reason: Why it failed, in one sentence.
        seconds: How long it took.
        metrics: Its metrics, where it has any.
        folder: The job's folder.
    """

    sweep: str
    number: int
    overrides: tuple[str, ...]
    status: str = RUNNING
    reason: str = ""
    seconds: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    folder: Path = Path()

    @property
    def done(self) -> bool:
        """Whether its folder holds results."""
        return self.status in (FINISHED, SKIPPED)


def write_job(job: Job) -> None:
    """Write the record of a job into its folder."""
    record = asdict(job)
    del record["folder"]
    write_text(job.folder / JOB, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def read_job(folder: Path) -> Job | None:
    """The record of the job in a folder, or ``None`` where there is no readable one."""
    try:
        record = json.loads((folder / JOB).read_text(encoding="utf-8"))
        record["overrides"] = tuple(record["overrides"])
        return Job(**record, folder=folder)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def read_jobs(folder: Path, sweep: str | None = None) -> list[Job]:
    """The jobs whose records lie anywhere below a folder, by number; those of one sweep where it is named."""
    records = (read_job(path.parent) for path in folder.rglob(JOB))
    jobs = [job for job in records if job is not None and sweep in (None, job.sweep)]
    return sorted(jobs, key=lambda job: (job.number, str(job.folder)))


def differing(jobs: Sequence[Job]) -> list[tuple[str, ...]]:
    """The overrides of each job that it does not share with all the others."""
    shared = set.intersection(*(set(job.overrides) for job in jobs)) if len(jobs) > 1 else set()
    return [tuple(override for override in job.overrides if override not in shared) for job in jobs]


def jobs_table(jobs: Sequence[Job]) -> Table:
    """A table with one line for each job: its overrides, its status and its last metric."""
    done = sum(job.done for job in jobs)
    table = Table(title=f"{done} of {len(jobs)} jobs have results", title_justify="left")
    metrics = list(dict.fromkeys(name for job in jobs for name in list(job.metrics)[-1:]))
    table.add_column("job", justify="right")
    table.add_column("overrides", overflow="fold")
    table.add_column("status")
    for name in metrics:
        table.add_column(name, justify="right")
    table.add_column("seconds", justify="right")
    for job, overrides in zip(jobs, differing(jobs), strict=True):
        values = [f"{job.metrics[name]:.3f}" if name in job.metrics else "" for name in metrics]
        seconds = "" if job.seconds is None else f"{job.seconds:,.1f}"
        status = job.status if job.status != RUNNING else "not finished"
        style = None if job.done else "bold red"
        table.add_row(str(job.number), cell(" ".join(overrides)), status, *values, seconds, style=style)
    return table


def failures(jobs: Sequence[Job]) -> list[str]:
    """A sentence for each job without results: its number and overrides, the reason, the folder."""
    return [
        f"Job {job.number} ({' '.join(overrides)}) "
        + (f"failed: {job.reason}" if job.status == FAILED else "has not finished.")
        + f" Its folder: {job.folder}"
        for job, overrides in zip(jobs, differing(jobs), strict=True)
        if not job.done
    ]
