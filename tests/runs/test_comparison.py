import io

import pytest
from rich.console import Console
from rich.table import Table

from joingr_pyg.runs.comparison import Row, comparison, database_table, remembering, show

ROWS = [
    Row("vanilla", {"R@5": 0.5, "PR@15": 0.75}),
    Row("joingr", {"R@5": 0.625, "PR@15": 0.75}, {"R@5": 0.0315}, 12345.6),
    Row("other", {"R@5": 0.25, "PR@15": 0.0}, questions_per_second=0.4),
]


def cells(table: Table) -> list[list[str]]:
    """The cells with their markup, row by row."""
    return [list(map(str, row)) for row in zip(*(column.cells for column in table.columns), strict=True)]


def test_a_line_a_method_with_its_metrics_spread_and_speed() -> None:
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(comparison("demo test, pooled", ROWS))
    lines = [line.split() for line in console.export_text().splitlines()]
    assert lines[0] == ["demo", "test,", "pooled"]
    words = [[word for word in line if word.strip("│┃")] for line in lines]
    assert ["method", "R@5", "PR@15", "questions/s"] in words
    assert ["vanilla", "0.500", "0.750"] in words
    assert ["joingr", "0.625", "±0.032", "0.750", "12,346"] in words
    assert ["other", "0.250", "0.000", "0"] in words


def test_the_best_of_each_metric_stands_out_ties_alike() -> None:
    assert cells(comparison("t", ROWS)) == [
        ["vanilla", "0.500", "[bold]0.750[/bold]", ""],
        ["joingr", "[bold]0.625 ±0.032[/bold]", "[bold]0.750[/bold]", "12,346"],
        ["other", "0.250", "0.000", "0"],
    ]


def test_a_method_alone_does_not_stand_out() -> None:
    assert cells(comparison("t", ROWS[:1])) == [["vanilla", "0.500", "0.750", ""]]


def test_no_number_is_cut_where_the_output_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = {f"{name}@{k}": 0.123 for k in (1, 5, 10, 15) for name in ("P", "R", "PR")}
    show(comparison("wide", [Row("vanilla", metrics), Row("heuristic", metrics)]))
    printed = capsys.readouterr().out
    assert printed.count("0.123") == 24
    assert "…" not in printed


def test_names_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    show(comparison("[red]title", [Row("[i]me\x1bthod", {"R@5": 0.5})]))
    show(database_table("[b]title", {"[red]shop": {"questions": 3, "R@5": 0.5}}))
    printed = capsys.readouterr().out
    assert "[red]title" in printed
    assert r"[i]me\u001bthod" in printed
    assert "[b]title" in printed
    assert "[red]shop" in printed


def test_the_name_of_a_method_says_what_it_remembers() -> None:
    assert remembering("knn", 9428) == "knn, remembers 9,428 answers"
    assert remembering("knn", 0) == "knn"
    assert remembering("knn", 0, of_folds=True) == "knn, remembers the other folds"
