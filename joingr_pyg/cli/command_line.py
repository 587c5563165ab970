"""What commands share: messages about bad input, names of methods, overrides of the command line."""

import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig

from joingr_pyg.cli.bad_input import sentence
from joingr_pyg.cli.typed_secrets import typed_secrets
from joingr_pyg.runs.files import WITHOUT_EFFECT
from joingr_pyg.runs.secrets import without_secrets
from joingr_pyg.terminal import terminal_text


@contextmanager
def plain_errors(command: str, overrides: Sequence[str] = ()) -> Iterator[None]:
    """Report bad input in one sentence and end with status 2; any other error is a bug, and ends with status 1.

    Args:
        command: Name of the command, which the sentence starts with.
        overrides: What was typed behind it. Secrets in it are masked.
    """
    try:
        yield
    except Exception as error:
        message = sentence(error)
        if message is None:
            lines = "".join(traceback.format_exception(error))
            print(without_secrets(lines, _secrets(overrides)), end="", file=sys.stderr)
            raise SystemExit(1) from error
        report(command, without_secrets(message, _secrets(overrides)))
        raise SystemExit(2) from error


def _secrets(overrides: Sequence[str]) -> set[str]:
    """The secrets among overrides, of which some may not be readable."""
    secrets: set[str] = set()
    for override in overrides:
        with suppress(HydraException):
            secrets |= typed_secrets([override])
    return secrets


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


def keeps_answers(cfg: DictConfig) -> bool:
    """Whether a method or model remembers the answered training questions.

    By default it does where tests ask the same databases, since answers say nothing of the tables of others.
    """
    return cfg.dataset.validation == "question" if cfg.remember is None else bool(cfg.remember)


def report(command: str, sentence: str) -> None:
    """Print a sentence on standard error, after the name of the command."""
    print(f"{command}: {terminal_text(sentence)}", file=sys.stderr)
