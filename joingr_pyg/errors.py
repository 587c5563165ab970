"""The one exception type that a person sees as a single sentence, and the ranges of arguments that are told so."""

from numbers import Integral, Real


class JoinGRError(ValueError):
    """Bad input, told in one sentence: what was wrong, where, and what to do.

    The entry points print the message and exit with status 2; library callers may catch it.
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
    """Check arguments, given by their names; ``None`` is one that is left out.

    Raises:
        JoinGRError: If a value is no number, such as a word that a command line takes for text, or below ``least``.
    """
    for name, value in values.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise JoinGRError(f"'{name}' needs to be a number (got {value!r}).")
        if value is not None and value < least:
            raise JoinGRError(f"'{name}' needs to be at least {least} (got {value}).")


def require_whole(**values: object) -> None:
    """Refuse what is no whole number.

    Raises:
        JoinGRError: If one of the values is none.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise JoinGRError(f"'{name}' needs to be a whole number (got {value!r}).")


def require_fraction(**values: float | None) -> None:
    """Check arguments, given by their names; ``None`` is one that is left out.

    Raises:
        JoinGRError: If a value is not above 0 and below 1.
    """
    for name, value in values.items():
        if value is not None and not 0 < value < 1:
            raise JoinGRError(f"'{name}' needs to be above 0 and below 1 (got {value}).")


def require_flags(**flags: object) -> None:
    """Refuse what is neither true nor false, such as a word that a command line takes for text.

    Raises:
        JoinGRError: If one of the values is neither.
    """
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise JoinGRError(f"'{name}' needs to be true or false (got {value!r}).")
