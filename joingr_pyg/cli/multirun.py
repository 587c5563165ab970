"""Jobs of a multirun: a failed job stops no other, failures are listed at the end, finished jobs are not repeated."""

import json
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, cast
from uuid import uuid4

from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback
from hydra.types import RunMode, TaskFunction
from omegaconf import DictConfig, OmegaConf

from joingr_pyg.cli.bad_input import sentence
from joingr_pyg.cli.command_line import plain_errors, report
from joingr_pyg.cli.typed_secrets import mask_records, masked_records, typed_overrides, typed_secrets
from joingr_pyg.errors import JoinGRError, MissingPackageError
from joingr_pyg.progress import progress
from joingr_pyg.runs.comparison import show
from joingr_pyg.runs.files import METRICS, effective, flat, write_text
from joingr_pyg.runs.jobs import (
    ERROR,
    FAILED,
    FINISHED,
    SKIPPED,
    Job,
    failures,
    jobs_table,
    read_job,
    read_jobs,
)
from joingr_pyg.runs.jobs import write_job as write
from joingr_pyg.runs.secrets import without_secrets
from joingr_pyg.training.processes import is_rank_zero

MULTIRUN = "multirun.yaml"

Task = Callable[[DictConfig, Path], Mapping[str, Any]]


def run_job(command: str, task: Task, cfg: DictConfig) -> float | None:
    """Run a command's task in the folder that Hydra made for it.

    In a single run, bad input ends the command. In a multirun, an error ends its job only: ``job.json`` in the job's
    folder holds the reason and, for an error that is not bad input, ``error.txt`` holds the traceback. A job whose
    folder already holds its results, from an earlier start of the same sweep, is skipped.

    Args:
        command: Name of the command, for messages.
        task: Does the work, leaves its files in the folder and returns what ``metrics.json`` says.
        cfg: The config.

    Returns:
        The last metric, for sweepers that optimise it; ``None`` where there is none or the job failed.
    """
    hydra = HydraConfig.get()
    folder = Path(hydra.runtime.output_dir)
    if hydra.mode is not RunMode.MULTIRUN:
        with plain_errors(command, typed_overrides(hydra)), progress(cfg.progress and is_rank_zero()):
            return _last(task(cfg, folder)["metrics"])

    secrets = typed_secrets(hydra.overrides.task)
    overrides = tuple(without_secrets(list(hydra.overrides.task), secrets))
    job = read_job(folder) or Job("", hydra.job.num, overrides, folder=folder)
    start = time.perf_counter()
    try:
        metrics = _finished(folder, cfg)
        if metrics is None:
            (folder / ERROR).unlink(missing_ok=True)
            with progress(cfg.progress and is_rank_zero()):
                job = replace(job, status=FINISHED, metrics=dict(task(cfg, folder)["metrics"]))
        else:
            print(f"Job {job.number} finished before and is skipped: its results are in {folder}")
            job = replace(job, status=SKIPPED, metrics=metrics)
    except (Exception, SystemExit) as error:
        reason = sentence(error)
        if reason is None:
            write_text(folder / ERROR, without_secrets("".join(traceback.format_exception(error)), secrets))
            reason = f"{' '.join(str(error).split()) or 'no message'} ({type(error).__name__}, see {ERROR})."
        reason = without_secrets(reason, secrets)
        job = replace(job, status=FAILED, reason=reason)
        report(command, f"Job {job.number} failed: {reason}")
    if not is_rank_zero():
        return None
    if job.status != SKIPPED:
        job = replace(job, seconds=round(time.perf_counter() - start, 3))
    write(job)
    return _last(job.metrics)


def _last(metrics: Mapping[str, float]) -> float | None:
    return next(reversed(list(metrics.values())), None)


def _finished(folder: Path, cfg: DictConfig) -> dict[str, float] | None:
    """The metrics of a finished run of this config in this folder; ``None`` if the folder holds no results."""
    try:
        summary = json.loads((folder / METRICS).read_text(encoding="utf-8"))
        metrics, before = summary["metrics"], dict(flat(effective(summary["config"])))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise JoinGRError(f"'{folder / METRICS}' was not written by this command: move it away.") from error
    now = dict(flat(effective(cast(dict[str, Any], OmegaConf.to_container(cfg, resolve=True)))))
    others = [key for key in {**now, **before} if (key in now, now.get(key)) != (key in before, before.get(key))]
    if others:
        raise JoinGRError(
            f"'{folder}' holds the results of another configuration, which differs in {others[0]}"
            + (f" and {len(others) - 1} other keys" if others[1:] else "")
            + ": choose another folder with hydra.sweep.dir=<folder>."
        )
    return metrics


class Sweep(Callback):
    """Marks the jobs of one multirun with its identity, and keeps secrets out of the files that Hydra writes.

    ``hydra.callbacks`` of the commands' configs name it.
    """

    begun: ClassVar["Sweep | None"] = None
    """The multirun of this process."""

    def __init__(self) -> None:
        self.identity = uuid4().hex
        self.folder = Path()
        self.record: str | None = None
        """``multirun.yaml`` without secrets, where there are any."""
        self.secrets: set[str] = set()

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Keep the sweep, and refuse a launcher that cannot run and a sweeper that would minimise.

        Raises:
            SystemExit: If a launcher or sweeper is refused.
        """
        refusal = _refusal(config.hydra)
        if refusal is not None:
            report(config.hydra.job.name, refusal)
            raise SystemExit(2)
        self.folder = Path(config.hydra.sweep.dir)
        self.record = masked_records(config).get(MULTIRUN)
        self.secrets = typed_secrets(typed_overrides(config.hydra))
        Sweep.begun = self

    def on_job_start(self, config: DictConfig, *, task_function: TaskFunction, **kwargs: Any) -> None:
        """Record that a job has begun. A job that is killed leaves no other record."""
        mask_records(config)
        if config.hydra.mode is RunMode.MULTIRUN and is_rank_zero():
            self.mask_record()
            typed = list(config.hydra.overrides.task)
            overrides = tuple(without_secrets(typed, typed_secrets(typed)))
            write(Job(self.identity, config.hydra.job.num, overrides, folder=Path(config.hydra.runtime.output_dir)))

    def mask_record(self) -> None:
        """Replace the ``multirun.yaml`` that Hydra writes before the first job by the masked one."""
        if self.record is not None and (self.folder / MULTIRUN).is_file():
            write_text(self.folder / MULTIRUN, self.record)

    def remove_handed_over(self) -> None:
        """Remove the files by which submitit handed secrets to jobs, which have all ended."""
        held = [secret.encode() for secret in self.secrets if secret]
        for path in (self.folder / ".submitit").rglob("*") if held else ():
            if path.is_file() and not path.is_symlink() and any(secret in path.read_bytes() for secret in held):
                path.unlink()


def _refusal(hydra: DictConfig) -> str | None:
    """Why a multirun cannot begin."""
    for kind in ("launcher", "sweeper"):
        *modules, name = hydra[kind]["_target_"].split(".")
        library, extra = ("ray", "ray") if name == "RayLauncher" else (".".join(modules[:2]), "sweep")
        if not _installed(library):
            choice = f"hydra/{kind}={hydra.runtime.choices[f'hydra/{kind}']}"
            return str(MissingPackageError(choice, library, extra))
        if name == "SlurmLauncher" and shutil.which("srun") is None:
            return "There is no 'srun' here: start a sweep with hydra/launcher=slurm on a login node of the cluster."
        if name in ("OptunaSweeper", "StudySweeper") and "minimize" in str(hydra.sweeper.direction):
            return (
                "hydra/sweeper=optuna minimises, but larger metrics are better: use hydra/sweeper=search, "
                "or add hydra.sweeper.direction=maximize."
            )
    return None


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@contextmanager
def named_failures(command: str) -> Iterator[None]:
    """Show all jobs of a multirun when it ends, however it ends, and fail if one of them has no results.

    Args:
        command: Name of the command, which sentences start with.

    Raises:
        SystemExit: With status 1, if a job failed.
    """
    Sweep.begun = None
    early = True
    try:
        yield
        early = False
    finally:
        sweep, Sweep.begun = Sweep.begun, None
        if sweep is not None and is_rank_zero():
            sweep.mask_record()
            sweep.remove_handed_over()
        jobs: list[Job] = [] if sweep is None else read_jobs(sweep.folder, sweep.identity)
        if sweep is not None and jobs and is_rank_zero():
            sys.stdout.flush()
            show(jobs_table(jobs))
            print(f"All in one table: joingr compare {sweep.folder}")
            for failure in failures(jobs):
                report(command, failure)
            if early:
                report(command, "The sweep ended early: jobs that the table does not list have not begun.")
            if early or not all(job.done for job in jobs):
                report(command, f"The same command with hydra.sweep.dir={sweep.folder} runs only jobs without results.")
    if not all(job.done for job in jobs):
        raise SystemExit(1)
