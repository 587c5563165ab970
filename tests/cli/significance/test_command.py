"""``joingr significance``."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from joingr_pyg.cli.main import main

MakeRun = Callable[..., Path]

METRICS = {"R@1": 0.5}
FOUND, MISSED = ("a", "a b"), ("a", "b a")


def test_differences_are_shown_and_written(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = make_run("first", METRICS, questions=[FOUND] * 3 + [MISSED])
    second = make_run("second", METRICS, questions=[MISSED] * 4, method="vanilla")
    target = tmp_path / "out" / "differences.json"
    assert main(["significance", str(first), str(second), "--samples", "500", "--json", str(target)]) == 0
    printed = capsys.readouterr().out
    assert "4 questions; A: joingr, B: vanilla" in printed
    assert "+0.750" in printed
    said = json.loads(target.read_text())
    assert (said["first"], said["second"], said["questions"]) == (["first"], ["second"], 4)
    assert list(said["metrics"]) == ["P@1", "R@1", "PR@1"]
    recall = said["metrics"]["R@1"]
    assert (recall["first"], recall["second"], recall["difference"]) == (0.75, 0, 0.75)
    assert recall["low"] <= 0.75 <= recall["high"] == 1


def test_seeds_are_averaged_question_by_question(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (0, 1):
        make_run(f"seeds/{seed}", METRICS, seed, questions=[FOUND, MISSED] if seed else [MISSED, FOUND])
    second = make_run("second", METRICS, questions=[MISSED, MISSED], method="vanilla")
    target = tmp_path / "differences.json"
    for given in (str(tmp_path / "seeds"), ",".join(str(tmp_path / "seeds" / each) for each in "01")):
        assert main(["significance", given, str(second), "--json", str(target)]) == 0
        assert "A: joingr, mean of 2 seeds" in capsys.readouterr().out
        recall = json.loads(target.read_text())["metrics"]["R@1"]
        # Each question is found by one seed of two: no sample differs from another.
        assert [recall[key] for key in ("difference", "low", "high")] == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("second", "parts"),
    [
        ({"questions": [FOUND]}, ["runs on different questions", "2 questions", "1 questions"]),
        ({"questions": [FOUND, ("b", "a b")]}, ["runs on different questions"]),
        ({"questions": None}, ["questions.jsonl", "cannot be read"]),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str], second: dict[str, object], parts: list[str]
) -> None:
    first = make_run("first", METRICS, questions=[FOUND, MISSED])
    assert main(["significance", str(first), str(make_run("second", METRICS, **second))]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert all(part in told for part in parts)


def test_runs_of_one_side_differ_by_seed_alone(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for hops in (1, 2):
        make_run(f"swept/{hops}", METRICS, questions=[FOUND], model__hops=hops)
    assert main(["significance", str(tmp_path / "swept"), str(tmp_path / "swept/1")]) == 2
    assert "differ by model.hops" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ({"model__hops": 1}, {"model__hops": 2}, ["joingr model.hops=1", "joingr model.hops=2"]),
        ({"encoder": "bge"}, {"encoder": "minilm"}, ["joingr encoder=bge", "joingr encoder=minilm"]),
        ({"seed": 0}, {"seed": 1}, ["joingr seed=0", "joingr seed=1"]),
        ({}, {}, ["joingr in first", "joingr in second"]),
        ({"method": "joingr"}, {"method": "vanilla", "model__hops": 2}, ["joingr", "vanilla"]),
    ],
    ids=str,
)
def test_runs_are_named_by_what_differs(
    make_run: MakeRun, tmp_path: Path, first: dict[str, object], second: dict[str, object], names: list[str]
) -> None:
    given = [
        str(make_run(name, METRICS, questions=[FOUND], **said)) for name, said in (("first", first), ("second", second))
    ]
    target = tmp_path / "differences.json"
    assert main(["significance", *given, "--json", str(target)]) == 0
    assert json.loads(target.read_text())["names"] == names


def test_at_least_one_sample(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(make_run("run", METRICS, questions=[FOUND]))
    assert main(["significance", run, run, "--samples", "0"]) == 2
    assert "'--samples' needs to be at least 1 (got 0)" in capsys.readouterr().err
