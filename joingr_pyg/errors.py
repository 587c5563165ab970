"""The exception type for bad input, and checks of arguments."""

from collections.abc import Iterable
from math import isfinite
from numbers import Integral, Real
from os import PathLike


class JoinGRError(ValueError):
    """Bad input. The message is one sentence: what is wrong, where, and what to do.

    Commands print the message and exit with status 2; library callers may catch it.
    """


class MissingPackageError(JoinGRError):
    """A feature needs a package that only an extra of this package installs.

    Args:
        feature: What needs it, as the beginning of a sentence.
        package: The package that is not installed.
        extra: The extra that installs it.
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f"{feature} needs {package!r}, which is not installed: pip install 'joingr-pyg[{extra}]'.")


def require_at_least(least: float, **values: float | None) -> None:
    """Check numbers, given as ``name=value``; ``None`` is ignored.

    Raises:
        JoinGRError: If a value is not a number or is below ``least``.
    """
    for name, value in values.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise JoinGRError(f"'{name}' needs to be a number (got {value!r}).")
        if value is not None and value < least:
            raise JoinGRError(f"'{name}' needs to be at least {least} (got {value}).")


def require_whole(**values: object) -> None:
    """Check whole numbers, given as ``name=value``.

    Raises:
        JoinGRError: If a value is not a whole number.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise JoinGRError(f"'{name}' needs to be a whole number (got {value!r}).")


def require_fraction(**values: float | None) -> None:
    """Check fractions, given as ``name=value``; ``None`` is ignored.

    Raises:
        JoinGRError: If a value is not above 0 and below 1.
    """
    for name, value in values.items():
        if value is not None and not 0 < value < 1:
            raise JoinGRError(f"'{name}' needs to be above 0 and below 1 (got {value}).")


def require_finite(**values: float) -> None:
    """Check numbers, given as ``name=value``.

    Raises:
        JoinGRError: If a value is not a finite number.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
            raise JoinGRError(f"'{name}' needs to be a finite number (got {value!r}).")


def require_flags(**flags: object) -> None:
    """Check truth values, given as ``name=value``.

    Raises:
        JoinGRError: If a value is neither true nor false.
    """
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise JoinGRError(f"'{name}' needs to be true or false (got {value!r}).")


def require_several(what: str, **values: object) -> None:
    """Check lists, given as ``name=value``. Anything that can be gone through is one, except a text.

    Args:
        what: What they are lists of, in the plural.
        values: The values.

    Raises:
        JoinGRError: If a value is a text or cannot be gone through.
    """
    for name, value in values.items():
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise JoinGRError(f"'{name}' needs to be a list of {what} (got {value!r:.60}): put it in brackets.")


def require_path(**values: object) -> None:
    """Check paths of files and folders, given as ``name=value``.

    Raises:
        JoinGRError: If a value is neither a text nor a path, or no path can be like it.
    """
    for name, value in values.items():
        if not isinstance(value, str | PathLike):
            raise JoinGRError(f"'{name}' needs to be the path of a file or folder (got {value!r:.60}).")
        if "\0" in str(value):
            raise JoinGRError(f"'{name}' needs to be a path, which has no zero byte (got {str(value)!r:.60}).")
