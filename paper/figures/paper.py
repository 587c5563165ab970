"""The paper's Figures 4, 5 and 6, and recall over hops, drawn from the records of finished runs."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from joingr_pyg.plotting.files import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from joingr_pyg.runs.question_records import QuestionRecord, measures

Points = Mapping[int, Sequence[float]]
"""For each position on the horizontal axis, the values of all seeds."""

_COLORS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY)
_MARKERS = ("o", "s", "^", "D", "v", "P")


def draw_gold_counts(datasets: Mapping[str, Sequence[QuestionRecord]]) -> Figure:
    """Figure 4: how many questions need how many tables.

    Args:
        datasets: The questions of each dataset.
    """
    figure = Figure(figsize=(7.5, 3.8), layout="constrained")
    axes = figure.add_subplot()
    most = max(len(record.gold) for records in datasets.values() for record in records)
    width = 0.8 / len(datasets)
    for number, (name, records) in enumerate(datasets.items()):
        counts = np.bincount([len(record.gold) for record in records], minlength=most + 1)[1:]
        places = np.arange(1, most + 1) + width * (number - (len(datasets) - 1) / 2)
        label = f"{name}, {len(records):,} questions"
        bars = axes.bar(places, 100 * counts / len(records), width, color=_COLORS[number], label=label)
        axes.bar_label(bars, [f"{count:,}" if count else "" for count in counts], padding=2, fontsize=7.5)
    axes.set_xticks(range(1, most + 1))
    axes.set_xlabel("gold tables of a question")
    axes.set_ylabel("% of the questions")
    axes.legend(frameon=False)
    _plain(axes)
    return figure


def draw_by_gold(panels: Mapping[str, Sequence[Sequence[QuestionRecord]]], ks: Sequence[int] = (5, 15)) -> Figure:
    """Figure 5: precision and recall by the number of gold tables.

    Args:
        panels: For each panel's title, the questions of each seed.
        ks: The cut-offs.
    """
    figure = Figure(figsize=(10.5, 3.9), layout="constrained")
    for number, (title, seeds) in enumerate(panels.items()):
        axes = figure.add_subplot(1, len(panels), number + 1)
        groups = [("All", seeds[0]), *_by_gold(seeds[0])]
        names = [f"{name}@{k}" for name in ("P", "R") for k in ks]
        width = 0.84 / len(names)
        for place, name in enumerate(names):
            values = [[_mean(_group(records, label), name) for records in seeds] for label, _ in groups]
            at = np.arange(len(groups)) + width * (place - (len(names) - 1) / 2)
            color = (SKY, BLUE, ORANGE, VERMILION)[place % 4]
            means = [np.mean(over_seeds) for over_seeds in values]
            axes.bar(at, means, width, yerr=_sd(values), color=color, label=name)
        axes.set_xticks(range(len(groups)), [f"{label}\n{len(records):,}" for label, records in groups])
        axes.set_xlabel("gold tables of a question, and questions")
        axes.set_ylim(0, 1)
        axes.set_title(title, fontsize=10, parse_math=False)
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.set_axisbelow(True)
        _plain(axes)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", frameon=False)
    return figure


def draw_over(lines: Mapping[str, Points], x: str, y: str, flat: Mapping[str, float] | None = None) -> Figure:
    """A metric over anchors or hops, as in Figure 6; bars are the standard deviation over seeds.

    Args:
        lines: The values of each line.
        x: Label of the horizontal axis.
        y: Label of the vertical axis.
        flat: Horizontal lines, by label.
    """
    figure = Figure(figsize=(8.6, 4), layout="constrained")
    axes = figure.add_subplot()
    for number, (label, points) in enumerate(lines.items()):
        places = sorted(points)
        axes.errorbar(
            places,
            [np.mean(points[place]) for place in places],
            _sd([points[place] for place in places]),
            marker=_MARKERS[number % len(_MARKERS)],
            color=_COLORS[number % len(_COLORS)],
            markersize=5,
            linewidth=1.7,
            elinewidth=1,
            capsize=2.5,
            label=label,
        )
    for label, value in (flat or {}).items():
        axes.axhline(value, color=GREY, linestyle="--", linewidth=1.3, label=label)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(axis="y", color=GREY, alpha=0.25)
    figure.legend(loc="outside right upper", frameon=False)
    _plain(axes)
    return figure


def mean_of(records: Sequence[QuestionRecord], name: str) -> float:
    """The mean of a metric such as ``"R@10"`` over questions."""
    return float(measures(records, [int(name.partition("@")[2])])[name].mean())


def _mean(records: Sequence[QuestionRecord], name: str) -> float:
    return mean_of(records, name) if records else float("nan")


def _by_gold(records: Sequence[QuestionRecord]) -> list[tuple[str, list[QuestionRecord]]]:
    """The nonempty groups of questions that need 1, 2, 3, 4, and 5 or more tables."""
    labels = ("1", "2", "3", "4", "5+")
    return [(label, group) for label in labels if (group := _group(records, label))]


def _group(records: Sequence[QuestionRecord], label: str) -> list[QuestionRecord]:
    if label == "All":
        return list(records)
    return [record for record in records if min(len(record.gold), 5) == int(label.rstrip("+"))]


def _sd(values: Sequence[Sequence[float]]) -> list[float] | None:
    """Standard deviations over seeds, or ``None`` if all values have a single seed."""
    if all(len(over_seeds) == 1 for over_seeds in values):
        return None
    return [float(np.std(over_seeds, ddof=1)) if len(over_seeds) > 1 else 0.0 for over_seeds in values]


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
