"""What commands share: messages about bad input, names of methods, overrides of the command line."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import MissingConfigException
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, MissingMandatoryValue

from joingr_pyg.cli.typed_secrets import typed_secrets
from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.files import WITHOUT_EFFECT
from joingr_pyg.runs.secrets import without_secrets
from joingr_pyg.terminal import terminal_text


@contextmanager
def plain_errors(command: str) -> Iterator[None]:
    """Report bad input in one sentence and end with status 2; any other error is a bug and is raised.

    Args:
        command: Name of the command, which the sentence starts with.
    """
    try:
        yield
    except Exception as error:
        message = sentence(error)
        if message is None:
            raise
        report(command, message)
        raise SystemExit(2) from error


def sentence(error: BaseException) -> str | None:
    """The one sentence that explains bad input; ``None`` for any other error."""
    if isinstance(error, MissingMandatoryValue):
        return f"The key '{error.full_key}' needs a value: add {error.full_key}=<value>."
    # Hydra wraps an error that is raised while an object is made from its config.
    cause = error if isinstance(error, JoinGRError) else error.__cause__
    return str(cause) if isinstance(cause, JoinGRError) else None


@contextmanager
def known_keys(command: str) -> Iterator[None]:
    """Add a hint where Hydra ends the command because a key or a launcher does not exist.

    Args:
        command: Name of the command, which the sentence starts with.
    """
    try:
        yield
    except SystemExit as end:
        # Hydra has printed the key and exited. The config's own error, its cause, also has the keys beside it.
        error = getattr(end.__context__, "__cause__", None)
        if isinstance(end.__context__, MissingConfigException) and "hydra/" in (end.__context__.missing_cfg_file or ""):
            report(command, "Launchers and sweepers are installed with pip install 'joingr-pyg[sweep]'.")
        if isinstance(error, ConfigAttributeError | ConfigKeyError) and error.parent_node is not None:
            keys = [key for key in error.parent_node if not key.startswith("_") and key != "hydra"]
            hint = f"beside it there are {', '.join(keys)}."
            if error.full_key == "method":  # No method was chosen, or the jobs of a sweep choose theirs later.
                hint = "choose a method first, as in method=jar method.size=5, and write ++method.size=5 in a sweep."
            report(command, f"There is no key '{error.full_key}'; {hint}")
        raise


def method_names() -> list[str]:
    """The methods that the config group ``method`` holds, in alphabetical order."""
    return sorted(GlobalHydra.instance().config_loader().get_group_options("method"))


def given_overrides() -> list[str]:
    """The overrides of the command line that can change results; empty if no command line was read."""
    if not HydraConfig.initialized():
        return []
    overrides = list(HydraConfig.get().overrides.task)
    keys = [re.split(r"[=.@]", override.lstrip("+~"), maxsplit=1)[0] for override in overrides]
    effective = [override for key, override in zip(keys, overrides, strict=True) if key not in WITHOUT_EFFECT]
    return without_secrets(effective, typed_secrets(overrides))


def report(command: str, sentence: str) -> None:
    """Print a sentence on standard error, after the name of the command."""
    print(f"{command}: {terminal_text(sentence)}", file=sys.stderr)
