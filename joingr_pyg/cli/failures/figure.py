"""A figure of why gold tables were missed."""

import numpy as np
from matplotlib.figure import Figure

from joingr_pyg.cli.failures.causes import Analysis
from joingr_pyg.plotting.files import BLUE, GREY, ORANGE, VERMILION


def draw_failures(analysis: Analysis, title: str) -> Figure:
    """Draw the number of missed tables by reason, and the smallest share on the path to each.

    Args:
        analysis: The failures.
        title: What the runs are.

    Returns:
        The figure: missed tables by reason on the left, means over runs; on the right, for each table that a walk
        reached, the smallest share on its path, beside what an even share would be there.
    """
    figure = Figure(figsize=(10.5, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1, 1])
    reasons = [reason for reason in analysis.reasons if analysis.tables(reason)]
    counts = [analysis.tables(reason) for reason in reasons]
    hops = {hop for hop in range(1, analysis.hops + 1) if any(failure.hop == hop for failure in analysis.failures)}
    colors = [BLUE if reason.startswith("shared out") else VERMILION for reason in reasons]
    bars = left.barh(reasons, counts, color=colors)
    shown = [f"{count:.0f}" if float(count).is_integer() else f"{count:.1f}" for count in counts]
    left.bar_label(bars, shown, padding=3)
    left.invert_yaxis()
    left.margins(x=0.12)
    left.set_xlabel(f"gold tables missed at {analysis.k}" + (f", mean of {analysis.runs} runs" * (analysis.runs > 1)))

    rng = np.random.default_rng(0)
    for hop in sorted(hops):
        split = [failure for failure in analysis.failures if failure.hop == hop]
        beside = rng.uniform(-0.17, 0.17, len(split))
        right.scatter(
            hop - 0.2 + 0.5 * beside, [failure.share for failure in split], 14, BLUE, alpha=0.55, linewidths=0
        )
        even = [1 / failure.choices for failure in split]
        right.scatter(hop + 0.2 + 0.5 * beside, even, 14, ORANGE, marker="D", alpha=0.55, linewidths=0)
    right.set_yscale("log")
    right.set_xticks(sorted(hops))
    right.set_xlabel("hop with the smallest share on the path")
    right.set_ylabel("share of the deposit")
    right.scatter([], [], 22, BLUE, label="learned")
    right.scatter([], [], 22, ORANGE, marker="D", label="if it were even")
    right.legend(frameon=False, loc="lower right")
    right.grid(axis="y", color=GREY, alpha=0.25)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, fontsize=11, parse_math=False)
    return figure
