"""Finding a name among others that may spell it differently."""

from collections.abc import Callable, Iterable


def match(name: str, names: Iterable[str], fold: Callable[[str], str] = str.lower) -> str | None:
    """The one of ``names`` that is ``name``, else the first that equals it after ``fold``, else ``None``."""
    folded = fold(name)
    alike: str | None = None
    for candidate in names:
        if candidate == name:
            return candidate
        if alike is None and fold(candidate) == folded:
            alike = candidate
    return alike
