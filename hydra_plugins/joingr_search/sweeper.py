"""Optuna's search, which goes on with a study that a file or a database keeps."""

import logging

from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

logger = logging.getLogger(__name__)

try:
    from hydra_plugins.hydra_optuna_sweeper.optuna_sweeper import OptunaSweeper
except ImportError:  # Hydra imports the plugins for every command, also where Optuna is not installed.
    pass
else:

    class StudySweeper(OptunaSweeper):
        """Optuna's sweeper, where ``n_trials`` are those of the whole study.

        The plugin's own starts ``n_trials`` more whenever a kept study is opened, and numbers their jobs from 0, as it
        numbered those that have finished. Here they are numbered on.
        """

        def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
            super().setup(hydra_context=hydra_context, task_function=task_function, config=config)
            search = self.sweeper
            if search.storage is None:
                return
            import optuna

            if search.study_name not in optuna.get_all_study_names(search.storage):
                return
            trials = optuna.load_study(study_name=search.study_name, storage=search.storage).trials
            search.job_idx = len(trials)
            search.n_trials -= sum(trial.state.is_finished() for trial in trials)
            if hasattr(search.sampler, "reseed_rng"):
                search.sampler.reseed_rng()  # With the seed that it began with, it proposes its first trials again.

        def sweep(self, arguments: list[str]) -> None:
            try:
                super().sweep(arguments)
            except ValueError as error:  # Optuna names the best trial at the end.
                if "No trials are completed" not in str(error):
                    raise
                logger.warning("No trial of the study has results, so there is no best one.")
