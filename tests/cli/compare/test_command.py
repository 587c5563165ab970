"""``joingr compare``."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from joingr_pyg.cli.main import main
from joingr_pyg.runs.collect import collect

MakeRun = Callable[..., Path]


@pytest.fixture
def sweep(make_run: MakeRun, tmp_path: Path) -> Path:
    for number, (anchors, hops, seed) in enumerate((a, h, s) for a in (1, 3) for h in (1, 2) for s in (0, 1)):
        recall = 0.1 * anchors + 0.05 * hops + 0.01 * seed
        make_run(f"sweep/{number}", {"R@5": recall, "PR@5": recall / 2}, seed, model__anchors=anchors, model__hops=hops)
    return tmp_path / "sweep"


def test_files_and_figures_are_written(sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    files = {f"--{kind}": out / f"table.{kind}" for kind in ("csv", "markdown", "json")}
    figure = out / "lines.png"
    given = [str(each) for pair in files.items() for each in pair]
    lines = ["--plot", str(figure), "--x", "model.hops", "--line", "model.anchors", "--y", "R@5"]
    assert main(["compare", str(sweep), *given, *lines]) == 0
    printed = capsys.readouterr().out
    assert all(f"Written: {path}" in printed for path in files.values())
    assert f"Drawn: {figure}" in printed
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert len((out / "table.csv").read_text().splitlines()) == 5
    assert (out / "table.markdown").read_text().startswith("| model.anchors | model.hops | seeds |")
    assert len(json.loads((out / "table.json").read_text())["lines"]) == 4
    assert {path.name for path in out.iterdir()} == {*(path.name for path in files.values()), "lines.png"}


def test_a_file_of_runs_is_compared_as_the_folder_was(
    sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.json"
    assert main(["compare", str(sweep), "--each", "--sort", "model.anchors", "--json", str(file)]) == 0
    capsys.readouterr()
    assert main(["compare", str(sweep)]) == 0
    expected = capsys.readouterr().out
    assert main(["compare", str(file)]) == 0
    assert capsys.readouterr().out == expected
    assert [run.parameters["model.anchors"] for run in collect([file]).runs] == [1, 1, 1, 1, 3, 3, 3, 3]


def test_a_heat_map_of_some_runs(sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    figure = tmp_path / "heat.svg"
    heatmap = ["--heatmap", "model.anchors,model.hops", "--plot", str(figure)]
    assert main(["compare", str(sweep), "--where", "seed=0", *heatmap]) == 0
    assert "4 runs" in capsys.readouterr().out
    assert "<svg" in figure.read_text()


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        (["--sort", "R@9"], ["'R@9'", "R@5, PR@5, model.anchors, model.hops"]),
        (["--plot", "f.png"], ["--plot FILE.png and either --x KEY or --heatmap"]),
        (["--x", "model.hops"], ["--plot FILE.png"]),
        (["--y", "R@5"], ["--plot FILE.png"]),
        (["--plot", "f.png", "--heatmap", "a,b", "--line", "c"], ["--x KEY"]),
        (["--plot", "f.png", "--heatmap", "a,b", "--x", "c"], ["one of them"]),
        (["--plot", "f.png", "--heatmap", "model.hops"], ["two parameters", "model.hops"]),
        (["--plot", "f.png", "--x", "hops"], ["no parameter 'hops'", "model.anchors, model.hops"]),
        (["--plot", "f.png", "--x", "model.hops"], ["also differ by model.anchors", "--line", "--where"]),
        (["--plot", "f.png", "--x", "model.hops", "--line", "model.anchors", "--y", "F1"], ["'F1'", "R@5, PR@5"]),
        (["--plot", "f.xyz", "--x", "model.hops", "--line", "model.anchors"], ["'f.xyz'", "png"]),
        (["--csv", "folder"], ["'folder' cannot be written"]),
        (["--where", "model.hops=9"], ["model.hops=9", "1, 2"]),
        (["nowhere"], ["no 'nowhere'"]),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(
    sweep: Path,
    given: list[str],
    parts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    assert main(["compare", str(sweep), *given]) == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("compare: ")
    assert all(part in sentence for part in parts)
    assert {path.name for path in tmp_path.iterdir()} == {"sweep", "folder"}


def test_without_matplotlib_a_figure_says_what_to_install(sweep: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with patch.dict(sys.modules, {"joingr_pyg.cli.compare.figure": None}):
        assert main(["compare", str(sweep), "--plot", "f.png", "--x", "model.hops"]) == 2
    assert "'joingr-pyg[plot]'" in capsys.readouterr().err


def test_as_a_person_types_it(sweep: Path) -> None:
    """Also where the reader leaves early, as ``head`` does."""
    command = [sys.executable, "-m", "joingr_pyg", "compare", str(sweep)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "8 runs" in ended.stdout
    left = subprocess.Popen(command, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert left.stdout is not None
    assert left.stderr is not None
    left.stdout.close()
    assert b"Traceback" not in left.stderr.read()
    left.stderr.close()
    assert left.wait() == 1
