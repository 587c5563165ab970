"""Compiled code: the hot loops of the walk, of word and phrase matches and of JoinGR+.

The modules of this folder are imported only where :func:`kernels_available` says so, and at first use: importing numba
and loading the machine code takes most of a second.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec

_left_out = ContextVar("left_out", default=False)


def kernels_available() -> bool:
    """Whether numba, which compiles the kernels, is installed, and they are not left out (:func:`without_kernels`)."""
    return not _left_out.get() and find_spec("numba") is not None


@contextmanager
def without_kernels() -> Iterator[None]:
    """Leave the kernels out, where so little is computed that loading them would take longer than they save."""
    token = _left_out.set(True)
    try:
        yield
    finally:
        _left_out.reset(token)
