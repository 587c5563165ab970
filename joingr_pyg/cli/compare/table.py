"""Runs of a sweep in one table, with one line for each configuration or for each run."""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from rich.table import Table

from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.spread import mean_and_spread
from joingr_pyg.runs.collect import SEED, Run, differing, in_order, runs_as_json, shared_names, shown
from joingr_pyg.terminal import cell


@dataclass(frozen=True)
class Line:
    """One line.

    Args:
        parameters: The values of the parameters that differ.
        metrics: Metrics, means where runs of several seeds share the line.
        spread: Standard deviation of each metric: over seeds, or over the folds of a single run.
        runs: The runs of the line.
    """

    parameters: Mapping[str, Any]
    metrics: Mapping[str, float]
    spread: Mapping[str, float]
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class SweepTable:
    """A table of runs.

    Args:
        keys: Parameters that differ, the columns.
        metrics: Names of the metrics.
        lines: The lines.
        per_run: Whether every run has its own line; otherwise runs that differ in their seed only share one.
        repeated: Runs left out because a newer one has the same configuration and seed.
    """

    keys: tuple[str, ...]
    metrics: tuple[str, ...]
    lines: tuple[Line, ...]
    per_run: bool
    repeated: tuple[Run, ...] = ()

    @property
    def runs(self) -> list[Run]:
        return [run for line in self.lines for run in line.runs]

    @property
    def title(self) -> str:
        """What all runs share, and what the numbers are."""
        count = len(self.runs)
        parts = [*shared_names(self.runs), f"{count} runs" if count > 1 else "1 run"]
        if any(line.spread for line in self.lines):
            parts.append(f"± standard deviation over {'folds' if self.per_run else 'seeds'}")
        return ", ".join(parts)


def sweep_table(runs: Sequence[Run], sort: str | None = None, per_run: bool = False) -> SweepTable:
    """Bring runs into a table.

    Args:
        runs: The runs.
        sort: The metric to sort by, best first, or a parameter, ascending; ``None`` takes the last metric.
        per_run: Give every run its own line, instead of mean and standard deviation over seeds.

    Raises:
        JoinGRError: If there is nothing of the name to sort by.
    """
    metrics = tuple(dict.fromkeys(name for run in runs for name in run.metrics))
    keys = differing(runs)
    repeated: list[Run] = []
    if per_run:
        groups = [[run] for run in runs]
    else:
        by_configuration: dict[str, dict[Any, Run]] = defaultdict(dict)
        for run in sorted(runs, key=lambda run: run.modified):
            older = by_configuration[run.configuration].get(run.seed)
            repeated += [older] if older is not None else []
            by_configuration[run.configuration][run.seed] = run
        groups = [[by_seed[seed] for seed in sorted(by_seed, key=in_order)] for by_seed in by_configuration.values()]
        keys = [key for key in keys if key != SEED]
    lines = [_line(group, keys, per_run) for group in groups]
    # Ties, and lines without the metric, are in the order of their parameters.
    lines.sort(key=lambda line: [in_order(line.parameters.get(key)) for key in keys])
    by = metrics[-1] if sort is None else sort
    if by in metrics:
        lines.sort(key=lambda line: -line.metrics.get(by, float("-inf")))
    elif by in keys or any(by in run.parameters for run in runs):
        lines.sort(key=lambda line: in_order(line.runs[0].parameters.get(by)))
    else:
        raise JoinGRError(f"There is nothing called {by!r} to sort by: choose from {', '.join([*metrics, *keys])}.")
    return SweepTable(tuple(keys), metrics, tuple(lines), per_run, tuple(repeated))


def _line(runs: Sequence[Run], keys: Sequence[str], per_run: bool) -> Line:
    parameters = {key: runs[0].parameters[key] for key in keys if key in runs[0].parameters}
    if len(runs) == 1:
        return Line(parameters, runs[0].metrics, runs[0].spread if per_run else {}, tuple(runs))
    shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    mean, spread = mean_and_spread([{name: run.metrics[name] for name in shared} for run in runs])
    return Line(parameters, mean, spread, tuple(runs))


def _headings(table: SweepTable) -> list[str]:
    return [*table.keys, *([] if not _several(table) else ["seeds"])]


def _several(table: SweepTable) -> bool:
    return any(len(line.runs) > 1 for line in table.lines)


def _labels(table: SweepTable, line: Line) -> list[str]:
    labels = [shown(line.parameters.get(key)) for key in table.keys]
    return [*labels, *([] if not _several(table) else [str(len(line.runs))])]


def _number(line: Line, name: str) -> str:
    if name not in line.metrics:
        return ""
    spread = f" ±{line.spread[name]:.3f}" if name in line.spread else ""
    return f"{line.metrics[name]:.3f}{spread}"


def _cells(table: SweepTable, line: Line, best: str) -> list[str]:
    """The metrics of a line; what reads like the best of its column is put into ``best``, such as ``**{}**``."""
    cells = []
    for name in table.metrics:
        top = max(round(other.metrics[name], 3) for other in table.lines if name in other.metrics)
        stands_out = len(table.lines) > 1 and name in line.metrics and round(line.metrics[name], 3) == top
        cells.append(best.format(_number(line, name)) if stands_out else _number(line, name))
    return cells


def as_rich(table: SweepTable) -> Table:
    """The table for a terminal; the best value of each metric stands out."""
    shape = Table(title=cell(table.title), title_justify="left")
    for heading in _headings(table):
        numeric = all(isinstance(line.parameters.get(heading), int | float | None) for line in table.lines)
        shape.add_column(cell(heading), justify="right" if numeric else "left", overflow="fold")
    for name in table.metrics:
        shape.add_column(cell(name), justify="right", overflow="fold")
    for line in table.lines:
        shape.add_row(*map(cell, _labels(table, line)), *_cells(table, line, "[bold]{}[/bold]"))
    return shape


def as_markdown(table: SweepTable) -> str:
    """The table in Markdown; the best value of each metric is bold."""
    rows = [[*_headings(table), *table.metrics]]
    rows.append([":--" for _ in _headings(table)] + ["--:" for _ in table.metrics])
    for line in table.lines:
        labels = [_markdown(label) for label in _labels(table, line)]
        rows.append([*labels, *_cells(table, line, "**{}**")])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _markdown(label: str) -> str:
    """A label that is text in a cell of Markdown, and no HTML, link or further cell."""
    return escape(" ".join(label.split()), quote=False).replace("|", "\\|").replace("](", "]\\(")


def as_csv(table: SweepTable) -> str:
    """The table as CSV, in full precision; ``R@5 sd`` is the standard deviation of ``R@5``."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    spread = [name for name in table.metrics if any(name in line.spread for line in table.lines)]
    columns = [column for name in table.metrics for column in ([name, f"{name} sd"] if name in spread else [name])]
    writer.writerow([*_headings(table), *columns])
    for line in table.lines:
        cells = {**line.metrics, **{f"{name} sd": value for name, value in line.spread.items()}}
        writer.writerow([*_labels(table, line), *(cells.get(column, "") for column in columns)])
    return file.getvalue()


def as_json(table: SweepTable) -> str:
    """The table as JSON: its runs in its order if a line is a run, else the means and deviations."""
    content = runs_as_json(table.runs)
    if not table.per_run:
        del content["runs"]
        content["lines"] = [
            {
                "parameters": dict(line.parameters),
                "seeds": [run.seed for run in line.runs],
                "metrics": dict(line.metrics),
                **({"sd": dict(line.spread)} if line.spread else {}),
            }
            for line in table.lines
        ]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def only(table: SweepTable, keys: Sequence[str]) -> SweepTable:
    """A table by some parameters alone, for a figure.

    Raises:
        JoinGRError: If lines differ by another parameter as well.
    """
    others = [key for key in table.keys if key not in keys]
    if others:
        raise JoinGRError(
            f"The runs also differ by {', '.join(others)}: give each its own line with --line, "
            f"or choose runs with --where {others[0]}=<value>."
        )
    return replace(table, keys=tuple(keys), lines=tuple(_line(line.runs, keys, False) for line in table.lines))
