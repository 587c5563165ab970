"""The bars of long work: rate and time left on a terminal, nothing elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import parent_process
from typing import Any

from tqdm import tqdm

_wanted: ContextVar[bool] = ContextVar("wanted", default=True)


@contextmanager
def progress(wanted: bool) -> Iterator[None]:
    """Show bars within, or keep all of them back.

    Args:
        wanted: Whether bars are shown, where standard error is a terminal; a bar kept back further out stays so.
    """
    before = _wanted.set(wanted and _wanted.get())
    try:
        yield
    finally:
        _wanted.reset(before)


def bar(description: str, total: int | None, unit: str, **options: Any) -> tqdm:
    """A progress bar with rate and time left, which a bar further out puts a line below itself.

    It shows where standard error is a terminal, :func:`progress` does not keep it back, and this is the process that
    was started: bars of several processes would overwrite each other.

    Args:
        description: What is done, such as ``"Training"``.
        total: Steps in all, where known.
        unit: What a step is, such as ``"epoch"``.
        options: More options of :class:`tqdm.tqdm`.
    """
    # None leaves the decision to whether there is a terminal.
    disable = None if _wanted.get() and parent_process() is None else True
    return tqdm(**{"desc": description, "total": total, "unit": unit, "leave": None, "disable": disable, **options})
