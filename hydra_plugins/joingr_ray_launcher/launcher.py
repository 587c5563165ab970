"""Jobs of a multirun as tasks of Ray."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from hydra.core.hydra_config import HydraConfig
from hydra.core.singleton import Singleton
from hydra.core.utils import JobReturn, JobStatus, configure_log, filter_overrides, run_job, setup_globals
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict

logger = logging.getLogger(__name__)


class RayLauncher(Launcher):
    """Runs each job as one Ray task, as many at a time as their resources allow.

    Args:
        init: Arguments of ``ray.init``; ``address: auto`` is the cluster that is running.
        remote: Arguments of ``ray.remote``: the resources of a job.
    """

    def __init__(self, init: DictConfig, remote: DictConfig) -> None:
        self.init = cast(dict[str, Any], OmegaConf.to_container(init, resolve=True))
        self.remote = cast(dict[str, Any], OmegaConf.to_container(remote, resolve=True))

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self.hydra_context = hydra_context
        self.task_function = task_function
        self.config = config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs; one whose process dies returns nothing, and the others go on."""
        import ray  # Plugins are imported by every command.

        setup_globals()
        configure_log(self.config.hydra.hydra_logging, self.config.hydra.verbose)
        Path(self.config.hydra.sweep.dir).mkdir(parents=True, exist_ok=True)
        started = not ray.is_initialized()
        if started:
            ray.init(**self.init)
        try:
            # Other jobs' results are kept where one dies, and what killed it would kill it again.
            task = ray.remote(max_retries=0, **self.remote)(_run)
            state = Singleton.get_state()
            jobs = []
            for number, overrides in enumerate(job_overrides, initial_job_idx):
                logger.info("\t#%d : %s", number, " ".join(filter_overrides(overrides)))
                jobs.append(
                    task.remote(self.hydra_context, self.config, self.task_function, list(overrides), number, state)
                )
            return [_result(job) for job in jobs]
        finally:
            if started:
                ray.shutdown()


def _run(
    hydra_context: HydraContext,
    config: DictConfig,
    task_function: TaskFunction,
    overrides: list[str],
    number: int,
    singleton_state: dict[Any, Any],
) -> JobReturn:
    """One job, in a process of Ray's."""
    setup_globals()
    Singleton.set_state(singleton_state)
    sweep_config = hydra_context.config_loader.load_sweep_config(config, overrides)
    with open_dict(sweep_config):
        sweep_config.hydra.job.id = f"{sweep_config.hydra.job.name}_{number}"
        sweep_config.hydra.job.num = number
    HydraConfig.instance().set_config(sweep_config)
    return run_job(
        hydra_context=hydra_context,
        task_function=task_function,
        config=sweep_config,
        job_dir_key="hydra.sweep.dir",
        job_subdir_key="hydra.sweep.subdir",
    )


def _result(job: Any) -> JobReturn:
    import ray

    try:
        return ray.get(job)
    except ray.exceptions.RayError as error:
        logger.warning("A job's process died: %s", str(error).splitlines()[0])
        return JobReturn(status=JobStatus.COMPLETED)
