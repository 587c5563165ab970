"""Progress bars with rate and remaining time, shown only on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import parent_process
from typing import Any

from tqdm import tqdm

_wanted: ContextVar[bool] = ContextVar("wanted", default=True)


@contextmanager
def progress(wanted: bool) -> Iterator[None]:
    """Switch progress bars on or off inside the context.

    Args:
        wanted: Whether bars are shown. Bars that an outer context has switched off stay off.
    """
    before = _wanted.set(wanted and _wanted.get())
    try:
        yield
    finally:
        _wanted.reset(before)


def bar(description: str, total: int | None, unit: str, **options: Any) -> tqdm:
    """A progress bar with rate and remaining time. Nested bars are shown below each other.

    It is shown if standard error is a terminal, :func:`progress` has not switched it off, and this is the main process:
    bars of several processes would overwrite each other.

    Args:
        description: Title, such as ``"Training"``.
        total: Number of steps, if known.
        unit: Name of a step, such as ``"epoch"``.
        options: Further options of :class:`tqdm.tqdm`.
    """
    # With None, tqdm shows the bar if standard error is a terminal.
    disable = None if _wanted.get() and parent_process() is None else True
    return tqdm(**{"desc": description, "total": total, "unit": unit, "leave": None, "disable": disable, **options})
