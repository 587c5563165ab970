"""What the commands say of bad input: one sentence on standard error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from omegaconf.errors import ConfigAttributeError, ConfigKeyError, MissingMandatoryValue

from joingr_pyg.errors import JoinGRError


@contextmanager
def plain_errors(command: str) -> Iterator[None]:
    """Tell bad input in one sentence and end with status 2; any other error is a bug, and passes.

    Args:
        command: Name of the command, which the sentence starts with.
    """
    try:
        yield
    except MissingMandatoryValue as error:
        _say(command, f"The key '{error.full_key}' needs a value: add {error.full_key}=<value>.")
        raise SystemExit(2) from error
    except Exception as error:
        # Hydra wraps what a class raises while it is made from its config.
        told = error if isinstance(error, JoinGRError) else error.__cause__
        if not isinstance(told, JoinGRError):
            raise
        _say(command, str(told))
        raise SystemExit(2) from error


@contextmanager
def known_keys(command: str) -> Iterator[None]:
    """Add the keys that exist where Hydra ends the command for one that does not.

    Args:
        command: Name of the command, which the sentence starts with.
    """
    try:
        yield
    except SystemExit as end:
        # Hydra has named the key and ended; the config's own error, which knows its neighbours, is what it ended for.
        error = getattr(end.__context__, "__cause__", None)
        if isinstance(error, ConfigAttributeError | ConfigKeyError) and error.parent_node is not None:
            keys = [key for key in error.parent_node if not key.startswith("_") and key != "hydra"]
            _say(command, f"There is no key '{error.full_key}'; beside it there are {', '.join(keys)}.")
        raise


def _say(command: str, sentence: str) -> None:
    print(f"{command}: {sentence}", file=sys.stderr)
