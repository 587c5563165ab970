"""The tables that a run prints at its end: methods compared on the same questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from joingr_pyg.terminal import cell


@dataclass(frozen=True)
class Row:
    """The line of one method.

    Args:
        method: Name of the method.
        metrics: Its metrics.
        spread: Standard deviation of each metric over folds, where there are folds.
        questions_per_second: Speed of ranking, where measured.
    """

    method: str
    metrics: Mapping[str, float]
    spread: Mapping[str, float] = field(default_factory=dict)
    questions_per_second: float | None = None


def remembering(method: str, answers: int, of_folds: bool = False) -> str:
    """The name of a method in a table, with what it remembers.

    Args:
        method: Name of the method.
        answers: Number of answered questions that it remembers.
        of_folds: Whether it remembers those of the other folds.
    """
    if of_folds:
        return f"{method}, remembers the other folds"
    return f"{method}, remembers {answers:,} answers" if answers else method


def comparison(title: str, rows: Sequence[Row]) -> Table:
    """A table of methods; the best value of each metric stands out."""
    names = list(dict.fromkeys(name for row in rows for name in row.metrics))
    best = {name: max(row.metrics[name] for row in rows) for name in names}
    table = Table(title=cell(title), title_justify="left")
    # In a narrow terminal cells may break at their spread, but nothing is cut off.
    table.add_column("method", no_wrap=True)
    for name in [*names, "questions/s"]:
        table.add_column(cell(name), justify="right", overflow="fold")
    for row in rows:
        cells = []
        for name in names:
            value = f"{row.metrics[name]:.3f}"
            if name in row.spread:
                value += f" ±{row.spread[name]:.3f}"
            cells.append(f"[bold]{value}[/bold]" if row.metrics[name] >= best[name] and len(rows) > 1 else value)
        speed = "" if row.questions_per_second is None else f"{row.questions_per_second:,.0f}"
        table.add_row(cell(row.method), *cells, speed)
    return table


def database_table(title: str, databases: Mapping[str, Mapping[str, float]]) -> Table:
    """A table of the metrics of each database.

    Args:
        title: Title of the table.
        databases: The metrics of each database, with the number of its questions as ``questions``.
    """
    names = list(dict.fromkeys(name for metrics in databases.values() for name in metrics if name != "questions"))
    table = Table(title=cell(title), title_justify="left")
    table.add_column("database", no_wrap=True)
    for name in ["questions", *names]:
        table.add_column(cell(name), justify="right", overflow="fold")
    for database, metrics in sorted(databases.items()):
        cells = [f"{metrics[name]:.3f}" if name in metrics else "" for name in names]
        table.add_row(cell(database), f"{metrics['questions']:.0f}", *cells)
    return table


def sets_line(complete: float, sets: Mapping[str, float]) -> str:
    """One line on the quality of sets that were to be complete with probability ``complete``."""
    return (
        f"Sets to be complete with probability {complete:g}: {sets['size']:.1f} tables, "
        f"precision {sets['precision']:.3f}, recall {sets['recall']:.3f}, F1 {sets['f1']:.3f}, "
        f"complete {sets['complete']:.3f}, calibration error {sets['calibration_error']:.3f}"
    )


def show(table: Table) -> None:
    """Print a table. Where the output is not a terminal, it is wide enough for all columns."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(140, Console(width=10_000).measure(table).maximum))
    console.print(table)
