"""JAR's objective, as the results page shows it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paper.__main__ import main
from paper.results.greedy import greedy_table
from paper.results.rows import METRICS, result_rows

MakeRun = Callable[..., Path]

PROGRAM = {"objective": 20.0, "greedy_objective": 19.0, "greedy_ratio": 0.96, "time_limit_hits": 3}


@pytest.fixture
def ran(make_run: MakeRun) -> Callable[..., Path]:
    """``ran("jar", measured, "method.size=5")`` leaves a run on BIRD, in the folder ``runs``."""

    def run(method: str, measured: dict[str, float], *options: str, dataset: str = "bird", **more: Any) -> Path:
        said = {
            "overrides": [f"method={method}", f"dataset={dataset}", *options],
            "measured": {"questions": 40, **measured},
            "questions": {"scored": 40},
        }
        given = {"method": method, "dataset": dataset, "encoder": "minilm", "method__size": None, **more}
        folder = "-".join(["runs/", method, dataset, *options])
        return make_run(folder, dict.fromkeys(METRICS, 0.5), said=said, **given)

    return run


def lines(page: str) -> list[str]:
    return page.partition("<!-- begin greedy -->")[2].partition("<!-- end greedy -->")[0].strip().splitlines()


def test_a_line_for_each_run_of_the_program(ran: Callable[..., Path], tmp_path: Path) -> None:
    ran("jar", PROGRAM)
    ran("jar", PROGRAM | {"objective": 8.0}, "method.size=5", method__size=5)
    ran("jar", PROGRAM, "setting=per_database", setting="per_database")
    ran("iterjar", {"objective": 19.0})
    ran("iterjar", {"objective": 12.3456}, dataset="beaver")
    assert main(["results", str(tmp_path / "runs"), "--write", str(tmp_path)]) == 0
    page = (tmp_path / "results.md").read_text()
    assert lines(page) == [
        "| test | setting | size | program | greedy | ratio | out of time | command |",
        "| :-- | :-- | --: | --: | --: | --: | --: | --: |",
        # Without the program, the greedy choice by itself.
        "| BEAVER | pooled | 15 | – | 12.346 | – |  | 1 |",
        "| BIRD | pooled | 15 | 20.000 | 19.000 | .960 | 3 of 40 | 2 |",
        "| BIRD | pooled | 5 | 8.000 | 19.000 | .960 | 3 of 40 | 3 |",
        "| BIRD | own database | 15 | 20.000 | 19.000 | .960 | 3 of 40 | 4 |",
        "",
        "1. `python evaluate.py method=iterjar dataset=beaver`",
        "2. `python evaluate.py method=jar dataset=bird`",
        "3. `python evaluate.py method=jar dataset=bird method.size=5`",
        "4. `python evaluate.py method=jar dataset=bird setting=per_database`",
    ]


def test_it_is_kept_with_the_rows(ran: Callable[..., Path], make_run: MakeRun, tmp_path: Path) -> None:
    ran("jar", PROGRAM)
    assert main(["results", str(tmp_path / "runs"), "--write", str(tmp_path)]) == 0
    before = lines((tmp_path / "results.md").read_text())
    given = {"overrides": ["method=vanilla", "dataset=bird"]}
    make_run("more", dict.fromkeys(METRICS, 0.5), method="vanilla", dataset="bird", encoder="minilm", said=given)
    assert main(["results", str(tmp_path / "more"), "--write", str(tmp_path), "--keep"]) == 0
    assert lines((tmp_path / "results.md").read_text()) == before
    assert len(before) == 5


def test_no_run_no_line() -> None:
    assert greedy_table(result_rows([])) == "Neither was run.\n"
