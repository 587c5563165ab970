"""A command that takes its options from a config in ``conf/`` and from overrides such as ``dataset=bird``."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import hydra
from omegaconf import DictConfig

import joingr_pyg
from joingr_pyg.cli.command_line import plain_errors
from joingr_pyg.cli.multirun import Task, named_failures, run_job


def config_folder() -> Path:
    """The folder of the configs: inside the installed package, or beside the package in a checkout."""
    package = Path(joingr_pyg.__file__).resolve().parent
    installed = package / "conf"
    return installed if installed.is_dir() else package.parent / "conf"


def run_with_hydra(command: str, task: Task, overrides: Sequence[str]) -> None:
    """Compose a command's config and run its task with it, once or for each job of a multirun.

    Args:
        command: Name of the command and of its config, such as ``"train"``.
        task: Does the work, as in :func:`~joingr_pyg.cli.multirun.run_job`.
        overrides: The command line after the name of the command.

    Raises:
        SystemExit: With status 2 for bad input, or 1 for a bug or if jobs of a multirun failed.
    """
    typed = sys.argv

    def job(cfg: DictConfig) -> float | None:
        # Hydra has read its overrides. Lightning starts further processes of a training with the command as typed.
        sys.argv = typed
        return run_job(command, task, cfg)

    main = hydra.main(config_path=str(config_folder()), config_name=command, version_base="1.3")(job)
    # Hydra takes its overrides from here alone, and none behind this flag if some stand before it.
    flags = [argument for argument in overrides if argument in ("-m", "--multirun")]
    sys.argv = [f"joingr {command}", *flags[:1], *(argument for argument in overrides if argument not in flags)]
    try:
        with plain_errors(command, overrides), named_failures(command), _raised_errors():
            main()
    finally:
        sys.argv = typed


@contextmanager
def _raised_errors() -> Iterator[None]:
    """Let Hydra raise its errors. Without this variable it prints a part of their traceback and exits."""
    before = os.environ.get("HYDRA_FULL_ERROR")
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["HYDRA_FULL_ERROR"]
        else:
            os.environ["HYDRA_FULL_ERROR"] = before
