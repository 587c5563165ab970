"""Compiled code: the hot loops of the walk, of word and phrase matches and of JoinGR+.

The modules of this folder are imported only where :func:`kernels_available` says so, and at first use: importing numba
takes half a second.
"""

from importlib.util import find_spec


def kernels_available() -> bool:
    """Whether numba, which compiles the kernels, is installed."""
    return find_spec("numba") is not None
