import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from joingr_pyg.cli.compare.table import (
    SweepTable,
    as_csv,
    as_json,
    as_markdown,
    as_rich,
    only,
    sweep_table,
)
from joingr_pyg.errors import JoinGRError
from joingr_pyg.runs.collect import Run, collect

MakeRun = Callable[..., Path]


@pytest.fixture
def runs(make_run: MakeRun, tmp_path: Path) -> list[Run]:
    """Two seeds of one hop, two of two, and one of ten."""
    for hops, seed, recall in ((1, 0, 0.25), (1, 1, 0.75), (2, 0, 0.5), (2, 1, 0.625), (10, 0, 0.125)):
        make_run(
            f"sweep/{hops}-{seed}", {"P@5": 0.1, "R@5": recall}, seed, model__hops=hops, spread={"P@5": 0, "R@5": 0.3}
        )
    return list(collect([tmp_path]).runs)


def printed(table: SweepTable) -> list[list[str]]:
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(as_rich(table))
    lines = [line.split() for line in console.export_text().splitlines()]
    return [[word for word in line if word.strip("│┃┡━╇┩┏┳┓└─┴┘")] for line in lines]


def test_seeds_are_one_line_of_mean_and_standard_deviation(runs: list[Run]) -> None:
    table = sweep_table(runs)
    assert (table.keys, table.metrics) == (("model.hops",), ("P@5", "R@5"))
    assert [dict(line.parameters) for line in table.lines] == [{"model.hops": 2}, {"model.hops": 1}, {"model.hops": 10}]
    assert [line.metrics["R@5"] for line in table.lines] == [0.5625, 0.5, 0.125]
    # The sample standard deviation of two values is their distance over the root of two; one value has none.
    assert table.lines[0].spread == {"P@5": 0.0, "R@5": pytest.approx(0.125 / 2**0.5)}
    assert table.lines[1].spread["R@5"] == pytest.approx(0.5 / 2**0.5)
    assert table.lines[2].spread == {}
    assert [len(line.runs) for line in table.lines] == [2, 2, 1]


def test_each_run_keeps_its_spread_over_folds(runs: list[Run]) -> None:
    table = sweep_table(runs, per_run=True)
    assert table.keys == ("model.hops", "seed")
    assert [tuple(line.parameters.values()) for line in table.lines] == [(1, 1), (2, 1), (2, 0), (1, 0), (10, 0)]
    assert {line.spread["R@5"] for line in table.lines} == {0.3}
    assert table.title == "demo, test, pooled, hashing-64, joingr, 5 runs, ± standard deviation over folds"


@pytest.mark.parametrize(
    ("sort", "hops"), [("R@5", [2, 1, 10]), (None, [2, 1, 10]), ("P@5", [1, 2, 10]), ("model.hops", [1, 2, 10])]
)
def test_metrics_sort_downwards_and_parameters_upwards(runs: list[Run], sort: str | None, hops: list[int]) -> None:
    assert [line.parameters["model.hops"] for line in sweep_table(runs, sort).lines] == hops


def test_there_is_something_to_sort_by(runs: list[Run]) -> None:
    with pytest.raises(JoinGRError, match=r"nothing called 'R@7' to sort by: choose from P@5, R@5, model.hops\."):
        sweep_table(runs, "R@7")


def test_runs_of_different_configurations_never_share_a_line(make_run: MakeRun, tmp_path: Path) -> None:
    make_run("0", {"R@5": 0.5}, seed=0)
    make_run("1", {"R@5": 0.7}, seed=1, trainer__max_epochs=3)
    assert [len(line.runs) for line in sweep_table(collect([tmp_path]).runs).lines] == [1, 1]


def test_of_a_repeated_run_the_newest_counts(make_run: MakeRun, tmp_path: Path) -> None:
    for place, recall, modified in (("new", 0.5, 2000), ("old", 0.25, 1000)):
        folder = make_run(place, {"R@5": recall})
        os.utime(folder / "metrics.json", (modified, modified))
    runs = collect([tmp_path]).runs
    table = sweep_table(runs)
    assert [line.metrics for line in table.lines] == [{"R@5": 0.5}]
    assert [run.place.rpartition("/")[2] for run in table.repeated] == ["old"]
    assert len(sweep_table(runs, per_run=True).lines) == 2


def test_metrics_that_only_some_runs_have_leave_gaps(make_run: MakeRun, tmp_path: Path) -> None:
    make_run("0", {"R@5": 0.5}, model__hops=1)
    make_run("1", {"R@5": 0.25, "R@15": 0.75}, model__hops=2)
    table = sweep_table(collect([tmp_path]).runs)
    assert [line.parameters["model.hops"] for line in table.lines] == [2, 1]
    assert as_markdown(table).splitlines()[2:] == ["| 2 | 0.250 | **0.750** |", "| 1 | **0.500** |  |"]
    assert as_csv(table).splitlines() == ["model.hops,R@5,R@15", "2,0.25,0.75", "1,0.5,"]


def test_the_table_on_a_terminal(runs: list[Run]) -> None:
    lines = printed(sweep_table(runs))
    title = "demo, test, pooled, hashing-64, joingr, 5 runs, ± standard deviation over seeds"
    assert [*lines[0], *lines[1]] == title.split()
    assert lines[3] == ["model.hops", "seeds", "P@5", "R@5"]
    assert lines[5:8] == [
        ["2", "2", "0.100", "±0.000", "0.562", "±0.088"],
        ["1", "2", "0.100", "±0.000", "0.500", "±0.354"],
        ["10", "1", "0.100", "0.125"],
    ]


def test_the_best_is_bold_in_markdown(runs: list[Run]) -> None:
    assert as_markdown(sweep_table(runs)).splitlines() == [
        "| model.hops | seeds | P@5 | R@5 |",
        "| :-- | :-- | --: | --: |",
        "| 2 | 2 | **0.100 ±0.000** | **0.562 ±0.088** |",
        "| 1 | 2 | **0.100 ±0.000** | 0.500 ±0.354 |",
        "| 10 | 1 | **0.100** | 0.125 |",
    ]


def test_csv_is_in_full_precision(runs: list[Run]) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(sweep_table(runs)))))
    assert list(rows[0]) == ["model.hops", "seeds", "P@5", "P@5 sd", "R@5", "R@5 sd"]
    assert float(rows[0]["R@5 sd"]) == pytest.approx(0.125 / 2**0.5, rel=1e-12)
    assert (rows[2]["R@5"], rows[2]["R@5 sd"]) == ("0.125", "")


def test_json_has_the_runs_or_the_lines(runs: list[Run]) -> None:
    each = json.loads(as_json(sweep_table(runs, per_run=True)))
    assert [row["parameters"] for row in each["runs"]][:2] == [
        {"model.hops": 1, "seed": 1},
        {"model.hops": 2, "seed": 1},
    ]
    lines = json.loads(as_json(sweep_table(runs)))
    assert "runs" not in lines
    assert lines["common"]["dataset"] == "demo"
    assert lines["lines"][0] == {
        "parameters": {"model.hops": 2},
        "seeds": [0, 1],
        "metrics": {"P@5": pytest.approx(0.1), "R@5": 0.5625},
        "sd": {"P@5": 0.0, "R@5": pytest.approx(0.125 / 2**0.5)},
    }


def test_odd_values_do_not_break_the_tables(make_run: MakeRun, tmp_path: Path) -> None:
    make_run("0", {"R@5": 0.5}, model__name="a|b [red]")
    make_run("1", {"R@5": 0.25}, model__name="名, 2")
    table = sweep_table(collect([tmp_path]).runs)
    assert as_markdown(table).splitlines()[2] == "| a\\|b [red] | **0.500** |"
    assert ["a|b", "[red]", "0.500"] in printed(table)
    assert list(csv.reader(io.StringIO(as_csv(table))))[2] == ["名, 2", "0.25"]


def test_values_are_text_in_markdown_and_in_the_terminal(make_run: MakeRun, tmp_path: Path) -> None:
    make_run("0", {"R@5": 0.5}, model__name="<script>[x](javascript:1)\x1b[31m")
    make_run("1", {"R@5": 0.25}, model__name="plain")
    table = sweep_table(collect([tmp_path]).runs)
    assert as_markdown(table).splitlines()[2].startswith("| &lt;script&gt;[x]\\(javascript:1)")
    assert "\x1b" not in "".join(map("".join, printed(table)))
    assert r"<script>[x](javascript:1)\u001b[31m" in "".join(map("".join, printed(table)))


def test_a_figure_needs_every_parameter_that_differs(runs: list[Run]) -> None:
    table = sweep_table(runs)
    assert only(table, ["model.hops"]).keys == ("model.hops",)
    with pytest.raises(JoinGRError, match=r"also differ by model.hops: .*--line, or .*--where model.hops=<value>"):
        only(table, ["model.anchors"])
