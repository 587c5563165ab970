"""How kernels are compiled, and where their machine code is kept for later processes.

Numba keeps the machine code of a function as long as the file of that function is unchanged. It does not notice a
change in a helper of another file, whose old code is compiled into the function. Here all kernels share a folder that
is named by a digest of their source files, so that any change of any file compiles them all again.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import numba
from numba import njit

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # Neither infinities nor NaNs are assumed away.
    "fastmath": {"reassoc", "nsz", "arcp", "contract", "afn"},
}

KEPT_DIGESTS = 4
"""Folders of machine code that are kept, this one included; those used longest ago are removed first."""

_config: Any = numba.config
_config_lock = Lock()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function at its first call, and keep its machine code where a folder can be written."""
    folder = cache_folder()
    if folder is None:
        return njit(function, **OPTIONS)
    with _config_lock:
        configured = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)
        try:
            return njit(function, cache=True, **OPTIONS)
        except RuntimeError:  # The function's file does not exist, as in an archive.
            return njit(function, **OPTIONS)
        finally:
            _config.CACHE_DIR = configured


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """The folder for machine code of the present source files, or ``None`` where nothing can be written.

    It lies in the folder that numba is configured to use (``NUMBA_CACHE_DIR``), or else beside the byte code of this
    file, or else, where the package is read-only, in the user's cache folder.
    """
    for parent in _parents():
        try:
            folder = parent.expanduser() / source_digest(Path(__file__).parent)
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            os.utime(folder)
            _remove_oldest(folder.parent)
        except (OSError, RuntimeError):  # RuntimeError: the user has no home.
            continue
        return folder
    return None


def source_digest(folder: Path) -> str:
    """A digest of the Python files of a folder and of numba's version."""
    digest = sha256(numba.__version__.encode())
    for path in sorted(folder.glob("*.py")):
        content = path.read_bytes()
        digest.update(f"\n{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _parents() -> Iterator[Path]:
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR, "joingr_pyg")
    yield Path(__file__).parent / "__pycache__" / "kernels"
    default = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "joingr_pyg")
    yield Path(os.environ.get("JOINGR_CACHE", default), "kernels")


def _remove_oldest(parent: Path) -> None:
    # Another process may do the same at the same time.
    folders = sorted((path for path in parent.iterdir() if path.is_dir()), key=lambda path: -path.stat().st_mtime)
    for folder in folders[KEPT_DIGESTS:]:
        shutil.rmtree(folder, ignore_errors=True)
