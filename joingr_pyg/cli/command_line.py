"""What the commands share: what they say of bad input, and the methods that their config knows."""

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


@contextmanager
def plain_errors(command: str) -> Iterator[None]:
    """Tell bad input in one sentence and end with status 2; any other error is a bug, and passes.

    Args:
        command: Name of the command, which the sentence starts with.
    """
    try:
        yield
    except Exception as error:
        told = sentence(error)
        if told is None:
            raise
        tell(command, told)
        raise SystemExit(2) from error


def sentence(error: BaseException) -> str | None:
    """What to tell of bad input in one sentence; ``None`` for any other error."""
    if isinstance(error, MissingMandatoryValue):
        return f"The key '{error.full_key}' needs a value: add {error.full_key}=<value>."
    # Hydra wraps what a class raises while it is made from its config.
    told = error if isinstance(error, JoinGRError) else error.__cause__
    return str(told) if isinstance(told, JoinGRError) else None


@contextmanager
def known_keys(command: str) -> Iterator[None]:
    """Add what helps where Hydra ends the command for a key or a launcher that does not exist.

    Args:
        command: Name of the command, which the sentence starts with.
    """
    try:
        yield
    except SystemExit as end:
        # Hydra has named the key and ended; the config's own error, which knows its neighbours, is what it ended for.
        error = getattr(end.__context__, "__cause__", None)
        if isinstance(end.__context__, MissingConfigException) and "hydra/" in (end.__context__.missing_cfg_file or ""):
            tell(command, "Launchers and sweepers are installed with pip install 'joingr-pyg[sweep]'.")
        if isinstance(error, ConfigAttributeError | ConfigKeyError) and error.parent_node is not None:
            keys = [key for key in error.parent_node if not key.startswith("_") and key != "hydra"]
            hint = f"beside it there are {', '.join(keys)}."
            if error.full_key == "method":  # None was chosen, or the jobs of a sweep choose theirs later.
                hint = (
                    "choose a method beside its options, as in method=jar method.size=5; a sweep takes ++method.size=5."
                )
            tell(command, f"There is no key '{error.full_key}'; {hint}")
        raise


def method_names() -> list[str]:
    """The methods that the config group ``method`` holds, in alphabetical order."""
    return sorted(GlobalHydra.instance().config_loader().get_group_options("method"))


def given_overrides() -> list[str]:
    """What the command line said that bears on the results; nothing where there was no command line."""
    if not HydraConfig.initialized():
        return []
    given = list(HydraConfig.get().overrides.task)
    keys = [re.split(r"[=.@]", each.lstrip("+~"), maxsplit=1)[0] for each in given]
    telling = [each for key, each in zip(keys, given, strict=True) if key not in WITHOUT_EFFECT]
    return without_secrets(telling, typed_secrets(given))


def tell(command: str, sentence: str) -> None:
    """Say a sentence on standard error, after the name of the command."""
    print(f"{command}: {sentence}", file=sys.stderr)
