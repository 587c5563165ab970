"""The notebooks run from a clean kernel without a network, and what is committed of them is what a run leaves."""

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from joingr_pyg.encoders.packaged import packaged_minilm

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = [
    "compare_a_sweep.ipynb",
    "join_walk_in_other_models.ipynb",
    "quick_start.ipynb",
    "reproduce_table_2.ipynb",
    "walk_hop_by_hop.ipynb",
]

ABSOLUTE_PATH = re.compile(r"(?<![\w.:/~])/(?:home|root|tmp|usr|opt|mnt|var|work|Users)/|\b[A-Z]:\\", re.ASCII)


def read(path: Path) -> NotebookNode:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(notebook: NotebookNode) -> list[list[str]]:
    """What each cell put out: the name of a stream, or the richest form of a result."""
    return [
        [output.get("name") or next(iter(sorted(output.get("data", ["error"])))) for output in cell.outputs]
        for cell in code_cells(notebook)
    ]


def texts(notebook: NotebookNode) -> Iterator[str]:
    """All that can be read: sources, and outputs but for images."""
    for cell in notebook.cells:
        yield cell.source
        for output in cell.get("outputs", []):
            yield output.get("text", "")
            yield from (str(value) for kind, value in output.get("data", {}).items() if kind != "image/png")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def test_these_are_all() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.ipynb")) == NAMES


@pytest.mark.skipif(packaged_minilm() is None, reason="the packaged MiniLM weights (extra 'offline') are missing")
@pytest.mark.parametrize("name", NAMES)
def test_runs_from_a_clean_kernel(name: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINGR_CACHE", str(cache))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = read(Path(copy(FOLDER / name, tmp_path)))
    committed = kinds(notebook)
    folder = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=folder).execute()
    assert kinds(notebook) == committed


@pytest.mark.parametrize("name", NAMES)
def test_is_committed_as_one_run_left_it(name: str) -> None:
    notebook = read(FOLDER / name)
    assert [cell.execution_count for cell in code_cells(notebook)] == list(range(1, len(code_cells(notebook)) + 1))
    shown = {kind for cell in kinds(notebook) for kind in cell}
    assert {"image/png", "stdout", "text/markdown"} <= shown
    assert not shown & {"stderr", "error"}


@pytest.mark.parametrize("name", NAMES)
def test_says_nothing_of_the_machine_it_ran_on(name: str) -> None:
    notebook = read(FOLDER / name)
    assert not [text for text in texts(notebook) if ABSOLUTE_PATH.search(text)]
    assert not any(cell.metadata for cell in notebook.cells)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize("name", NAMES)
def test_is_of_moderate_size(name: str) -> None:
    assert (FOLDER / name).stat().st_size < 600_000
