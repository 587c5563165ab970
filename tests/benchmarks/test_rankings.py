import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "rankings.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rankings", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load()

RANKINGS = script.Rankings("bm25", "demo", "compiled", [0, 4], [["a", "b", "c"], ["b"]], [[3.0, 1.0, 1.0], [0.5]])


def agree(first: list[object], second: list[object]) -> bool:
    return script.compare(*({one.name: one for one in record} for record in (first, second)))  # type: ignore[attr-defined]


def test_ranks_on_both_paths_and_compares(tmp_path: Path) -> None:
    file = tmp_path / "before.json"
    command = [sys.executable, str(SCRIPT), "write", str(file), "--datasets", "demo", "--methods", "heuristic", "rear"]
    run = subprocess.run(
        [*command, "--overrides", "encoder=hashing"],
        env={**os.environ, "JOINGR_CACHE": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "(method=rear) failed" in run.stderr
    record = script.read(file)
    assert list(record) == ["demo heuristic compiled", "demo heuristic tensors"]
    for rankings in record.values():
        assert len(rankings.questions) == len(rankings.tables) == len(rankings.scores) == 180
        assert {len(tables) for tables in rankings.tables} == {25}
        assert all(scores == sorted(scores, reverse=True) for scores in rankings.scores)
    compiled, tensors = record.values()
    assert agree([compiled], [replace(tensors, path="compiled")])
    with pytest.raises(SystemExit) as ended:
        script.main(["compare", str(file), str(file)])
    assert ended.value.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["before.json", "cache"]


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        (replace(RANKINGS, scores=[[3.0002, 1.0, 1.0], [0.5]]), True),
        (replace(RANKINGS, scores=[[3.001, 1.0, 1.0], [0.5]]), False),
        (replace(RANKINGS, tables=[["a", "c", "b"], ["b"]]), True),
        (replace(RANKINGS, tables=[["b", "a", "c"], ["b"]]), False),
        (replace(RANKINGS, tables=[["a", "b", "d"], ["b"]]), False),
        (replace(RANKINGS, tables=[["a", "b"], ["b"]], scores=[[3.0, 1.0], [0.5]]), False),
        (replace(RANKINGS, questions=[0, 5]), False),
        (replace(RANKINGS, method="ppr"), False),
    ],
)
def test_what_differs(changed: object, same: bool) -> None:
    assert agree([RANKINGS], [changed]) is same


def test_the_line_of_a_method(capsys: pytest.CaptureFixture[str]) -> None:
    tables = [f"t{i}" for i in range(25)]
    scores = [25.0 - i for i in range(25)]
    swapped = [*tables[:5], tables[6], tables[5], *tables[7:]]
    first = script.Rankings("ppr", "demo", "tensors", [0, 1], [tables, tables], [scores, scores])
    second = replace(first, tables=[tables, swapped], scores=[scores, [*scores[:24], 1.25]])
    assert not agree([first], [second])
    assert capsys.readouterr().out == (
        "DIFFERS  demo ppr tensors: 2 questions, first 5/15/25 tables the same for 2/1/1, scores at most 0.25 apart\n"
    )


@given(st.lists(st.integers(0, 3), min_size=25, max_size=40), st.randoms(use_true_random=False))
def test_the_order_of_equal_scores_is_free(values: list[int], random: object) -> None:
    """Also where tables with the last score are cut off."""
    records = []
    for _ in range(2):
        order = list(range(len(values)))
        random.shuffle(order)  # type: ignore[attr-defined]
        order = sorted(order, key=lambda i: -values[i])[:25]
        records += [[str(i) for i in order], [float(values[i]) for i in order]]
    assert script.agreeing_places(*records) == 25


@pytest.mark.parametrize("content", [None, "[]", '{"tables": [], "rankings": [{"method": "ppr"}]}'])
def test_what_is_no_record(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "record.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(SystemExit, match="is not a record of rankings"):
        script.main(["compare", str(file), str(file)])


def test_nothing_to_write(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="its folder does not exist"):
        script.main(["write", str(tmp_path / "no" / "record.json"), "--methods"])
    with pytest.raises(SystemExit, match="Nothing could be ranked"):
        script.main(["write", str(tmp_path / "record.json"), "--methods"])
    assert not list(tmp_path.iterdir())
