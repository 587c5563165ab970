"""``joingr calibrate``."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from joingr_pyg.cli.main import main
from joingr_pyg.models.calibration import CANDIDATES, TYPICAL_LENGTH, Calibration
from joingr_pyg.runs.files import write_questions

MakeRun = Callable[..., Path]

METRICS = {"R@5": 0.5, "R@25": 0.9}
OF_TYPICAL_LENGTH = " ".join(f"word{number}" for number in range(TYPICAL_LENGTH))
TRUE = Calibration(1.0, 4.0, -1.5, 1.0, 0.0)


def answer(folder: Path, questions: int, databases: int, seed: int = 0) -> Path:
    """Give a run questions that need tables with the probabilities of :data:`TRUE`."""
    rng = np.random.default_rng(seed)
    score = -np.sort(-2 * rng.standard_normal((questions, CANDIDATES)), axis=1)
    probability = TRUE.probability(torch.tensor(score), torch.zeros(questions, CANDIDATES)).numpy()
    needed = rng.random(score.shape) < probability
    needed[:, 0] |= ~needed.any(axis=1)  # Seldom: the best is nearly always needed.
    names = [[f"db{row % databases}.t{place}" for place in range(CANDIDATES)] for row in range(questions)]
    write_questions(
        folder,
        (
            {
                "index": row,
                "question": OF_TYPICAL_LENGTH,
                "database": f"db{row % databases}",
                "gold": [name for name, each in zip(names[row], needed[row], strict=True) if each],
                "ranked": [
                    {"table": name, "score": s} for name, s in zip(names[row], score[row].tolist(), strict=True)
                ],
            }
            for row in range(questions)
        ),
    )
    return folder


def test_numbers_are_fitted_checked_and_written(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [answer(make_run(name, METRICS, setting=name), 600, 6, seed) for seed, name in enumerate(("one", "two"))]
    target = tmp_path / "out" / "calibration.json"
    assert main(["calibrate", *map(str, runs), "--json", str(target)]) == 0
    printed = capsys.readouterr().out
    said = json.loads(target.read_text())
    numbers = said["calibration"]
    assert (said["runs"], said["every"], said["rankings"]) == (["one", "two"], 1, 1200)
    assert f"Calibration(sharpness={numbers['sharpness']:.3f}, bias={numbers['bias']:.3f}, " in printed
    # All tables are of one database, whose share is 1: bias and share add up, and sharpness scales with belief.
    assert numbers["bias"] + numbers["database"] == pytest.approx(TRUE.bias, abs=0.5)
    assert numbers["sharpness"] * numbers["belief"] == pytest.approx(TRUE.sharpness * TRUE.belief, abs=0.15)
    assert [(row["run"], row["asked"]) for row in said["unseen"]] == [
        (name, asked) for name in ("one", "two") for asked in (0.8, 0.9, 0.95)
    ]
    assert all(row["asked"] - 0.04 < row["complete"] < row["asked"] + 0.08 for row in said["unseen"])
    assert f"{said['unseen'][0]['complete']:.3f}" in printed


def test_every_nth_question_is_taken(make_run: MakeRun, tmp_path: Path) -> None:
    run = answer(make_run("run", METRICS), 61, 2)
    target = tmp_path / "calibration.json"
    assert main(["calibrate", str(run), "--every", "3", "--json", str(target)]) == 0
    assert json.loads(target.read_text())["rankings"] == 21


def test_one_database_is_fitted_and_not_checked(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = answer(make_run("run", METRICS), 60, 1)
    target = tmp_path / "calibration.json"
    assert main(["calibrate", str(run), "--json", str(target)]) == 0
    assert "asked of one database" in capsys.readouterr().out
    assert json.loads(target.read_text())["unseen"] == []


@pytest.mark.parametrize(
    ("metrics", "given", "parts"),
    [
        ({"R@5": 0.5, "R@15": 0.9}, {}, ["keeps 15 tables a question", "ks=[25]"]),
        (METRICS, {"questions": None}, ["questions.jsonl", "cannot be read"]),
        (METRICS, {"questions": []}, ["holds no question"]),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_one_sentence(
    make_run: MakeRun,
    capsys: pytest.CaptureFixture[str],
    metrics: dict[str, float],
    given: dict[str, object],
    parts: list[str],
) -> None:
    run = make_run("run", metrics, **{"questions": [("db.a", "db.a")], **given})
    assert main(["calibrate", str(run)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert all(part in told for part in parts)


def test_runs_of_several_methods_are_refused(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [answer(make_run(name, METRICS, method=name), 10, 2) for name in ("bm25", "vanilla")]
    assert main(["calibrate", *map(str, runs)]) == 2
    assert "differ by method" in capsys.readouterr().err


def test_a_folder_without_runs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", str(tmp_path)]) == 2
    assert "no finished run" in capsys.readouterr().err


def test_every_needs_to_be_at_least_one(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", str(make_run("run", METRICS)), "--every", "0"]) == 2
    assert "'--every' needs to be at least 1 (got 0)" in capsys.readouterr().err
