"""Machine code is kept for later processes, and never outlives a change of the source files."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("numba")

from joingr_pyg.kernels import compilation

KERNELS = Path(compilation.__file__).parent

PROGRAM = """
import numpy as np
from joingr_pyg.kernels.compilation import cache_folder
from joingr_pyg.kernels.phrases import match_phrases, phrase_totals

whole, chosen = np.zeros((1, 2), np.float32), np.zeros((3, 1, 2), np.float32)
ptr, similarity = np.array([0, 1]), np.array([[1, 0]], np.float32)
totals = np.empty(1, np.float32), np.empty(1)
phrase_totals(whole, ptr, similarity, np.float32(1), np.float32(0), *totals)
match_phrases(whole, ptr, similarity, np.float32(1), np.float32(0), *totals, np.array([0, 2]), *chosen)
hits = sum(match_phrases.stats.cache_hits.values())
print(round(float(chosen[0, 0, 0]), 4), hits, cache_folder())
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the kernels alone, in a package of the same name."""
    shutil.copytree(KERNELS, tmp_path / "joingr_pyg" / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "joingr_pyg" / "__init__.py").touch()
    return tmp_path


def run(package: Path, **environment: str) -> tuple[float, int, Path]:
    """The share that a phrase gives the first of two tables, loads of kept code, and the folder it is kept in."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    command = [sys.executable, "-c", PROGRAM]
    environment = {**kept, "HOME": str(package / "home"), "PYTHONPATH": str(package), **environment}
    share, hits, folder = subprocess.run(
        command, cwd=package, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    return float(share), int(hits), Path(folder)


def test_a_changed_helper_changes_the_kernels_that_call_it(copied: Path) -> None:
    first, again = run(copied), run(copied)
    assert first[0] == again[0] == 0.7311  # 1 / (1 + exp(-1))
    assert (first[1], again[1]) == (0, 1)
    assert first[2] == again[2]
    assert first[2].is_relative_to(copied / "joingr_pyg" / "kernels" / "__pycache__")

    helper = copied / "joingr_pyg" / "kernels" / "exponential.py"
    source = helper.read_text()
    assert "return series *" in source
    helper.write_text(source.replace("return series *", "return Real(1.0) + Real(0.0) *"))
    share, hits, folder = run(copied)
    assert (share, hits) == (0.5, 0)
    assert folder != first[2]


def test_code_is_kept_elsewhere_where_the_package_is_read_only(copied: Path) -> None:
    kernels = copied / "joingr_pyg" / "kernels"
    (kernels / "__pycache__").touch()  # Not even the superuser makes a folder in a file.
    assert run(copied)[2].parent == copied / "home" / ".cache" / "joingr_pyg" / "kernels"
    share, hits, folder = run(copied, JOINGR_CACHE=str(copied / "cache"))
    assert (share, hits, folder.parent) == (0.7311, 0, copied / "cache" / "kernels")
    assert run(copied, JOINGR_CACHE=str(copied / "cache")) == (share, 1, folder)
    assert run(copied, NUMBA_CACHE_DIR=str(copied / "numba"))[2].parent == copied / "numba" / "joingr_pyg"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Two folders that code may be kept in."""
    parents = [tmp_path / "first", tmp_path / "second"]
    monkeypatch.setattr(compilation, "_parents", lambda: iter(parents))
    compilation.cache_folder.cache_clear()
    yield parents
    compilation.cache_folder.cache_clear()


def test_the_first_folder_that_can_be_written_is_taken(folders: list[Path]) -> None:
    folders[0].touch()
    assert compilation.cache_folder() == folders[1] / compilation.source_digest(KERNELS)


def test_code_is_compiled_where_nothing_can_be_written(folders: list[Path]) -> None:
    for folder in folders:
        folder.touch()
    assert compilation.cache_folder() is None
    function = compilation.compiled(lambda number: number + 1)
    assert function(1) == 2
    assert not function.stats.cache_path


def test_numba_is_left_as_it_was_configured(folders: list[Path]) -> None:
    import numba

    before = numba.config.CACHE_DIR
    function = compilation.compiled(lambda number: number + 1)
    assert Path(function.stats.cache_path).is_relative_to(folders[0])
    assert before == numba.config.CACHE_DIR


def test_folders_used_longest_ago_are_removed(folders: list[Path]) -> None:
    for age in range(1, 7):
        (folders[0] / str(age)).mkdir(parents=True)
        os.utime(folders[0] / str(age), (age, age))
    folder = compilation.cache_folder()
    assert folder is not None
    assert {path.name for path in folders[0].iterdir()} == {folder.name, "6", "5", "4"}
