"""Figures of a sweep: a metric over a swept parameter, and over two of them as a heat map."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from joingr_pyg.cli.compare.table import Line, only, sweep_table
from joingr_pyg.errors import JoinGRError
from joingr_pyg.plotting.labels import separate_labels
from joingr_pyg.runs.collect import SEED, Run, in_order, require_parameter, shared_names, shown, values

NARROW = 0.02
"""Heat maps whose values differ by no more than this say so."""

_LOGARITHMIC = 50  # From this ratio of the largest to the smallest value an axis is logarithmic.


def draw_lines(runs: Sequence[Run], x: str, metric: str, lines: Sequence[str] = ()) -> Figure:
    """Draw a metric over a parameter; error bars are the standard deviation over seeds.

    Args:
        runs: The runs.
        x: The parameter on the horizontal axis.
        metric: The metric on the vertical axis.
        lines: Parameters; every combination of their values has its own line.

    Raises:
        JoinGRError: If there is no such parameter or metric, or the runs differ by yet another parameter.
    """
    drawn = _lines(runs, [x, *lines], metric)
    groups = sorted({tuple(line.parameters.get(key) for key in lines) for line in drawn}, key=_all_in_order)
    ticks = values((run for line in drawn for run in line.runs), x)
    numeric = all(isinstance(tick, int | float) and not isinstance(tick, bool) for tick in ticks)
    at = {tick: tick if numeric else place for place, tick in enumerate(ticks)}
    logarithmic = numeric and ticks[0] > 0 and ticks[-1] / ticks[0] >= _LOGARITHMIC

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    step = min((b - a for a, b in zip(sorted(at.values()), sorted(at.values())[1:], strict=False)), default=1.0)
    for number, (group, color) in enumerate(zip(groups, _colors(groups), strict=True)):
        points = [line for line in drawn if tuple(line.parameters.get(key) for key in lines) == group]
        points.sort(key=lambda line: in_order(line.parameters[x]))
        # Error bars of several lines stand beside each other.
        beside = 0.0 if logarithmic else 0.05 * step * (number - (len(groups) - 1) / 2)
        axes.errorbar(
            [at[line.parameters[x]] + beside for line in points],
            [line.metrics[metric] for line in points],
            [line.spread.get(metric, 0.0) for line in points] if any(line.spread for line in points) else None,
            marker="o",
            markersize=4.5,
            linewidth=1.6,
            elinewidth=1.0,
            capsize=2.5,
            color=color,
            label=", ".join(map(shown, group)),
        )
    if logarithmic:
        axes.set_xscale("log")
    axes.set_xticks(list(at.values()), [shown(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(x)
    axes.set_ylabel(metric)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if lines:
        figure.legend(title=", ".join(lines), loc="outside right upper", frameon=False)
    _caption(axes, drawn)
    separate_labels(figure, axes)
    return figure


def draw_heatmap(runs: Sequence[Run], rows: str, columns: str, metric: str) -> Figure:
    """Draw a metric over two parameters; each cell names its value, and the standard deviation over seeds.

    Args:
        runs: The runs.
        rows: The parameter on the vertical axis.
        columns: The parameter on the horizontal axis.
        metric: The metric.

    Raises:
        JoinGRError: If there is no such parameter or metric, or the runs differ by yet another parameter.
    """
    drawn = _lines(runs, [rows, columns], metric)
    used = [run for line in drawn for run in line.runs]
    down, across = values(used, rows), values(used, columns)
    grid = np.full((len(down), len(across)), np.nan)
    label: dict[tuple[int, int], str] = {}
    for line in drawn:
        cell = down.index(line.parameters[rows]), across.index(line.parameters[columns])
        grid[cell] = line.metrics[metric]
        label[cell] = f"{line.metrics[metric]:.3f}"
        if metric in line.spread:
            label[cell] += f"\n±{line.spread[metric]:.3f}"

    figure = Figure(figsize=(2.2 + 0.95 * len(across), 1.8 + 0.7 * len(down)), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(grid, cmap="Blues", origin="lower", aspect="auto")
    low, high = float(np.nanmin(grid)), float(np.nanmax(grid))
    for (row, column), text in label.items():
        dark = high > low and (grid[row, column] - low) / (high - low) > 0.62
        axes.text(
            column,
            row,
            text,
            ha="center",
            va="center",
            fontsize=9,
            color="white" if dark else "black",
            fontweight="bold" if grid[row, column] == high else "normal",
        )
    axes.set_xticks(range(len(across)), [shown(value) for value in across])
    axes.set_yticks(range(len(down)), [shown(value) for value in down])
    axes.set_xlabel(columns)
    axes.set_ylabel(rows)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    figure.colorbar(image, ax=axes, label=metric)
    # The colours always span the whole scale, so they make any difference look large.
    narrow = f"the colours span {high - low:.3f} alone" if high - low <= NARROW else ""
    _caption(axes, drawn, narrow)
    separate_labels(figure, axes)
    return figure


def _lines(runs: Sequence[Run], keys: Sequence[str], metric: str) -> list[Line]:
    for key in keys:
        require_parameter(runs, key)
    if len(set(keys)) < len(keys):
        raise JoinGRError(f"A figure shows different parameters on its axes and lines (got {', '.join(keys)}).")
    table = sweep_table(runs, per_run=SEED in keys)
    if metric not in table.metrics:
        raise JoinGRError(f"The runs have no metric {metric!r}: choose from {', '.join(table.metrics)}.")
    lines = only(table, keys).lines
    return [line for line in lines if metric in line.metrics and all(key in line.parameters for key in keys[:2])]


def _all_in_order(group: tuple[Any, ...]) -> list[tuple[int, float, str]]:
    return [in_order(value) for value in group]


def _colors(groups: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Shades that rise with numbers; colours that differ for names."""
    if len(groups) > 1 and all(len(group) == 1 and isinstance(group[0], int | float) for group in groups):
        return list(mpl.colormaps["viridis"](np.linspace(0.0, 0.85, len(groups))))
    cycle = mpl.colormaps["tab10"].colors  # type: ignore[attr-defined]
    return [cycle[number % len(cycle)] for number in range(len(groups))]


def _caption(axes: Axes, lines: Sequence[Line], note: str = "") -> None:
    counts = sorted({len(line.runs) for line in lines})
    seeds = "" if counts == [1] else f", mean ± sd of {'–'.join(map(str, {counts[0]: 0, counts[-1]: 0}))} seeds"
    names = shared_names([run for line in lines for run in line.runs])
    axes.set_title(", ".join(names) + seeds + f"\n{note}" * bool(note), fontsize=10, parse_math=False)
